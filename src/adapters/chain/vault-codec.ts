/** Encodes calls to the vault, and decodes its logs and errors. Pure. */
import { uuidToBytes32 } from '@countersign/proof/digest.ts'
import type { ChainPolicy } from '@countersign/proof/execution.ts'
import { vaultAbi, vaultCreationCode } from '@countersign/proof/vault-artifact.ts'
import {
  type Address,
  concatHex,
  decodeErrorResult,
  decodeEventLog,
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  keccak256,
  numberToHex,
} from 'viem'
import { type BlockCode, isBlockCode } from '#platform/block-codes.ts'
import type { PaymentOrder, PreparedTransaction, VaultEvent } from '#ports/chain.ts'
import type { VaultCall } from '#ports/payment-node.ts'

/** Measured, with a margin; unused gas is not charged. See docs/VAULT.md. */
const GAS = {
  deployment: 4_000_000n,
  policy: 400_000n,
  perListedAddress: 40_000n,
  deposit: 200_000n,
}
/** The base cost of a transaction. With call data the limit is too low to be mined. */
const UNMINABLE_GAS = 21_000n
/** A payment uses a third of it. The rest is for ERC-1271 approvers and expensive tokens. */
export const PAYMENT_GAS = 400_000n

const lower = (hex: string): string => hex.toLowerCase()
const lowered = (addresses: readonly string[]): string[] => addresses.map(lower)

type EncodedLog = { topics: readonly Hex[]; data: Hex }

/** Undefined for a log of another contract and for events that the service ignores. */
export function decodeVaultEvent({ topics, data }: EncodedLog): VaultEvent | undefined {
  const [signature, ...rest] = topics
  if (signature === undefined) return undefined
  try {
    const log = decodeEventLog({ abi: vaultAbi, topics: [signature, ...rest], data, strict: true })
    return toEvent(log)
  } catch {
    return undefined
  }
}

type DecodedLog = ReturnType<typeof decodeEventLog<typeof vaultAbi>>

function toEvent(log: DecodedLog): VaultEvent | undefined {
  switch (log.eventName) {
    case 'VaultCreated':
      return {
        name: 'VaultCreated',
        ownerAddress: lower(log.args.owner),
        tokenAddress: lower(log.args.token),
        organizationHash: log.args.organizationHash,
      }
    case 'PolicyConfigured':
      return {
        name: 'PolicyConfigured',
        version: Number(log.args.version),
        policy: toPolicy(log.args.config),
      }
    case 'EmergencyPaused':
      return {
        name: 'EmergencyPaused',
        version: Number(log.args.version),
        by: lower(log.args.by),
      }
    case 'ApprovalInvalidated':
      return {
        name: 'ApprovalInvalidated',
        digest: log.args.digest,
        invalidator: lower(log.args.invalidator),
      }
    case 'PaymentExecuted':
      return {
        name: 'PaymentExecuted',
        chainPaymentId: log.args.paymentId,
        recipientAddress: lower(log.args.recipient),
        mode: log.args.mode === 0 ? 'approved' : 'automatic',
        amount: log.args.amount,
        policyVersion: Number(log.args.policyVersion),
        reportHash: log.args.reportHash,
        expenseVersionHash: log.args.expenseVersionHash,
        approvalDigest: log.args.approvalDigest,
        approverAddress: lower(log.args.approver),
        spentTotal: log.args.spentTotal,
      }
    default:
      return undefined
  }
}

type ConfigArgs = {
  executor: Address
  expiresAt: bigint
  automaticEnabled: boolean
  paused: boolean
  approvedCap: bigint
  automaticCap: bigint
  lifetimeCap: bigint
  reserveFloor: bigint
  approvers: readonly Address[]
  recipients: readonly Address[]
}

const toPolicy = (config: ConfigArgs): ChainPolicy => ({
  executorAddress: lower(config.executor),
  expiresAtSeconds: Number(config.expiresAt),
  automaticEnabled: config.automaticEnabled,
  paused: config.paused,
  approvedCap: config.approvedCap,
  automaticCap: config.automaticCap,
  lifetimeCap: config.lifetimeCap,
  reserveFloor: config.reserveFloor,
  approverAddresses: lowered(config.approvers),
  recipientAddresses: lowered(config.recipients),
})

