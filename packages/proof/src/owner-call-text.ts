/** A decoded transaction in words and human units. Pure, and free of Node's modules. */
import { formatUnits } from 'viem'
import type { DecodedPolicy, DecodedTransaction, OwnerCall } from './owner-call.ts'

export type TokenUnits = { symbol: string; decimals: number }

/** The service's vaults hold USDC. */
const USDC: TokenUnits = { symbol: 'USDC', decimals: 6 }
const UNLIMITED = (1n << 256n) - 1n

const two = (value: bigint): string => value.toString().padStart(2, '0')

/** Unix seconds in UTC, for every number that the vault can hold (`Date` ends before). */
export function utcOf(seconds: bigint): string {
  const days = seconds / 86_400n
  const rest = seconds % 86_400n
  // Days since 0000-03-01, so that a leap day ends a year.
  const shifted = days + 719_468n
  const era = shifted / 146_097n
  const dayOfEra = shifted % 146_097n
  const yearOfEra = (dayOfEra - dayOfEra / 1_460n + dayOfEra / 36_524n - dayOfEra / 146_096n) / 365n
  const dayOfYear = dayOfEra - (365n * yearOfEra + yearOfEra / 4n - yearOfEra / 100n)
  const month = (5n * dayOfYear + 2n) / 153n
  const day = dayOfYear - (153n * month + 2n) / 5n + 1n
  const isNextYear = month >= 10n
  const year = yearOfEra + era * 400n + (isNextYear ? 1n : 0n)
  const date = `${year.toString().padStart(4, '0')}-${two(isNextYear ? month - 9n : month + 3n)}`
  const time = `${two(rest / 3_600n)}:${two((rest % 3_600n) / 60n)}:${two(rest % 60n)}`
  return `${date}-${two(day)}T${time}Z`
}

const amountIn =
  ({ symbol, decimals }: TokenUnits) =>
  (amount: bigint): string =>
    amount === UNLIMITED
      ? 'UNLIMITED'
      : `${formatUnits(amount, decimals)} ${symbol} (${amount} base units)`

const TITLES: Record<OwnerCall['name'], string> = {
  deployVault: 'Deploy a vault',
  configurePolicy: "Replace the vault's whole policy",
  configurePolicyAndRecipients: "Replace the vault's whole policy and change its recipients",
  activatePolicy: 'Put a policy that has waited into force',
  veto: 'Void the policy that waits',
  changeRecipients: 'Change who may be paid',
  blockRecipient: 'Stop payments to an address',
  unblockRecipient: 'Allow payments to a blocked address again',
  revokeApprover: 'Take an approver out of the policy in force',
  withdraw: 'Withdraw to the owner',
  deposit: 'Deposit into the vault',
  rescue: 'Send another token from the vault to the owner',
  emergencyPause: 'Stop all payments',
  unpause: 'Lift the pause',
  invalidateApproval: 'Invalidate an approval',
  approve: 'Allow a contract to spend tokens',
}

/** One line for each field, nothing left out. */
export function describeOwnerCall(
  { transaction, call }: DecodedTransaction,
  units: TokenUnits = USDC,
): string[] {
  const { chainId, to, from } = transaction
  return [
    `${TITLES[call.name]} (${call.name})`,
    `chain: ${chainId ?? 'not stated: valid on any chain'}`,
    ...(from ? [`from: ${from}`] : []),
    ...(to ? [`${call.name === 'approve' ? 'token' : 'vault'}: ${to}`] : []),
    ...callLines(call, amountIn(units)),
  ]
}

type InUnits = (value: bigint) => string

