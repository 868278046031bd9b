import { useEffect } from 'react'

const HOMES = 'section, article, form, li'

const pathOf = (element: Element | null): HTMLElement[] =>
  element instanceof HTMLElement ? [element, ...pathOf(element.parentElement)] : []

/**
 * A button that is replaced by what it led to takes the focus with it, and the next key starts at
 * the top of the page. So the focus stays in the part of the page where the button was.
 */
export function useLostFocus(): void {
  useEffect(() => {
    let path: HTMLElement[] = []
    const onFocus = ({ target }: FocusEvent) => {
      path = pathOf(target as Element)
    }
    const observer = new MutationObserver(() => {
      const [focused] = path
      if (!focused || focused.isConnected || document.activeElement !== document.body) return
      // Dialogs and menus give the focus back themselves.
      if (path.some((element) => 'baseUiPortal' in element.dataset)) return
      const home = path.find((element) => element.isConnected && element.matches(HOMES))
      path = []
      if (!home) return
      if (!home.hasAttribute('tabindex')) home.tabIndex = -1
      home.focus({ preventScroll: true })
    })
    document.addEventListener('focusin', onFocus)
    observer.observe(document.body, { childList: true, subtree: true })
    return () => {
      document.removeEventListener('focusin', onFocus)
      observer.disconnect()
    }
  }, [])
}
