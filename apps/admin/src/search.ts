/** What the addresses of lists may say after the question mark. Anything else is dropped. */
import * as v from 'valibot'

/** A number is text, too: the router reads `q=2026` as one. */
const words = v.pipe(
  v.union([v.string(), v.pipe(v.number(), v.transform(String))]),
  v.maxLength(200),
)
const text = v.optional(v.fallback(v.optional(words), undefined))
const isoDate = v.fallback(v.optional(v.pipe(v.string(), v.isoDate())), undefined)
const oneOf = <const Options extends readonly string[]>(options: Options) =>
  v.fallback(v.optional(v.picklist(options)), undefined)

const parsed =
  <Schema extends v.GenericSchema>(schema: Schema) =>
  (search: Record<string, unknown>): v.InferOutput<Schema> =>
    v.parse(schema, search)

export const signInSearch = parsed(v.object({ returnTo: text, problem: text }))
export const organizationsSearch = parsed(v.object({ q: text }))

export const SECTIONS = [
  'summary',
  'payments',
  'expenses',
  'approvals',
  'analyses',
  'people',
  'vaults',
  'executor',
  'cases',
  'trail',
  'proofs',
] as const
export type SectionId = (typeof SECTIONS)[number]

/** `about`: what was searched for, so that the page can say where it is. */
export const organizationSearch = parsed(v.object({ section: oneOf(SECTIONS), about: text }))

export const FAILURE_VIEWS = ['payments', 'attempts', 'analyses'] as const
export const failuresSearch = parsed(v.object({ view: oneOf(FAILURE_VIEWS) }))

/** Without one, the open cases are shown: a queue that empties. */
export const CASE_VIEWS = ['open', 'reopened', 'investigating', 'resolved', 'all'] as const
export const CASE_PRIORITIES = ['high', 'medium', 'low'] as const
export const CASE_SORTS = ['priority_desc', 'newest', 'oldest'] as const
export const casesSearch = parsed(
  v.object({
    status: oneOf(CASE_VIEWS),
    priority: oneOf(CASE_PRIORITIES),
    sort: oneOf(CASE_SORTS),
    page: v.fallback(
      v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(100_000))),
      undefined,
    ),
  }),
)

export const trailSearch = parsed(
  v.object({ actor: text, action: text, about: text, from: isoDate, to: isoDate }),
)
