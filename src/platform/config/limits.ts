/** Limits of automatic payments, joining rules and quotas. Used by `config.ts`. */
import { choice, type Environment, integer, problem } from './values.ts'

/** When the analysis may release a payment without a signature. */
export type AutomaticRules = {
  /** How many times the policy's `automaticCap` may be paid in a rolling day. */
  dayTimes: number
  /** The same in a rolling week. */
  weekTimes: number
  /** One recipient's share of the day's and of the week's limit, in per cent. */
  recipientPercent: number
  /** Minimum days of membership. */
  afterDays: number
  /** Up to this amount a member's expense to their own wallet may be automatic. Base units. */
  reimbursementMax: bigint
}

export type Quotas = {
  /** Created by one account. */
  organizationsPerAccount: number
  serverWalletsPerAccount: number
  serverWalletsPerOrganization: number
  /** Provisionings, failed ones included: a provider may have created a wallet for each. */
  executorsPerOrganization: number
  /** Open at the same time. */
  invitationsPerOrganization: number
  /** All attachments together. */
  attachmentMibPerOrganization: number
  webhooksPerOrganization: number
}

export type LimitsConfig = {
  automatic: AutomaticRules
  /** `owner_confirms`: a person invited by a manager needs an owner's confirmation. */
  organizationJoin: 'open' | 'owner_confirms'
  quotas: Quotas
  /** An expense above this amount should have an attachment. Undefined: none needs one. */
  receiptRequiredAbove: bigint | undefined
}

/** The vault stores amounts in 128 bits. */
const AMOUNT_MAX = 2n ** 128n - 1n
const REIMBURSEMENT = 'REIMBURSEMENT_AUTOMATIC_MAX_BASE_UNITS'
const RECEIPT = 'RECEIPT_REQUIRED_ABOVE_BASE_UNITS'

export const readLimits = (env: Environment): LimitsConfig => ({
  automatic: readAutomatic(env),
  organizationJoin: choice(env, 'ORGANIZATION_JOIN', {
    options: ['open', 'owner_confirms'],
    fallback: 'open',
  }),
  quotas: readQuotas(env),
  receiptRequiredAbove: env[RECEIPT] ? readAmount(RECEIPT, env[RECEIPT]) : undefined,
})

function readAutomatic(env: Environment): AutomaticRules {
  const times = (name: string, fallback: number) =>
    integer(env, name, { fallback, min: 1, max: 1e6 })
  return {
    dayTimes: times('AUTOMATIC_DAY_TIMES', 10),
    weekTimes: times('AUTOMATIC_WEEK_TIMES', 40),
    recipientPercent: integer(env, 'AUTOMATIC_RECIPIENT_PERCENT', {
      fallback: 50,
      min: 1,
      max: 100,
    }),
    afterDays: integer(env, 'AUTOMATIC_AFTER_DAYS', { fallback: 7, min: 0, max: 3_650 }),
    reimbursementMax: readAmount(REIMBURSEMENT, env[REIMBURSEMENT] || '0'),
  }
}

function readAmount(name: string, value: string): bigint {
  const amount = /^(?:0|[1-9][0-9]{0,38})$/.test(value) ? BigInt(value) : -1n
  if (amount >= 0n && amount <= AMOUNT_MAX) return amount
  throw problem(
    `${name} must be a whole number from 0 to ${AMOUNT_MAX}, ` + `not ${JSON.stringify(value)}.`,
  )
}

function readQuotas(env: Environment): Quotas {
  const quota = (name: string, fallback: number) =>
    integer(env, name, { fallback, min: 1, max: 1e9 })
  return {
    organizationsPerAccount: quota('ORGANIZATIONS_PER_ACCOUNT', 20),
    serverWalletsPerAccount: quota('SERVER_WALLETS_PER_ACCOUNT', 20),
    serverWalletsPerOrganization: quota('SERVER_WALLETS_PER_ORGANIZATION', 50),
    executorsPerOrganization: quota('EXECUTORS_PER_ORGANIZATION', 10),
    invitationsPerOrganization: quota('INVITATIONS_PER_ORGANIZATION', 20),
    attachmentMibPerOrganization: quota('ATTACHMENT_MIB_PER_ORGANIZATION', 10_240),
    webhooksPerOrganization: quota('WEBHOOKS_PER_ORGANIZATION', 10),
  }
}
