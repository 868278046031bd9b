import { TextField } from '@countersign/ui/field.tsx'
import { useLingui } from '@lingui/react/macro'
import { useEffect, useRef, useState } from 'react'

const AFTER_TYPING_MS = 300

/** The address follows a moment after the typing. */
export function SearchBox({ words, onChange }: { words: string; onChange(words: string): void }) {
  const { t } = useLingui()
  const [typed, setTyped] = useState(words)
  const sent = useRef(words)
  const report = useRef(onChange)
  useEffect(() => {
    report.current = onChange
  })
  // The address was changed elsewhere, for instance by a reset.
  useEffect(() => {
    if (words === sent.current) return
    sent.current = words
    setTyped(words)
  }, [words])
  useEffect(() => {
    if (typed === sent.current) return
    const timer = setTimeout(() => {
      sent.current = typed
      report.current(typed)
    }, AFTER_TYPING_MS)
    return () => clearTimeout(timer)
  }, [typed])
  return (
    <TextField
      label={t`Search expenses`}
      isLabelHidden
      type="search"
      placeholder={t`Purpose, reference or recipient`}
      maxLength={100}
      value={typed}
      onChange={({ target }) => setTyped(target.value)}
    />
  )
}
