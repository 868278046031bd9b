import { type RefObject, useEffect, useRef } from 'react'

/** `j` and `k` move between the rows (elements with `data-row`) inside the returned element. */
export function useRowKeys(): RefObject<HTMLDivElement | null> {
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const step = { j: 1, k: -1 }[event.key]
      const { target } = event
      const isTyping =
        target instanceof HTMLElement &&
        (/^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName) ||
          target.closest('[role=dialog],[role=menu]') !== null)
      if (step === undefined || isTyping || event.metaKey || event.ctrlKey || event.altKey) return
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
