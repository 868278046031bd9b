/**
 * Which payments may be released without a signature, beyond what the policy's cap per payment
 * allows: sums over a rolling day and week, the age of the membership, and the member's own
 * wallet. The analysis reports them, and a reservation enforces them in its transaction. Pure.
 */
import type { AutomaticRules } from '#platform/config/limits.ts'

/** Live and confirmed automatic payments, without the one in question. Base units. */
export type AutomaticSums = {
  vault: bigint
  organization: bigint
  /** To the recipient, from this vault and from all vaults. */
  recipientFromVault: bigint
  recipient: bigint
}

/** By database time, which a stolen application login cannot change. */
export type AutomaticStanding = {
  day: AutomaticSums
  week: AutomaticSums
  /** The largest automatic cap of the organization's vaults. */
  organizationCap: bigint
  /** The shorter membership of submitter and author; null: one is not an active member. */
  memberForSeconds: number | null
  /** The recipient's address is, or once was, a wallet of the submitter or the author. */
  isOwnWallet: boolean
}

type Period = 'day' | 'week'
export type AutomaticSum = {
  period: Period
  scope: keyof AutomaticSums
  /** Includes the payment in question. */
  total: bigint
  limit: bigint
}

export type AutomaticQuestion = {
  standing: AutomaticStanding
  rules: AutomaticRules
  /** The cap per payment of the vault's policy. */
  automaticCap: bigint
  amount: bigint
}

const periods: readonly Period[] = ['day', 'week']

/** Every sum including this payment, and its limit. */
export function automaticSums(question: AutomaticQuestion): AutomaticSum[] {
  const { standing, rules, automaticCap, amount } = question
  const times = { day: BigInt(rules.dayTimes), week: BigInt(rules.weekTimes) }
  return periods.flatMap((period) => {
    const vault = automaticCap * times[period]
    const organization = standing.organizationCap * times[period]
    const share = (limit: bigint) => (limit * BigInt(rules.recipientPercent)) / 100n
    const limits: AutomaticSums = {
      vault,
      organization: organization > vault ? organization : vault,
      recipientFromVault: share(vault),
      recipient: share(organization > vault ? organization : vault),
    }
    const scopes = Object.keys(limits) as (keyof AutomaticSums)[]
    return scopes.map((scope) => ({
      period,
      scope,
      total: standing[period][scope] + amount,
      limit: limits[scope],
    }))
  })
}

export const isExceeded = ({ total, limit }: AutomaticSum): boolean => total > limit

const DAY_SECONDS = 86_400

export const isNewMember = ({ standing, rules }: AutomaticQuestion): boolean =>
  standing.memberForSeconds === null || standing.memberForSeconds < rules.afterDays * DAY_SECONDS

export const isOwnReimbursement = ({ standing, rules, amount }: AutomaticQuestion): boolean =>
  standing.isOwnWallet && amount > rules.reimbursementMax

export const scopeNames: Record<keyof AutomaticSums, string> = {
  vault: 'of this vault',
  organization: 'of the organization',
  recipientFromVault: 'of this vault to this recipient',
  recipient: 'of the organization to this recipient',
}

const describeSum = ({ period, scope, total, limit }: AutomaticSum): string =>
  `the automatic payments ${scopeNames[scope]} in a ${period} would be ${total} base units, ` +
  `and the limit is ${limit}`

/** Why the payment needs a signature; undefined when it may be released without one. */
export function automaticRefusal(question: AutomaticQuestion): string | undefined {
  const exceeded = automaticSums(question).find(isExceeded)
  const wayOut = 'Submit it in approved mode as a new revision.'
  if (exceeded) return `With this payment ${describeSum(exceeded)}. ${wayOut}`
  if (isNewMember(question)) {
    const days = question.rules.afterDays
    return `The submitter has been a member for less than ${days} days. ${wayOut}`
  }
  if (isOwnReimbursement(question)) return `It pays the submitter's own wallet. ${wayOut}`
  return undefined
}
