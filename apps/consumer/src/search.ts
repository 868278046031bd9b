/** What the addresses of lists may say after the question mark. Anything else is dropped. */
import * as v from 'valibot'

/** A number is text, too: the router reads `q=2026` as one. */
const words = v.pipe(
  v.union([v.string(), v.pipe(v.number(), v.transform(String))]),
  v.maxLength(200),
)
const text = v.optional(v.fallback(v.optional(words), undefined))
const isoDate = v.fallback(v.optional(v.pipe(v.string(), v.isoDate())), undefined)

const parsed =
  <Schema extends v.GenericSchema>(schema: Schema) =>
  (search: Record<string, unknown>): v.InferOutput<Schema> =>
    v.parse(schema, search)

export const signInSearch = parsed(v.object({ returnTo: text, problem: text }))

export const EXPENSE_VIEWS = ['needs-me', 'mine', 'in-progress', 'paid', 'all'] as const

export const expensesSearch = parsed(
  v.object({
    view: v.fallback(v.optional(v.picklist(EXPENSE_VIEWS)), undefined),
    q: text,
    state: text,
    recipient: text,
    submitter: text,
    category: text,
    from: isoDate,
    to: isoDate,
    min: text,
    max: text,
  }),
)

export const newExpenseSearch = parsed(v.object({ recipient: text, copy: text }))
export const activitySearch = parsed(v.object({ from: isoDate, to: isoDate }))
export const supportSearch = parsed(v.object({ expense: text, payment: text, request: text }))

export const auditSearch = parsed(
  v.object({ actor: text, action: text, about: text, from: isoDate, to: isoDate }),
)