export function encodeDeployment({
  chainId,
  tokenAddress,
  ownerAddress,
  organizationHash,
}: {
  chainId: number
  tokenAddress: string
  ownerAddress: string
  organizationHash: string
}): { transaction: PreparedTransaction; constructorDataHash: string } {
  const args = encodeAbiParameters(
    [{ type: 'address' }, { type: 'address' }, { type: 'bytes32' }],
    [ownerAddress as Address, tokenAddress as Address, organizationHash as Hex],
  )
  const data = concatHex([vaultCreationCode, args])
  const gas = numberToHex(GAS.deployment)
  const transaction = { chainId, from: ownerAddress, to: null, data, value: '0x0', gas } as const
  return { transaction, constructorDataHash: keccak256(data) }
}

export function encodePolicy({
  chainId,
  vaultAddress,
  ownerAddress,
  expectedVersion,
  policy,
}: {
  chainId: number
  vaultAddress: string
  ownerAddress: string
  expectedVersion: number
  policy: ChainPolicy
}): PreparedTransaction {
  const config: ConfigArgs = {
    executor: policy.executorAddress as Address,
    expiresAt: BigInt(policy.expiresAtSeconds),
    automaticEnabled: policy.automaticEnabled,
    paused: policy.paused,
    approvedCap: policy.approvedCap,
    automaticCap: policy.automaticCap,
    lifetimeCap: policy.lifetimeCap,
    reserveFloor: policy.reserveFloor,
    approvers: policy.approverAddresses as Address[],
    recipients: policy.recipientAddresses as Address[],
  }
  const data = encodeFunctionData({
    abi: vaultAbi,
    functionName: 'configurePolicy',
    args: [BigInt(expectedVersion), config],
  })
  const listed = policy.approverAddresses.length + policy.recipientAddresses.length
  const gas = numberToHex(GAS.policy + GAS.perListedAddress * BigInt(listed))
  return { chainId, from: ownerAddress, to: vaultAddress, data, value: '0x0', gas }
}

export function encodeDeposit({
  chainId,
  vaultAddress,
  from,
  amount,
}: {
  chainId: number
  vaultAddress: string
  from: string
  amount: bigint
}): PreparedTransaction {
  const data = encodeFunctionData({ abi: vaultAbi, functionName: 'deposit', args: [amount] })
  return { chainId, from, to: vaultAddress, data, value: '0x0', gas: numberToHex(GAS.deposit) }
}

export function encodeWithdrawalProbe({
  vaultAddress,
  amount,
}: {
  vaultAddress: string
  amount: bigint
}): VaultCall {
  const data = encodeFunctionData({ abi: vaultAbi, functionName: 'withdraw', args: [amount] })
  return { vaultAddress, data, gasLimit: UNMINABLE_GAS }
}

export function encodePayment(order: PaymentOrder): VaultCall {
  const { vaultAddress, approval, mode } = order
  if ((approval !== null) !== (mode === 'approved')) {
    throw new Error('A payment must have an approval exactly if its mode is approved')
  }
  const payment = [
    order.chainPaymentId as Hex,
    order.recipientAddress as Address,
    order.amount,
    BigInt(order.policyVersion),
    order.reportHash as Hex,
    order.expenseVersionHash as Hex,
    BigInt(order.deadlineSeconds),
  ] as const
  if (approval === null) {
    const call = { abi: vaultAbi, functionName: 'executeAutomatic', args: payment } as const
    return { vaultAddress, data: encodeFunctionData(call), gasLimit: PAYMENT_GAS }
  }
  const { approvalId, approverAddress, signature } = approval
  const signed = [uuidToBytes32(approvalId), approverAddress as Address, signature as Hex] as const
  const call = { functionName: 'executeApproved', args: [...payment, ...signed] } as const
  const data = encodeFunctionData({ abi: vaultAbi, ...call })
  return { vaultAddress, data, gasLimit: PAYMENT_GAS }
}

/** Errors of OpenZeppelin libraries in the vault. Only the token can cause them. */
const LIBRARY_ERRORS = new Set([
  'SafeERC20FailedOperation',
  'ReentrancyGuardReentrantCall',
  'InvalidShortString',
  'StringTooLong',
])

/** The API's block code for a reverted payment, from the vault's custom error. */
export function refusalCode(data: Hex): BlockCode {
  if (data === '0x') return 'reverted'
  const name = errorName(data)
  if (name === 'Panic') return 'reverted'
  // The vault uses custom errors only, so text and unknown errors come from the token.
  if (name === undefined || name === 'Error' || LIBRARY_ERRORS.has(name)) return 'token_refused'
  const code = name.replace(/(?<=[a-z])[A-Z]/g, '_$&').toLowerCase()
  return isBlockCode(code) ? code : 'reverted'
}

function errorName(data: Hex): string | undefined {
  try {
    return decodeErrorResult({ abi: vaultAbi, data }).errorName
  } catch {
    return undefined
  }
}
