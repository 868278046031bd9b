import { type RefObject, useEffect, useRef } from 'react'

/** What replaces a step is read from its beginning, with the focus on it. */
export function useFocusHere(): RefObject<HTMLDivElement | null> {
  const here = useRef<HTMLDivElement>(null)
  useEffect(() => {
    here.current?.focus({ preventScroll: true })
    scrollTo({ top: 0 })
  }, [])
  return here
}
