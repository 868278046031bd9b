import { type RefObject, useEffect, useRef } from 'react'

/** Moves focus, and with it the view, to what has just replaced something else on the page. */
export function useArrival<Kind extends HTMLElement>(): RefObject<Kind | null> {
  const place = useRef<Kind>(null)
  useEffect(() => {
    place.current?.focus({ preventScroll: true })
    place.current?.scrollIntoView({ block: 'center' })
  }, [])
  return place
}
