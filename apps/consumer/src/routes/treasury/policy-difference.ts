/**
 * What a new policy changes, computed in the page. Every change allows more or less, so that nobody
 * widens a policy without noticing.
 */
import type { DataOf } from '@countersign/client/operation-types.ts'
import { requiredApprovals } from '@countersign/proof/execution.ts'
import {
  CAPS,
  type Cap,
  PERIOD_CAPS,
  type PeriodCap,
  type Policy,
  type Tier,
} from './policy-terms.ts'

/** `new`: there was no policy. `other`: neither more nor less, but someone else. */
export type Effect = 'wider' | 'narrower' | 'same' | 'new' | 'other'

/** Limits that may be off. */
type Limit = 'periodSeconds' | PeriodCap | 'tiers'

/** As text: amounts in base units, tiers as JSON. Null: there was no policy, or the limit is off. */
export type ValueRow = {
  field: Cap | Limit | 'expiresAt' | 'automaticEnabled' | 'paused' | 'executorAddress'
  from: string | null
  to: string | null
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

const LIMITS: readonly ValueField[] = ['periodSeconds', ...PERIOD_CAPS, 'tiers']

const FIELDS: readonly ValueField[] = [
  ...CAPS,
  ...LIMITS,
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

/** More of these allows less. A longer period lets the same cap through less often. */
const RESTRICTING: readonly ValueField[] = ['reserveFloor', 'paused', 'periodSeconds']

type Change = Pick<ValueRow, 'from' | 'to'>

function effectOf(field: ValueField, { from, to }: Change, isFirst: boolean): Effect {
  if (isFirst) return 'new'
  if (from === to) return 'same'
  if (field === 'tiers') return tiersEffect(tiersOf(from), tiersOf(to))
  // Without the limit there is no limit.
  if (from === null) return 'narrower'
  if (to === null) return 'wider'
  if (field === 'executorAddress') return same(from, to) ? 'same' : 'other'
  const [before, after] = [rank(field, from), rank(field, to)]
  if (before === after) return 'same'
  return after > before !== RESTRICTING.includes(field) ? 'wider' : 'narrower'
}

export const tiersOf = (text: string | null): readonly Tier[] =>
  text === null ? [] : (JSON.parse(text) as Tier[])

/** Wider as soon as any amount needs fewer signatures than before. */
function tiersEffect(before: readonly Tier[], after: readonly Tier[]): Effect {
  const [old, next] = [before, after].map((tiers) =>
    tiers.map(({ above, approvals }) => ({ above: BigInt(above), approvals })),
  )
  if (!old || !next) return 'same'
  // Between two thresholds the number does not change.
  const amounts = [1n, ...[...old, ...next].map(({ above }) => above + 1n)]
  const steps = amounts.map(
    (amount) => requiredApprovals(next, amount) - requiredApprovals(old, amount),
  )
  if (steps.some((step) => step < 0)) return 'wider'
  return steps.some((step) => step > 0) ? 'narrower' : 'same'
}

/** In one spelling, so that equal values are equal texts. */
function textOf(value: Policy[ValueField] | null): string | null {
  if (value === null) return null
  if (typeof value !== 'object') return String(value)
  if (value.length === 0) return null
  return JSON.stringify(value.map(({ above, approvals }) => ({ above, approvals })))
}

const same = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase()
const has = (list: readonly string[], one: string): boolean => list.some((each) => same(each, one))

/** `early`: recipients that a vault lists already, though it has no policy yet. */
export function differenceOf(
  before: Policy | null,
  after: Policy,
  early: readonly string[] = [],
): PolicyDifference {
  const values = FIELDS.map((field): ValueRow => {
    const [from, to] = [textOf(before?.[field] ?? null), textOf(after[field])]
    return { field, from, to, effect: effectOf(field, { from, to }, before === null) }
  })
  const list = (field: ListRow['field']): ListRow => {
    const none = field === 'recipientAddresses' ? early : []
    const [old, next] = [before?.[field] ?? none, after[field]]
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

/** Nothing but the list of recipients: the policy and what was signed under it stay. */
export const isRecipientsOnly = (difference: PolicyDifference): boolean =>
  isChanged(difference) &&
  difference.values.every(({ effect }) => effect === 'same') &&
  difference.lists.every(
    ({ field, added, removed }) =>
      field === 'recipientAddresses' || added.length + removed.length === 0,
  )

/** Only what changes, for lists that are long where nothing happens. */
export const changedOnly = ({ values, lists }: PolicyDifference): PolicyDifference => ({
  values: values.filter(({ effect }) => effect !== 'same'),
  lists: lists.filter(({ added, removed }) => added.length + removed.length > 0),
})

const equalLists = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((one) => has(b, one))

const CHANGE_NAMES = { approverAddresses: 'approvers', recipientAddresses: 'recipients' } as const

function statedChange(changes: PolicyChanges, field: ValueField): Change | null {
  const change = changes[field === 'executorAddress' ? 'executor' : field]
  return change && { from: textOf(change.from), to: textOf(change.to) }
}

/** Fields in which the service describes its own policy differently from what the page computed. */
export function disagreements(computed: PolicyDifference, stated: PolicyChanges): string[] {
  const isSame = (field: ValueField, from: string | null, to: string | null) =>
    effectOf(field, { from, to }, false) === 'same'
  const values = computed.values.filter(({ field, from, to }) => {
    const change = statedChange(stated, field)
    if (change === null) return !isSame(field, from, to)
    return (
      isSame(field, from, to) || !isSame(field, change.to, to) || !isSame(field, change.from, from)
    )
  })
  const lists = computed.lists.filter(({ field, added, removed }) => {
    const change = stated[CHANGE_NAMES[field]]
    return !equalLists(change.added, added) || !equalLists(change.removed, removed)
  })
  return [...values, ...lists].map(({ field }) => field)
}

/** The changes that a policy made when it was prepared, as the service states them. */
export function differenceFromChanges(changes: PolicyChanges): PolicyDifference {
  // Every policy names an executor, so only a first one had none to replace.
  const isFirst = changes.executor?.from === null
  const values = FIELDS.flatMap((field): ValueRow[] => {
    const change = statedChange(changes, field)
    return change ? [{ field, ...change, effect: effectOf(field, change, isFirst) }] : []
  })
  const lists = (['approverAddresses', 'recipientAddresses'] as const)
    .map((field): ListRow => ({ field, ...changes[CHANGE_NAMES[field]], kept: [] }))
    .filter(({ added, removed }) => added.length + removed.length > 0)
  return { values, lists }
}
