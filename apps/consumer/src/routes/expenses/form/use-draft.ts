import { useState } from 'react'
import { type Draft, forgetDraft, keepDraft, newDraft, newKey, readDraft } from './draft.ts'
import type { Values } from './values.ts'

/** `name` tells forms apart: one per organization, and one per revision that is being revised. */
export function useDraft(name: string, initial: () => Values, isFresh = false) {
  const [draft, setDraft] = useState<Draft>(
    () => (isFresh ? null : readDraft(sessionStorage, name)) ?? newDraft(initial()),
  )
  const keep = (next: Draft) => {
    setDraft(next)
    keepDraft(sessionStorage, name, next)
  }
  return {
    ...draft,
    change: (about: Partial<Values>) =>
      keep({ ...draft, values: { ...draft.values, ...about } }),
    setReason: (reason: string) => keep({ ...draft, reason }),
    /** After the person has decided that this is another expense. */
    renewKey: (): string => {
      const key = newKey()
      keep({ ...draft, key })
      return key
    },
    forget: () => forgetDraft(sessionStorage, name),
    startOver: (values: Values) => {
      forgetDraft(sessionStorage, name)
      setDraft(newDraft(values))
    },
  }
}
