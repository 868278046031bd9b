import { describe, expect, it } from 'vitest'
import { isForPage, isOverlayOpen } from './key-target.ts'

const element = (tagName: string, more: object = {}) => ({ tagName, ...more }) as HTMLElement
const pageWith = (role: string | null, isModal = true) => ({
  querySelector: (selectors: string) => {
    const selector = selectors.split(',').find((one) => one.startsWith(`[role=${role}]`))
    const isLeftOut = !isModal && selector?.includes(':not([aria-modal=false])')
    return selector && !isLeftOut ? element('DIV') : null
  },
})
const bare = pageWith(null)

describe('a key', () => {
  it('is for the page where nothing else takes it', () => {
    expect(isForPage(element('BODY'), bare)).toBe(true)
    expect(isForPage(null, bare)).toBe(true)
  })

  it.each(['INPUT', 'TEXTAREA', 'SELECT'])('is for a field: %s', (tagName) => {
    expect(isForPage(element(tagName), bare)).toBe(false)
  })

  it('is for a text that can be edited', () => {
    expect(isForPage(element('DIV', { isContentEditable: true }), bare)).toBe(false)
  })

  it('is for the page while a confirmation passes by', () => {
    expect(isForPage(element('BODY'), pageWith('dialog', false))).toBe(true)
  })

  it.each(['dialog', 'alertdialog', 'menu'])(
    'is not for the page behind an open %s, wherever the focus is',
    (role) => {
      expect(isForPage(element('BODY'), pageWith(role))).toBe(false)
      expect(isForPage(element('BUTTON'), pageWith(role))).toBe(false)
      expect(isOverlayOpen(pageWith(role))).toBe(true)
    },
  )
})
