import { type RefObject, useEffect, useRef } from 'react'

const PRODUCT = 'Countersign'

/** Names the tab after a heading, and after what was there before once the heading is gone. */
export function useDocumentTitle(heading: RefObject<HTMLElement | null>): void {
  const named = useRef('')
  useEffect(() => {
    const before = document.title
    return () => {
      named.current = ''
      document.title = before
    }
  }, [])
  // After every render, because a heading can be read from the service. A heading that stays the
  // same leaves the title to what was opened beside it.
  useEffect(() => {
    const text = heading.current?.textContent?.trim()
    if (!text || text === named.current) return
    named.current = text
    document.title = `${text} · ${PRODUCT}`
  })
}
