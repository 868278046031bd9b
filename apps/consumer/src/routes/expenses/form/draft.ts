/**
 * A form that survives a reload. With it goes one idempotency key, kept until the form succeeded: a
 * reload or a second click is the same expense.
 */
import { randomKey } from '@countersign/client/random-key.ts'
import * as v from 'valibot'
import type { Values } from './values.ts'

const file = v.object({
  id: v.string(),
  name: v.string(),
  mediaType: v.picklist(['application/pdf', 'image/png', 'image/jpeg', 'image/webp', 'text/csv']),
  sizeBytes: v.number(),
})
const draft = v.object({
  key: v.string(),
  values: v.object({
    purpose: v.string(),
    recipientId: v.nullable(v.string()),
    amount: v.string(),
    vaultId: v.nullable(v.string()),
    mode: v.picklist(['approved', 'automatic']),
    category: v.string(),
    reference: v.string(),
    dueDate: v.string(),
    attachments: v.array(file),
  }),
  reason: v.string(),
})

export type Draft = { key: string; values: Values; reason: string }

export const newDraft = (values: Values): Draft => ({ key: randomKey(), values, reason: '' })

const place = (name: string): string => `countersign.expense.${name}`

export function readDraft(store: Storage, name: string): Draft | null {
  try {
    const parsed = v.safeParse(draft, JSON.parse(store.getItem(place(name)) ?? 'null'))
    return parsed.success ? parsed.output : null
  } catch {
    return null
  }
}

/** A full or forbidden storage costs the reload, not the form. */
export function keepDraft(store: Storage, name: string, kept: Draft): void {
  try {
    store.setItem(place(name), JSON.stringify(kept))
  } catch {}
}

export const forgetDraft = (store: Storage, name: string): void => store.removeItem(place(name))
