/** The type of a check, and the wording that all checks share. */
import { timestampToSeconds } from '@countersign/proof/values.ts'
import { TOKEN_DECIMALS } from '#platform/token.ts'
import type { Facts } from './facts.ts'

export type Outcome = 'pass' | 'warn' | 'fail'

/** In the order in which the report lists them. */
export const checkIds = [
  'policy_present',
  'policy_in_force',
  'approved_cap',
  'automatic_enabled',
  'automatic_cap',
  'lifetime_cap',
  'promised',
  'balance',
  'reserve_floor',
  'recipient_in_policy',
  'executor',
  'vault_usable',
  'automatic_day',
  'automatic_week',
  'automatic_recipient',
  'new_member',
  'own_reimbursement',
  'recipient_active',
  'recipient_known',
  'first_payment',
  'look_alike',
  'own_wallet',
  'duplicate_payment',
  'duplicate_purpose',
  'split_payment',
  'unusual_for_recipient',
  'unusual_for_submitter',
  'velocity',
  'duplicate_receipt',
  'duplicate_reference',
  'receipt_missing',
  'due_date_past',
  'weak_purpose',
  'hidden_instructions',
  'hidden_characters',
  'encoded_text',
  'identifiers',
  'markup',
] as const

export type CheckId = (typeof checkIds)[number]
export type CheckResult = { id: CheckId; outcome: Outcome; detail: string }
/** Pure: equal facts give equal results. The detail is one sentence with its figures. */
export type Check = (facts: Facts) => CheckResult

type Verdict = Pick<CheckResult, 'outcome' | 'detail'>

export const pass = (detail: string): Verdict => ({ outcome: 'pass', detail })
export const warn = (detail: string): Verdict => ({ outcome: 'warn', detail })
export const fail = (detail: string): Verdict => ({ outcome: 'fail', detail })

export const check =
  (id: CheckId, judge: (facts: Facts) => Verdict): Check =>
  (facts) => ({ id, ...judge(facts) })

const ONE_USDC = 10n ** BigInt(TOKEN_DECIMALS)

const DECIMALS_MIN = 2

/** Exact, and as people write amounts: 4,600.00 USDC. */
export function money(amount: bigint): string {
  const size = amount < 0n ? -amount : amount
  const whole = (size / ONE_USDC).toString().replace(/\B(?=(?:\d{3})+$)/g, ',')
  const digits = (size % ONE_USDC).toString().padStart(TOKEN_DECIMALS, '0')
  const shown = digits.replace(/0+$/, '').padEnd(DECIMALS_MIN, '0')
  return `${amount < 0n ? '-' : ''}${whole}.${shown} USDC`
}

export const dayOf = (timestamp: string): string => timestamp.slice(0, 10)

export const DAY_SECONDS = 86_400

/** Whole seconds from one timestamp to another; negative when the second is earlier. */
export const secondsBetween = (from: string, to: string): number =>
  timestampToSeconds(to) - timestampToSeconds(from)

export const count = (amount: number, one: string, many = `${one}s`): string =>
  `${amount} ${amount === 1 ? one : many}`
