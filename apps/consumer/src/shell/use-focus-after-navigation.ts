import { useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'

/** Focus that a navigation has lost, or left on the way, goes to the heading of the new page. */
export function useFocusAfterNavigation(): void {
  const router = useRouter()
  useEffect(
    () =>
      router.subscribe('onRendered', ({ fromLocation, pathChanged }) => {
        if (!fromLocation || !pathChanged) return
        const { activeElement, body } = document
        if (activeElement !== body && !activeElement?.closest('nav, header')) return
        const arrival =
          document.querySelector<HTMLElement>('main [data-arrival]') ??
          document.querySelector<HTMLElement>('main h1')
        // The router has set how far the page is scrolled.
        arrival?.focus({ preventScroll: true })
      }),
    [router],
  )
}
