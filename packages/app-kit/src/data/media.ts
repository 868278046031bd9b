import { useSyncExternalStore } from 'react'

const WIDE = matchMedia('(min-width: 80rem)')
const subscribe = (listener: () => void) => {
  WIDE.addEventListener('change', listener)
  return () => WIDE.removeEventListener('change', listener)
}

/** Room for a list and what is open beside it. */
export const useIsWide = (): boolean => useSyncExternalStore(subscribe, () => WIDE.matches)
