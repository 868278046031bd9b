/** A policy as people edit it, as the service takes it, and the way from one to the other. */
import type { BodyOf } from '@countersign/client/operation-types.ts'
import { editableAmount } from '@countersign/ui/amounts.ts'

type PrepareBody = BodyOf<'preparePolicy'>

/** Payments above an amount need several approvers. */
export type Tier = { above: string; approvals: number }

/** What an owner chooses. The page always states every limit, also one that is off. */
export type PolicyTerms = Pick<
  PrepareBody,
  | 'approvedCap'
  | 'automaticCap'
  | 'lifetimeCap'
  | 'reserveFloor'
  | 'expiresAt'
  | 'automaticEnabled'
  | 'paused'
> & {
  /** Null without a period, like both its caps. */
  periodSeconds: number | null
  periodCap: string | null
  automaticPeriodCap: string | null
  tiers: readonly Tier[]
}

/** Exactly what the service takes: it refuses fields of a whole policy. */
export const bodyOf = (terms: PolicyTerms): PrepareBody => ({
  approvedCap: terms.approvedCap,
  automaticCap: terms.automaticCap,
  lifetimeCap: terms.lifetimeCap,
  reserveFloor: terms.reserveFloor,
  periodSeconds: terms.periodSeconds,
  periodCap: terms.periodCap,
  automaticPeriodCap: terms.automaticPeriodCap,
  tiers: terms.tiers.length === 0 ? null : [...terms.tiers],
  expiresAt: terms.expiresAt,
  automaticEnabled: terms.automaticEnabled,
  paused: terms.paused,
})

/** What follows from the organization: its active executor, approvers and recipients. */
export type PolicyLists = {
  executorAddress: string
  approverAddresses: readonly string[]
  recipientAddresses: readonly string[]
}

export type Policy = PolicyTerms & PolicyLists

export const CAPS = ['approvedCap', 'automaticCap', 'lifetimeCap', 'reserveFloor'] as const
export type Cap = (typeof CAPS)[number]

export const PERIOD_CAPS = ['periodCap', 'automaticPeriodCap'] as const
export type PeriodCap = (typeof PERIOD_CAPS)[number]

export type TierForm = { above: string; approvals: string }

/** As typed. */
export type PolicyForm = Record<Cap | PeriodCap, string> & {
  /** Null without a period. */
  periodSeconds: number | null
  tiers: readonly TierForm[]
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
  | 'above_period'
  | 'below_automatic'
  | 'not_ascending'
  | 'too_few_people'
  | 'no_date'
  | 'past'

export type TierProblems = { above?: FieldProblem; approvals?: FieldProblem }

export type FormProblems = Partial<Record<Cap | PeriodCap | 'lastDay', FieldProblem>> & {
  /** By place, with nothing for a tier that is right. */
  tiers?: TierProblems[]
}

export type Units = { decimals: number; locale: string }

const DAY_MS = 86_400_000
const FIRST_DAYS = 30
const FIRST_APPROVED_CAP = 1_000n
const FIRST_LIFETIME_CAP = 10_000n
const RESERVE_SHARE = 10n
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
    periodSeconds: null,
    periodCap: null,
    automaticPeriodCap: null,
    tiers: [],
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
  const amount = (baseUnits: string | null) =>
    baseUnits === null ? '' : editableAmount(baseUnits, decimals, locale)
  return {
    approvedCap: amount(terms.approvedCap),
    automaticCap: amount(terms.automaticCap),
    lifetimeCap: amount(terms.lifetimeCap),
    reserveFloor: amount(terms.reserveFloor),
    periodSeconds: terms.periodSeconds,
    periodCap: amount(terms.periodCap),
    automaticPeriodCap: amount(terms.automaticPeriodCap),
    tiers: terms.tiers.map(({ above, approvals }) => ({
      above: amount(above),
      approvals: String(approvals),
    })),
    lastDay: localDay(new Date(terms.expiresAt)),
    automaticEnabled: terms.automaticEnabled,
    paused: terms.paused,
  }
}
