import { randomKey } from '@countersign/client/random-key.ts'
import { useRef, useState } from 'react'
import { type Draft, forgetDraft, keepDraft, newDraft, readDraft } from './draft.ts'
import type { Values } from './values.ts'

/** `name` tells forms apart: one per organization, and one per revision that is being revised. */
export function useDraft(name: string, initial: () => Values) {
  const [draft, setDraft] = useState<Draft>(
    () => readDraft(sessionStorage, name) ?? newDraft(initial()),
  )
  // An upload can end long after it began, and must not bring back what was typed then.
  const latest = useRef(draft)
  // What succeeded must not come back with its used key.
  const isForgotten = useRef(false)
  const keep = (about: Partial<Draft>) => {
    latest.current = { ...latest.current, ...about }
    setDraft(latest.current)
    if (!isForgotten.current) keepDraft(sessionStorage, name, latest.current)
  }
  return {
    ...draft,
    change: (about: Partial<Values>) => keep({ values: { ...latest.current.values, ...about } }),
    attach: (file: Values['attachments'][number]) => {
      const { values } = latest.current
      keep({ values: { ...values, attachments: [...values.attachments, file] } })
    },
    setReason: (reason: string) => keep({ reason }),
    /** After the person has decided that this is another expense. */
    renewKey: (): string => {
      keep({ key: randomKey() })
      return latest.current.key
    },
    forget: () => {
      isForgotten.current = true
      forgetDraft(sessionStorage, name)
    },
    startOver: (values: Values) => {
      keep(newDraft(values))
      forgetDraft(sessionStorage, name)
    },
  }
}
