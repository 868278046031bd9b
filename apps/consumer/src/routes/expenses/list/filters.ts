/** From what the address says to what the service is asked, and back. Pure. */

import type { ExpenseState } from '@countersign/app-kit/words/states.ts'
import type { CallInput } from '@countersign/client/operation-types.ts'
import { parseAmount } from '@countersign/ui/amounts.ts'
import type { EXPENSE_VIEWS, expensesSearch } from '../../../search.ts'

export type Search = ReturnType<typeof expensesSearch>
export type View = (typeof EXPENSE_VIEWS)[number]
export type Query = NonNullable<CallInput<'listExpenses'>['query']>

export const DEFAULT_VIEW: View = 'all'

export const IN_PROGRESS = [
  'analysis_queued',
  'analyzing',
  'needs_review',
  'revision_requested',
  'awaiting_approval',
  'approved_ready_for_payment',
  'automatic_ready_for_payment',
  'executing',
  'reconciling',
  'blocked',
] as const satisfies readonly ExpenseState[]

/** The states that the filter offers. States with one word are one choice. */
export const STATE_CHOICES = {
  draft: ['draft'],
  analysis: ['analysis_queued', 'analyzing'],
  needs_review: ['needs_review'],
  revision_requested: ['revision_requested'],
  awaiting_approval: ['awaiting_approval'],
  ready: ['approved_ready_for_payment', 'automatic_ready_for_payment'],
  executing: ['executing'],
  reconciling: ['reconciling'],
  blocked: ['blocked'],
  paid: ['paid'],
  rejected: ['rejected'],
  cancelled: ['cancelled'],
} as const satisfies Record<string, readonly ExpenseState[]>

export type StateChoice = keyof typeof STATE_CHOICES
const isStateChoice = (text: string | undefined): text is StateChoice =>
  text !== undefined && Object.hasOwn(STATE_CHOICES, text)

/** Without a state filter, null: all of them. */
export const viewStates = (view: View): readonly ExpenseState[] | null =>
  view === 'in-progress' ? IN_PROGRESS : view === 'paid' ? ['paid'] : null

/** Choices that can match something in the view. */
export const stateChoicesIn = (view: View): StateChoice[] => {
  const states = viewStates(view)
  const all = Object.keys(STATE_CHOICES) as StateChoice[]
  return all.filter(
    (choice) => states === null || STATE_CHOICES[choice].some((state) => states.includes(state)),
  )
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const idOf = (text: string | undefined) => (text && UUID.test(text) ? text : undefined)

/** Amounts stand in the address with a point, in every language. */
export const amountOf = (text: string | undefined, decimals: number): string | undefined => {
  if (text === undefined) return undefined
  const parsed = parseAmount(text, decimals, 'en')
  return parsed.ok ? parsed.baseUnits : undefined
}

type Asking = { accountId: string; decimals: number }

/** What does not make sense is left out, rather than asked and refused. */
export function queryOf(search: Search, { accountId, decimals }: Asking): Query {
  const view = search.view ?? DEFAULT_VIEW
  const chosen = isStateChoice(search.state) ? STATE_CHOICES[search.state] : null
  const state = chosen ?? viewStates(view)
  const submitter = view === 'mine' ? accountId : idOf(search.submitter)
  const words = search.q?.trim().slice(0, 100)
  const query: Query = {
    ...(state && { state: [...state] }),
    ...(view === 'needs-me' && { waitingFor: 'me' as const }),
    ...(submitter && { submitterAccountId: submitter }),
    ...(idOf(search.recipient) && { recipientId: search.recipient }),
    ...(search.category && search.category.length <= 40 && { category: search.category }),
    ...(search.from && { from: search.from }),
    ...(search.to && { to: search.to }),
    ...(words && /[\p{L}\p{N}]/u.test(words) && { q: words }),
  }
  const minAmount = amountOf(search.min, decimals)
  const maxAmount = amountOf(search.max, decimals)
  return { ...query, ...(minAmount && { minAmount }), ...(maxAmount && { maxAmount }) }
}

/** The filters that are set besides the view. */
const FILTERS = [
  'q',
  'state',
  'recipient',
  'submitter',
  'category',
  'from',
  'to',
  'min',
  'max',
] as const
export type Filter = (typeof FILTERS)[number]

export const filtersIn = (search: Search): Filter[] =>
  FILTERS.filter((name) => search[name] !== undefined && search[name] !== '')

/** The service's export takes dates; whatever else is filtered, it does not know. */
export const isOnlyDates = (search: Search): boolean =>
  (search.view ?? DEFAULT_VIEW) === 'all' &&
  filtersIn(search).every((name) => name === 'from' || name === 'to')

/** Another view keeps the filters, except a state that it never shows and a submitter of its own. */
export function inView(search: Search, view: View): Search {
  const keepsState = isStateChoice(search.state) && stateChoicesIn(view).includes(search.state)
  return {
    ...search,
    view: view === DEFAULT_VIEW ? undefined : view,
    state: keepsState ? search.state : undefined,
    submitter: view === 'mine' ? undefined : search.submitter,
  }
}
