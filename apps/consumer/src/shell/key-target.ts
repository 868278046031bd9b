/** Whether a pressed key is meant for the page, rather than for a field, a menu or a dialog. */

type Target = Partial<Pick<HTMLElement, 'isContentEditable' | 'tagName'>>
type Seen = Pick<Document, 'querySelector'>

/** Confirmations that pass by have the role of a dialog too, and are not modal. */
const OVERLAYS = ['[role=dialog]', '[role=alertdialog]', '[role=menu]']
  .map((overlay) => `${overlay}:not([aria-modal=false])`)
  .join()

/** The focus may be outside of an open dialog, for instance after a click on its backdrop. */
export const isOverlayOpen = (page: Seen = document): boolean =>
  page.querySelector(OVERLAYS) !== null

export function isForPage(target: EventTarget | null, page: Seen = document): boolean {
  const { isContentEditable, tagName = '' } = (target ?? {}) as Target
  if (isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(tagName)) return false
  return !isOverlayOpen(page)
}
