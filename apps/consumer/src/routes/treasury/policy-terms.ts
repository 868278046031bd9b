/** A policy as people edit it, as the service takes it, and the way from one to the other. */
import type { BodyOf } from '@countersign/client/operation-types.ts'
import { editableAmount, parseAmount } from '@countersign/ui/amounts.ts'

/** What an owner chooses. */
export type PolicyTerms = BodyOf<'preparePolicy'>

/** What follows from the organization: its active executor, approvers and recipients. */
export type PolicyLists = {
  executorAddress: string
  approverAddresses: readonly string[]
  recipientAddresses: readonly string[]
}

export type Policy = PolicyTerms & PolicyLists

export const CAPS = ['approvedCap', 'automaticCap', 'lifetimeCap', 'reserveFloor'] as const
export type Cap = (typeof CAPS)[number]

/** As typed. */
export type PolicyForm = Record<Cap, string> & {
  /** The last whole day, in the person's own time zone. */
  lastDay: string
  automaticEnabled: boolean
  paused: boolean
}

export type FieldProblem =
  | 'empty'
  | 'not_a_number'
  | 'too_precise'
  | 'zero'
  | 'too_large'
  | 'above_approved'
  | 'above_lifetime'
  | 'below_spent'
  | 'no_date'
  | 'past'

export type FormProblems = Partial<Record<Cap | 'lastDay', FieldProblem>>

type Units = { decimals: number; locale: string }

const DAY_MS = 86_400_000
const FIRST_DAYS = 30
const FIRST_APPROVED_CAP = 1_000n
const FIRST_LIFETIME_CAP = 10_000n
const RESERVE_SHARE = 10n
/** The vault holds caps in 128 bits. */
const CAP_MAX = (1n << 128n) - 1n

const two = (value: number): string => value.toString().padStart(2, '0')

export const localDay = (at: Date): string =>
  `${at.getFullYear().toString().padStart(4, '0')}-${two(at.getMonth() + 1)}-${two(at.getDate())}`

/** The last second of the day. Null for what is no day. */
export function endOfDay(day: string): Date | null {
  const [, year, month, date] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(day) ?? []
  if (!year || !month || !date) return null
  const end = new Date(Number(year), Number(month) - 1, Number(date), 23, 59, 59)
  return localDay(end) === day ? end : null
}

const larger = (a: bigint, b: bigint): bigint => (a > b ? a : b)

/** For a vault without a policy: thirty days, only with signatures, a tenth of the balance stays. */
export function firstTerms(
  { balanceBaseUnits, decimals }: { balanceBaseUnits: string; decimals: number },
  now: Date,
): PolicyTerms {
  const unit = 10n ** BigInt(decimals)
  const balance = BigInt(balanceBaseUnits)
  const lastDay = endOfDay(localDay(new Date(now.getTime() + FIRST_DAYS * DAY_MS)))
  return {
    approvedCap: (FIRST_APPROVED_CAP * unit).toString(),
    automaticCap: '0',
    lifetimeCap: larger(FIRST_LIFETIME_CAP * unit, balance).toString(),
    reserveFloor: (balance / RESERVE_SHARE).toString(),
    expiresAt: (lastDay ?? now).toISOString(),
    automaticEnabled: false,
    paused: false,
  }
}

/** A new end for a policy that has ended or is about to. */
export const extendedFrom = (terms: PolicyTerms, now: Date): PolicyTerms =>
  new Date(terms.expiresAt) > now
    ? terms
    : {
        ...terms,
        expiresAt: firstTerms({ balanceBaseUnits: '0', decimals: 0 }, now).expiresAt,
      }

export function formOf(terms: PolicyTerms, { decimals, locale }: Units): PolicyForm {
  const amount = (cap: Cap) => editableAmount(terms[cap], decimals, locale)
  return {
    approvedCap: amount('approvedCap'),
    automaticCap: amount('automaticCap'),
    lifetimeCap: amount('lifetimeCap'),
    reserveFloor: amount('reserveFloor'),
    lastDay: localDay(new Date(terms.expiresAt)),
    automaticEnabled: terms.automaticEnabled,
    paused: terms.paused,
  }
}

const MAY_BE_ZERO: readonly Cap[] = ['automaticCap', 'reserveFloor']

type Context = Units & {
  now: Date
  /** The policy in force. Its end stays to the second if its day is not changed. */
  inForce: PolicyTerms | null
  spentTotal: string
}

export type ParsedForm =
  | { ok: true; terms: PolicyTerms; problems: FormProblems }
  | { ok: false; problems: FormProblems }

export function parseForm(form: PolicyForm, context: Context): ParsedForm {
  const problems: FormProblems = {}
  const amounts = new Map<Cap, bigint>()
  for (const cap of CAPS) {
    const parsed = parseAmount(form[cap], context.decimals, context.locale)
    if (parsed.ok) amounts.set(cap, BigInt(parsed.baseUnits))
    else if (parsed.problem === 'zero' && MAY_BE_ZERO.includes(cap)) amounts.set(cap, 0n)
    else problems[cap] = parsed.problem
    if ((amounts.get(cap) ?? 0n) > CAP_MAX) problems[cap] = 'too_large'
  }
  const value = (cap: Cap): bigint => amounts.get(cap) ?? 0n
  const isBelow = (cap: Cap, limit: Cap) =>
    !amounts.has(cap) || !amounts.has(limit) || value(cap) <= value(limit)
  if (!isBelow('automaticCap', 'approvedCap')) problems.automaticCap ??= 'above_approved'
  if (!isBelow('approvedCap', 'lifetimeCap')) problems.approvedCap ??= 'above_lifetime'
  if (amounts.has('lifetimeCap') && value('lifetimeCap') < BigInt(context.spentTotal)) {
    problems.lifetimeCap ??= 'below_spent'
  }
  const expiresAt = endOf(form.lastDay, context)
  if (expiresAt === null) problems.lastDay = 'no_date'
  else if (expiresAt <= context.now) problems.lastDay = 'past'
  if (expiresAt === null || Object.keys(problems).length > 0) return { ok: false, problems }
  const terms = {
    approvedCap: value('approvedCap').toString(),
    automaticCap: value('automaticCap').toString(),
    lifetimeCap: value('lifetimeCap').toString(),
    reserveFloor: value('reserveFloor').toString(),
    expiresAt: expiresAt.toISOString(),
    automaticEnabled: form.automaticEnabled,
    paused: form.paused,
  }
  return { ok: true, terms, problems }
}

function endOf(lastDay: string, { inForce }: Context): Date | null {
  const kept = inForce && new Date(inForce.expiresAt)
  return kept && localDay(kept) === lastDay ? kept : endOfDay(lastDay)
}
