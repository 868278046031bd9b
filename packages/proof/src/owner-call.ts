/**
 * Decodes what a transaction does to a vault, from the vault's ABI and artifact alone, so that a
 * person can read it before a wallet signs it. Pure, and free of Node's modules: it runs in a
 * browser. Refuses every transaction that it cannot decode completely.
 */
import {
  type Address,
  decodeAbiParameters,
  decodeFunctionData,
  encodeAbiParameters,
  encodeFunctionData,
  getAddress,
  type Hex,
  parseAbi,
  size,
  slice,
} from 'viem'
import { vaultAbi, vaultCreationCode } from './vault-artifact.ts'

export type OwnerTransaction = {
  /** Null when the input does not say: a legacy transaction without replay protection. */
  chainId: number | null
  from: Address | null
  /** Null for a deployment. */
  to: Address | null
  data: Hex
  value: bigint
}

/** Payments above an amount need several approvers. */
export type DecodedTier = { above: bigint; approvals: number }

/** A whole policy as the vault takes it; the lists in the order of the call. */
export type DecodedPolicy = {
  executor: Address
  expiresAt: bigint
  automaticEnabled: boolean
  paused: boolean
  approvedCap: bigint
  automaticCap: bigint
  lifetimeCap: bigint
  reserveFloor: bigint
  /** 0 without a period; then both period caps are 0. */
  periodSeconds: number
  periodCap: bigint
  automaticPeriodCap: bigint
  tiers: readonly DecodedTier[]
  approvers: readonly Address[]
}

type PolicyChange = { expectedVersion: bigint; policy: DecodedPolicy }

/** Removals come first, so an address in both lists stays listed and waits again. */
type RecipientsChange = {
  expectedRecipientsVersion: bigint
  add: readonly Address[]
  remove: readonly Address[]
}

export type OwnerCall =
  | {
      name: 'deployVault'
      owner: Address
      token: Address
      organizationHash: Hex
      changeDelaySeconds: number
    }
  | ({ name: 'configurePolicy' } & PolicyChange)
  | ({ name: 'configurePolicyAndRecipients' } & PolicyChange & RecipientsChange)
  | ({ name: 'activatePolicy' } & PolicyChange)
  | { name: 'veto'; proposalId: Hex }
  | ({ name: 'changeRecipients' } & RecipientsChange)
  | { name: 'blockRecipient' | 'unblockRecipient'; recipient: Address }
  | { name: 'revokeApprover'; approver: Address }
  | { name: 'emergencyPause' }
  | { name: 'unpause'; pauseNumber: bigint }
  | { name: 'invalidateApproval'; digest: Hex }
  | { name: 'deposit' | 'withdraw'; amount: bigint }
  /** Of any token but the vault's own. */
  | { name: 'rescue'; token: Address; amount: bigint }
  /** Of the token, before a deposit. */
  | { name: 'approve'; spender: Address; amount: bigint }

export type DecodedTransaction = { transaction: OwnerTransaction; call: OwnerCall }

/** The transaction is not one that an owner of a vault has a reason to sign. */
export class UndecodableTransaction extends Error {
  override readonly name = 'UndecodableTransaction'
}

const refuse = (message: string): never => {
  throw new UndecodableTransaction(message)
}

const tokenAbi = parseAbi(['function approve(address spender, uint256 amount) returns (bool)'])
const callAbi = [...vaultAbi, ...tokenAbi] as const

const CONSTRUCTOR = [
  { type: 'address' },
  { type: 'address' },
  { type: 'bytes32' },
  { type: 'uint32' },
] as const

export function decodeOwnerTransaction(transaction: OwnerTransaction): DecodedTransaction {
  if (transaction.value !== 0n) {
    refuse(`It sends ${transaction.value} wei. A vault takes no native currency.`)
  }
  const { to, data } = transaction
  return { transaction, call: to === null ? decodeDeployment(data) : decodeCall(data) }
}

/** The creation code must be the artifact byte for byte, and the arguments exactly four words. */
function decodeDeployment(data: Hex): OwnerCall {
  const length = size(vaultCreationCode)
  const isOurs =
    size(data) > length && slice(data, 0, length).toLowerCase() === vaultCreationCode.toLowerCase()
  if (!isOurs) refuse('It deploys code that is not the published vault.')
  const given = slice(data, length)
  try {
    const made = decodeAbiParameters(CONSTRUCTOR, given)
    requireSame(encodeAbiParameters(CONSTRUCTOR, made), given)
    const [owner, token, organizationHash, changeDelaySeconds] = made
    return { name: 'deployVault', owner, token, organizationHash, changeDelaySeconds }
  } catch (error) {
    if (error instanceof UndecodableTransaction) throw error
    return refuse('It deploys the vault with malformed arguments.')
  }
}

const requireSame = (encoded: Hex, data: Hex): void => {
  if (encoded.toLowerCase() === data.toLowerCase()) return
  refuse('Its data has bytes that the call does not use, or is not in the canonical ABI encoding.')
}

function decodeCall(data: Hex): OwnerCall {
  const decoded = parseCall(data)
  requireSame(encodeFunctionData({ abi: callAbi, ...decoded } as never), data)
  return toOwnerCall(decoded)
}

type ParsedCall = ReturnType<typeof parseCall>

function toOwnerCall(decoded: ParsedCall): OwnerCall {
  switch (decoded.functionName) {
    case 'configurePolicy':
    case 'activatePolicy': {
      const [expectedVersion, policy] = decoded.args
      return { name: decoded.functionName, expectedVersion, policy }
    }
    case 'configurePolicyAndRecipients': {
      const [expectedVersion, policy, expectedRecipientsVersion, add, remove] = decoded.args
      const recipients = { expectedRecipientsVersion, add, remove }
      return { name: decoded.functionName, expectedVersion, policy, ...recipients }
    }
    case 'changeRecipients': {
      const [expectedRecipientsVersion, add, remove] = decoded.args
      return { name: 'changeRecipients', expectedRecipientsVersion, add, remove }
    }
    case 'veto':
      return { name: 'veto', proposalId: decoded.args[0] }
    case 'blockRecipient':
    case 'unblockRecipient':
      return { name: decoded.functionName, recipient: decoded.args[0] }
    case 'revokeApprover':
      return { name: 'revokeApprover', approver: decoded.args[0] }
    case 'emergencyPause':
      return { name: 'emergencyPause' }
    case 'unpause':
      return { name: 'unpause', pauseNumber: decoded.args[0] }
    case 'invalidateApproval':
      return { name: 'invalidateApproval', digest: decoded.args[0] }
    case 'withdraw':
    case 'deposit':
      return { name: decoded.functionName, amount: decoded.args[0] }
    case 'rescue':
      return { name: 'rescue', token: decoded.args[0], amount: decoded.args[1] }
    case 'approve':
      return { name: 'approve', spender: decoded.args[0], amount: decoded.args[1] }
    default:
      return refuse(`It calls ${decoded.functionName}, which an owner never needs to sign.`)
  }
}

function parseCall(data: Hex) {
  try {
    return decodeFunctionData({ abi: callAbi, data })
  } catch {
    const selector = size(data) >= 4 ? slice(data, 0, 4) : data
    return refuse(
      `It calls ${selector}, which is not a function of a vault, or has malformed arguments.`,
    )
  }
}

/** Any letter case in, EIP-55 out. */
export const toAddress = (text: string): Address => getAddress(text.toLowerCase())
