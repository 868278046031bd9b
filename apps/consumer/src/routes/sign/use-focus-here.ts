import { type RefObject, useEffect, useRef } from 'react'

/** Focus goes to where something happened. */
export function useFocusHere(): RefObject<HTMLDivElement | null> {
  const here = useRef<HTMLDivElement>(null)
  useEffect(() => here.current?.focus(), [])
  return here
}
