import { useSyncExternalStore } from 'react'

function subscribe(listener: () => void) {
  addEventListener('online', listener)
  addEventListener('offline', listener)
  return () => {
    removeEventListener('online', listener)
    removeEventListener('offline', listener)
  }
}

/** False if the browser knows that it has no network. True does not mean that the service answers. */
export const useOnline = (): boolean => useSyncExternalStore(subscribe, () => navigator.onLine)
