/**
 * What a new policy changes, computed in the page. Every change allows more or less, so that nobody
 * widens a policy without noticing.
 */
import type { DataOf } from '@countersign/client/operation-types.ts'
import { CAPS, type Cap, type Policy } from './policy-terms.ts'

/** `new`: there was no policy. `other`: neither more nor less, but someone else. */
export type Effect = 'wider' | 'narrower' | 'same' | 'new' | 'other'

export type ValueRow = {
  field: Cap | 'expiresAt' | 'automaticEnabled' | 'paused' | 'executorAddress'
  from: string | null
  to: string
  effect: Effect
}
export type ListRow = {
  field: 'approverAddresses' | 'recipientAddresses'
  added: string[]
  removed: string[]
  kept: string[]
}
export type PolicyDifference = { values: ValueRow[]; lists: ListRow[] }

export type PolicyChanges = DataOf<'preparePolicy'>['changes']

type ValueField = ValueRow['field']

const FIELDS: readonly ValueField[] = [
  ...CAPS,
  'expiresAt',
  'automaticEnabled',
  'paused',
  'executorAddress',
]

const rank = (field: ValueField, value: string): bigint => {
  if (field === 'expiresAt') return BigInt(Math.trunc(Date.parse(value) / 1000))
  if (field === 'automaticEnabled' || field === 'paused') return value === 'true' ? 1n : 0n
  return BigInt(value)
}

/** More of these allows less. */
const RESTRICTING: readonly ValueField[] = ['reserveFloor', 'paused']

function effectOf(field: ValueField, from: string | null, to: string): Effect {
  if (from === null) return 'new'
  if (field === 'executorAddress') return same(from, to) ? 'same' : 'other'
  const [before, after] = [rank(field, from), rank(field, to)]
  if (before === after) return 'same'
  return after > before !== RESTRICTING.includes(field) ? 'wider' : 'narrower'
}

const same = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase()
const has = (list: readonly string[], one: string): boolean => list.some((each) => same(each, one))

export function differenceOf(before: Policy | null, after: Policy): PolicyDifference {
  const values = FIELDS.map((field): ValueRow => {
    const from = before ? String(before[field]) : null
    const to = String(after[field])
    return { field, from, to, effect: effectOf(field, from, to) }
  })
  const list = (field: ListRow['field']): ListRow => {
    const [old, next] = [before?.[field] ?? [], after[field]]
    return {
      field,
      added: next.filter((one) => !has(old, one)),
      removed: old.filter((one) => !has(next, one)),
      kept: next.filter((one) => has(old, one)),
    }
  }
  return { values, lists: [list('approverAddresses'), list('recipientAddresses')] }
}

export const isChanged = ({ values, lists }: PolicyDifference): boolean =>
  values.some(({ effect }) => effect !== 'same') ||
  lists.some(({ added, removed }) => added.length + removed.length > 0)

export const isWider = ({ values, lists }: PolicyDifference): boolean =>
  values.some(({ effect }) => effect === 'wider' || effect === 'other') ||
  lists.some(({ added }) => added.length > 0)

const equalLists = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((one) => has(b, one))

const CHANGE_NAMES = { approverAddresses: 'approvers', recipientAddresses: 'recipients' } as const

/** Fields in which the service describes its own policy differently from what the page computed. */
export function disagreements(computed: PolicyDifference, stated: PolicyChanges): string[] {
  const values = computed.values.filter(({ field, from, to, effect }) => {
    const change = stated[field === 'executorAddress' ? 'executor' : field]
    if (change === null) return effect !== 'same'
    const isTo = effectOf(field, String(change.to), to) === 'same'
    const isFrom =
      from === null || change.from === null
        ? from === change.from
        : effectOf(field, String(change.from), from) === 'same'
    return effect === 'same' || !isTo || !isFrom
  })
  const lists = computed.lists.filter(({ field, added, removed }) => {
    const change = stated[CHANGE_NAMES[field]]
    return !equalLists(change.added, added) || !equalLists(change.removed, removed)
  })
  return [...values, ...lists].map(({ field }) => field)
}

/** The changes that a policy made when it was prepared, as the service states them. */
export function differenceFromChanges(changes: PolicyChanges): PolicyDifference {
  const values = FIELDS.flatMap((field): ValueRow[] => {
    const change = changes[field === 'executorAddress' ? 'executor' : field]
    if (change === null) return []
    const from = change.from === null ? null : String(change.from)
    return [
      { field, from, to: String(change.to), effect: effectOf(field, from, String(change.to)) },
    ]
  })
  const lists = (['approverAddresses', 'recipientAddresses'] as const)
    .map((field): ListRow => ({ field, ...changes[CHANGE_NAMES[field]], kept: [] }))
    .filter(({ added, removed }) => added.length + removed.length > 0)
  return { values, lists }
}