function callLines(call: OwnerCall, amount: InUnits): string[] {
  switch (call.name) {
    case 'deployVault':
      return [
        'code: the published vault, byte for byte',
        `owner: ${call.owner}`,
        `token: ${call.token}`,
        `organization hash: ${call.organizationHash}`,
        `changes wait: ${delayText(call.changeDelaySeconds)}`,
      ]
    case 'configurePolicy':
    case 'activatePolicy':
      return [`replaces version: ${call.expectedVersion}`, ...policyLines(call.policy, amount)]
    case 'configurePolicyAndRecipients':
      return [
        `replaces version: ${call.expectedVersion}`,
        ...policyLines(call.policy, amount),
        ...recipientLines(call),
      ]
    case 'changeRecipients':
      return recipientLines(call)
    case 'veto':
      return [`proposal: ${call.proposalId}`]
    case 'blockRecipient':
    case 'unblockRecipient':
      return [`recipient: ${call.recipient}`]
    case 'revokeApprover':
      return [`approver: ${call.approver}`]
    case 'unpause':
      return [`pause number: ${call.pauseNumber}`]
    case 'withdraw':
    case 'deposit':
      return [`amount: ${amount(call.amount)}`]
    case 'rescue':
      // Another token has its own decimals, which the transaction does not say.
      return [`token: ${call.token}`, `amount: ${call.amount} base units of that token`]
    case 'approve':
      return [`spender: ${call.spender}`, `amount: ${amount(call.amount)}`]
    case 'invalidateApproval':
      return [`approval digest: ${call.digest}`]
    case 'emergencyPause':
      return []
  }
}

const delayText = (seconds: number): string =>
  seconds === 0 ? 'no, they take effect at once' : durationText(seconds)

const UNITS = [
  [86_400, 'day'],
  [3_600, 'hour'],
  [60, 'minute'],
] as const

const counted = (count: number, name: string): string => `${count} ${name}${count === 1 ? '' : 's'}`

/** Exact: `90000 seconds (1 day, 1 hour)`. */
export function durationText(seconds: number): string {
  let rest = seconds
  const parts = UNITS.flatMap(([length, name]) => {
    const count = Math.floor(rest / length)
    rest -= count * length
    return count === 0 ? [] : [counted(count, name)]
  })
  if (parts.length === 0) return counted(seconds, 'second')
  const all = rest === 0 ? parts : [...parts, counted(rest, 'second')]
  return `${counted(seconds, 'second')} (${all.join(', ')})`
}

const policyLines = (policy: DecodedPolicy, amount: InUnits): string[] => [
  `executor: ${policy.executor}`,
  `ends: ${utcOf(policy.expiresAt)} (${policy.expiresAt})`,
  `automatic payments: ${policy.automaticEnabled ? 'allowed' : 'not allowed'}`,
  `paused: ${policy.paused ? 'yes' : 'no'}`,
  `maximum per payment with a signature: ${amount(policy.approvedCap)}`,
  `maximum per payment without one: ${amount(policy.automaticCap)}`,
  `maximum over the life of the vault: ${amount(policy.lifetimeCap)}`,
  `must stay in the vault: ${amount(policy.reserveFloor)}`,
  ...periodLines(policy, amount),
  `approvals: ${policy.tiers.length === 0 ? '1 for every amount' : '1'}`,
  ...policy.tiers.map(
    ({ above, approvals }) => `  above ${amount(above)}: ${approvals} different approvers`,
  ),
  `approvers: ${policy.approvers.length}`,
  ...policy.approvers.map((approver) => `  ${approver}`),
]

/** Caps of no period are shown if the call has any: the vault would refuse it. */
function periodLines(policy: DecodedPolicy, amount: InUnits): string[] {
  const { periodSeconds, periodCap, automaticPeriodCap } = policy
  const isOff = periodSeconds === 0 && periodCap === 0n && automaticPeriodCap === 0n
  if (isOff) return ['spending period: none']
  return [
    `spending period: ${durationText(periodSeconds)}`,
    `maximum per period: ${amount(periodCap)}`,
    `maximum per period without a signature: ${amount(automaticPeriodCap)}`,
  ]
}

function recipientLines(call: Extract<OwnerCall, { add: readonly string[] }>): string[] {
  return [
    `replaces list of recipients: ${call.expectedRecipientsVersion}`,
    `recipients added: ${call.add.length}`,
    ...call.add.map((recipient) => `  ${recipient}`),
    `recipients removed: ${call.remove.length}`,
    ...call.remove.map((recipient) => `  ${recipient}`),
  ]
}
