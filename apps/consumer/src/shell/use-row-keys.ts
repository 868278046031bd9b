import { type RefObject, useEffect, useRef } from 'react'
import { isForPage } from './key-target.ts'

/** `j` and `k` move between the rows (elements with `data-row`) inside the returned element. */
export function useRowKeys(): RefObject<HTMLDivElement | null> {
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const step = { j: 1, k: -1 }[event.key]
      if (step === undefined || event.metaKey || event.ctrlKey || event.altKey) return
      if (!isForPage(event.target)) return
      const rows = [...(list.current?.querySelectorAll<HTMLElement>('[data-row]') ?? [])]
      const focused = rows.findIndex((row) => row.matches(':focus'))
      // From the row that is open beside the list, where none has the focus.
      const at = focused >= 0 ? focused : rows.findIndex((row) => row.ariaCurrent !== null)
      rows[Math.max(0, Math.min(rows.length - 1, at + step))]?.focus()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
  return list
}
