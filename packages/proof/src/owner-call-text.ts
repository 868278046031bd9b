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
  withdraw: 'Withdraw to the owner',
  deposit: 'Deposit into the vault',
  emergencyPause: 'Stop all payments',
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

function callLines(call: OwnerCall, amount: (value: bigint) => string): string[] {
  switch (call.name) {
    case 'deployVault':
      return [
        'code: the published vault, byte for byte',
        `owner: ${call.owner}`,
        `token: ${call.token}`,
        `organization hash: ${call.organizationHash}`,
      ]
    case 'configurePolicy':
      return [`replaces version: ${call.expectedVersion}`, ...policyLines(call.policy, amount)]
    case 'withdraw':
    case 'deposit':
      return [`amount: ${amount(call.amount)}`]
    case 'approve':
      return [`spender: ${call.spender}`, `amount: ${amount(call.amount)}`]
    case 'invalidateApproval':
      return [`approval digest: ${call.digest}`]
    case 'emergencyPause':
      return []
  }
}

const policyLines = (policy: DecodedPolicy, amount: (value: bigint) => string): string[] => [
  `executor: ${policy.executor}`,
  `ends: ${utcOf(policy.expiresAt)} (${policy.expiresAt})`,
  `automatic payments: ${policy.automaticEnabled ? 'allowed' : 'not allowed'}`,
  `paused: ${policy.paused ? 'yes' : 'no'}`,
  `maximum per payment with a signature: ${amount(policy.approvedCap)}`,
  `maximum per payment without one: ${amount(policy.automaticCap)}`,
  `maximum over the life of the vault: ${amount(policy.lifetimeCap)}`,
  `must stay in the vault: ${amount(policy.reserveFloor)}`,
  `approvers: ${policy.approvers.length}`,
  ...policy.approvers.map((approver) => `  ${approver}`),
  `recipients: ${policy.recipients.length}`,
  ...policy.recipients.map((recipient) => `  ${recipient}`),
]
