/** Encodes calls to the vault and decodes its errors. Pure. */
import { uuidToBytes32 } from '@countersign/proof/digest.ts'
import type { ChainPolicy } from '@countersign/proof/execution.ts'
import { configOf } from '@countersign/proof/proposal-id.ts'
import { vaultAbi, vaultCreationCode } from '@countersign/proof/vault-artifact.ts'
import {
  type Address,
  concatHex,
  decodeErrorResult,
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  keccak256,
  numberToHex,
  parseAbiParameters,
} from 'viem'
import { type BlockCode, isBlockCode } from '#platform/block-codes.ts'
import type {
  PaymentOrder,
  PreparedTransaction,
  RecipientsChange,
  VaultTerms,
} from '#ports/chain.ts'
import type { ExhaustedPeriod, VaultCall } from '#ports/payment-node.ts'

/** Measured, with a margin; unused gas is not charged. See docs/VAULT.md. */
const GAS = {
  deployment: 7_000_000n,
  policy: 500_000n,
  recipients: 150_000n,
  /** Most in one transaction: 532 addresses, which must stay below EIP-7825's 16,777,216. */
  perListedAddress: 30_000n,
  deposit: 200_000n,
}
/** The base cost of a transaction. With call data the limit is too low to be mined. */
const UNMINABLE_GAS = 21_000n
/** With one signature: a third is used, the rest is for ERC-1271 approvers and expensive tokens. */
const PAYMENT_GAS = 450_000n
/** For each further signature. A contract that needs more to check one cannot approve payments. */
export const SIGNATURE_GAS = 250_000n

export function encodeDeployment({
  chainId,
  tokenAddress,
  ownerAddress,
  organizationHash,
  changeDelaySeconds,
}: VaultTerms & { chainId: number }): {
  transaction: PreparedTransaction
  constructorDataHash: string
} {
  const args = encodeAbiParameters(
    [{ type: 'address' }, { type: 'address' }, { type: 'bytes32' }, { type: 'uint32' }],
    [ownerAddress as Address, tokenAddress as Address, organizationHash as Hex, changeDelaySeconds],
  )
  const data = concatHex([vaultCreationCode, args])
  const gas = numberToHex(GAS.deployment)
  const transaction = { chainId, from: ownerAddress, to: null, data, value: '0x0', gas } as const
  return { transaction, constructorDataHash: keccak256(data) }
}

type OwnerCall = { chainId: number; vaultAddress: string; ownerAddress: string }

export function encodePolicy({
  expectedVersion,
  policy,
  recipients,
  ...call
}: OwnerCall & {
  expectedVersion: number
  policy: ChainPolicy
  recipients: RecipientsChange | null
}): PreparedTransaction {
  const terms = [BigInt(expectedVersion), configOf(policy)] as const
  const gas = policyGas(policy)
  if (recipients === null) {
    const configure = { abi: vaultAbi, functionName: 'configurePolicy', args: terms } as const
    return ownerTransaction(call, encodeFunctionData(configure), gas)
  }
  const data = encodeFunctionData({
    abi: vaultAbi,
    functionName: 'configurePolicyAndRecipients',
    args: [...terms, ...recipientArgs(recipients)],
  })
  return ownerTransaction(call, data, gas + recipientsGas(recipients))
}

export function encodeRecipients({
  chainId,
  vaultAddress,
  ownerAddress,
  ...change
}: OwnerCall & RecipientsChange): PreparedTransaction {
  const data = encodeFunctionData({
    abi: vaultAbi,
    functionName: 'changeRecipients',
    args: recipientArgs(change),
  })
  const gas = GAS.recipients + recipientsGas(change)
  return ownerTransaction({ chainId, vaultAddress, ownerAddress }, data, gas)
}

export function encodeActivation({
  vaultAddress,
  expectedVersion,
  policy,
}: {
  vaultAddress: string
  expectedVersion: number
  policy: ChainPolicy
}): VaultCall {
  const data = encodeFunctionData({
    abi: vaultAbi,
    functionName: 'activatePolicy',
    args: [BigInt(expectedVersion), configOf(policy)],
  })
  return { vaultAddress, data, gasLimit: policyGas(policy) }
}

const ownerTransaction = (
  { chainId, vaultAddress, ownerAddress }: OwnerCall,
  data: Hex,
  gas: bigint,
): PreparedTransaction => ({
  chainId,
  from: ownerAddress,
  to: vaultAddress,
  data,
  value: '0x0',
  gas: numberToHex(gas),
})

const recipientArgs = ({ expectedRecipientsVersion, add, remove }: RecipientsChange) =>
  [
    BigInt(expectedRecipientsVersion),
    add.map((address) => address as Address),
    remove.map((address) => address as Address),
  ] as const

const policyGas = ({ approverAddresses }: ChainPolicy): bigint =>
  GAS.policy + GAS.perListedAddress * BigInt(approverAddresses.length)

const recipientsGas = ({ add, remove }: RecipientsChange): bigint =>
  GAS.perListedAddress * BigInt(add.length + remove.length)

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
  const { vaultAddress, approvals, mode } = order
  if (approvals.length > 0 !== (mode === 'approved')) {
    throw new Error('A payment must have approvals exactly if its mode is approved')
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
  if (mode === 'automatic') {
    const call = { abi: vaultAbi, functionName: 'executeAutomatic', args: payment } as const
    return { vaultAddress, data: encodeFunctionData(call), gasLimit: PAYMENT_GAS }
  }
  const args = [...payment, encodeApprovals(approvals)] as const
  const data = encodeFunctionData({ abi: vaultAbi, functionName: 'executeApproved', args })
  const gasLimit = PAYMENT_GAS + SIGNATURE_GAS * BigInt(approvals.length - 1)
  return { vaultAddress, data, gasLimit }
}

const approvalsAbi = parseAbiParameters([
  'Approval[] approvals',
  'struct Approval { bytes32 approvalId; address approver; bytes signature; }',
])

/** `abi.encode(Approval[])`: one argument of bytes, so that the call's arguments stay flat. */
function encodeApprovals(approvals: PaymentOrder['approvals']): Hex {
  const isAscending = approvals.every(
    ({ approverAddress }, at) =>
      at === 0 || approverAddress > (approvals[at - 1]?.approverAddress ?? ''),
  )
  if (!isAscending) throw new Error('Approvals must ascend by approver, without repetition')
  return encodeAbiParameters(approvalsAbi, [
    approvals.map(({ approvalId, approverAddress, signature }) => ({
      approvalId: uuidToBytes32(approvalId),
      approver: approverAddress as Address,
      signature: signature as Hex,
    })),
  ])
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
  const name: string | undefined = decodeError(data)?.errorName
  if (name === 'Panic') return 'reverted'
  // The vault uses custom errors only, so text and unknown errors come from the token.
  if (name === undefined || name === 'Error' || LIBRARY_ERRORS.has(name)) return 'token_refused'
  if (name === 'AutomaticPeriodCapExceeded') return 'period_cap_exceeded'
  const code = name.replace(/(?<=[a-z])[A-Z]/g, '_$&').toLowerCase()
  return isBlockCode(code) ? code : 'reverted'
}

/** The period that a payment would exceed, from the vault's custom error. */
export function exhaustedPeriod(data: Hex): ExhaustedPeriod | undefined {
  const error = decodeError(data)
  if (error?.errorName !== 'PeriodCapExceeded' && error?.errorName !== 'AutomaticPeriodCapExceeded')
    return undefined
  const [, cap, endsAt] = error.args
  return { cap, endsAtSeconds: Number(endsAt) }
}

function decodeError(data: Hex) {
  try {
    return decodeErrorResult({ abi: vaultAbi, data })
  } catch {
    return undefined
  }
}
