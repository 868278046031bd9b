/**
 * What the chain says about a payment that is about to be approved, read through the wallet's own
 * connection. Comparing the service's data with the service's data would miss a consistent lie.
 */
import type { PreparedApproval, ShownApproval } from '@countersign/client/approvals.ts'
import { chainPaymentIdOf } from '@countersign/proof/digest.ts'
import type { TypedData } from '@countersign/proof/typed-data.ts'
import { vaultAbi } from '@countersign/proof/vault-artifact.ts'
import { equal, type Finding, says } from '@countersign/proof/verify-evidence.ts'
import { type Address, decodeFunctionResult, encodeFunctionData, type Hex } from 'viem'
import { type VaultInCode, vaultInCode } from '../../wallet/vault-code.ts'
import type { WalletResult } from '../../wallet/wallets.ts'

/** The wallet's connection to the chain. */
export type ChainReader = {
  call(to: Address, data: Hex): Promise<WalletResult<Hex>>
  code(address: Address): Promise<WalletResult<Hex>>
}

/** What the vault's own list says about the recipient of the payment. */
type RecipientOnChain = {
  /** 0: the vault does not list it. */
  allowedFromSeconds: number
  isBlocked: boolean
  /** A vault pays neither its executor nor an approver. */
  hasRole: boolean
}

export type VaultFacts = {
  code: VaultInCode
  policyVersion: number
  isPaused: boolean
  approvedCap: bigint
  expiresAtSeconds: number
  recipient: RecipientOnChain
  isApproverAllowed: boolean
  isPaidAlready: boolean
  /** How many different approvers the vault asks for, for this amount. */
  requiredApprovals: number
  token: { symbol: string; decimals: number }
  /** Approvers may be contracts (ERC-1271). */
  isContractWallet: boolean
}

const tokenAbi = [
  {
    type: 'function',
    name: 'decimals',
    inputs: [],
    outputs: [{ name: '', type: 'uint8' }],
    stateMutability: 'view',
  },
  {
    type: 'function',
    name: 'symbol',
    inputs: [],
    outputs: [{ name: '', type: 'string' }],
    stateMutability: 'view',
  },
] as const

/** An ordinary account that delegates its code (EIP-7702) still signs with its key. */
const DELEGATION = '0xef0100'

class Unreadable extends Error {
  readonly result: WalletResult<never>
  constructor(result: WalletResult<never>) {
    super('The wallet did not answer')
    this.result = result
  }
}

const must = <Value>(result: WalletResult<Value>): Value => {
  if (!result.ok) throw new Unreadable(result)
  return result.value
}

async function readVault(
  reader: ChainReader,
  { shown, approver }: { shown: ShownApproval; approver: Address },
): Promise<VaultFacts | null> {
  const { vault, expense } = shown
  const address = vault.address as Address
  const code = vaultInCode(must(await reader.code(address)), { chainId: vault.chainId, address })
  if (!code) return null
  const ask = async (input: Parameters<typeof encodeFunctionData<typeof vaultAbi>>[0]) =>
    must(await reader.call(address, encodeFunctionData(input)))
  const versionData = await ask({ abi: vaultAbi, functionName: 'policyVersion' })
  const abi = vaultAbi
  const version = decodeFunctionResult({ abi, functionName: 'policyVersion', data: versionData })
  const paymentId = chainPaymentIdOf({
    chainId: vault.chainId,
    organizationHash: code.organizationHash,
    paymentId: expense.paymentId,
  })
  const recipient = expense.revision.recipientAddress as Address
  const amount = BigInt(expense.revision.amountBaseUnits)
  const [policyData, listed, required, approverData, roleData, paidData, token, own] =
    await Promise.all([
      ask({ abi, functionName: 'policy' }),
      ask({ abi, functionName: 'recipientOf', args: [recipient] }),
      ask({ abi, functionName: 'requiredApprovals', args: [amount] }),
      ask({ abi, functionName: 'isApprover', args: [version, approver] }),
      ask({ abi, functionName: 'isApprover', args: [version, recipient] }),
      ask({ abi, functionName: 'paymentExecuted', args: [paymentId] }),
      readToken(reader, vault.tokenAddress as Address),
      reader.code(approver),
    ])
  const policy = decodeFunctionResult({ abi, functionName: 'policy', data: policyData })
  const standing = decodeFunctionResult({ abi, functionName: 'recipientOf', data: listed })
  const isApprover = (data: Hex) => decodeFunctionResult({ abi, functionName: 'isApprover', data })
  const approverCode = must(own).toLowerCase()
  return {
    code,
    policyVersion: Number(version),
    isPaused: policy.paused,
    approvedCap: policy.approvedCap,
    expiresAtSeconds: Number(policy.expiresAt),
    recipient: {
      allowedFromSeconds: Number(standing.allowedFrom),
      isBlocked: standing.blocked,
      hasRole: isApprover(roleData) || policy.executor.toLowerCase() === recipient.toLowerCase(),
    },
    isApproverAllowed: isApprover(approverData),
    isPaidAlready: decodeFunctionResult({ abi, functionName: 'paymentExecuted', data: paidData }),
    requiredApprovals: Number(
      decodeFunctionResult({ abi, functionName: 'requiredApprovals', data: required }),
    ),
    token,
    isContractWallet: approverCode.length > 2 && !approverCode.startsWith(DELEGATION),
  }
}

async function readToken(reader: ChainReader, address: Address): Promise<VaultFacts['token']> {
  const abi = tokenAbi
  const [decimals, symbol] = await Promise.all([
    reader.call(address, encodeFunctionData({ abi, functionName: 'decimals' })),
    reader.call(address, encodeFunctionData({ abi, functionName: 'symbol' })),
  ])
  return {
    decimals: decodeFunctionResult({ abi, functionName: 'decimals', data: must(decimals) }),
    symbol: decodeFunctionResult({ abi, functionName: 'symbol', data: must(symbol) }),
  }
}

/** Null: at the address is no vault of ours. A failure: the wallet could not read the chain. */
export async function readVaultFacts(
  reader: ChainReader,
  about: { shown: ShownApproval; approver: Address },
): Promise<WalletResult<VaultFacts | null>> {
  try {
    return { ok: true, value: await readVault(reader, about) }
  } catch (error) {
    if (error instanceof Unreadable) return error.result
    const message = error instanceof Error ? error.message : String(error)
    return { ok: false, problem: 'failed', message }
  }
}

type Expected = {
  shown: ShownApproval
  token: { symbol: string; decimals: number; address: string }
  deadlineSeconds: number
  /** Milliseconds since 1970. */
  now: number
}

export const noVaultFinding = (address: string): Finding =>
  says('chain: vault code', false, `${address} is not a published vault`)

/** What was shown, against what the chain says. */
export function vaultFindings(
  facts: VaultFacts,
  { shown, token, deadlineSeconds, now }: Expected,
): Finding[] {
  const { code } = facts
  const amount = BigInt(shown.expense.revision.amountBaseUnits)
  return [
    says('chain: vault code', true, 'as published'),
    equal('chain: token', shown.vault.tokenAddress, code.token),
    equal('chain: token shown', token.address, code.token),
    equal('chain: token symbol', token.symbol, facts.token.symbol),
    equal('chain: token decimals', token.decimals, facts.token.decimals),
    equal('chain: policy version', shown.vault.policy?.version ?? 'none', facts.policyVersion),
    says('chain: not paused', !facts.isPaused, facts.isPaused ? 'paused' : 'in force'),
    says('chain: cap', amount <= facts.approvedCap, `at most ${facts.approvedCap}`),
    says(
      'chain: deadline',
      deadlineSeconds < facts.expiresAtSeconds,
      `before ${facts.expiresAtSeconds}`,
    ),
    ...recipientFindings(facts, now),
    equal('chain: signatures', shown.expense.requiredApprovals ?? 1, facts.requiredApprovals),
    says('chain: approver', facts.isApproverAllowed, 'in the policy'),
    says('chain: not paid', !facts.isPaidAlready, 'the vault pays an id once'),
  ]
}

function recipientFindings({ recipient }: VaultFacts, now: number): Finding[] {
  const { allowedFromSeconds, isBlocked, hasRole } = recipient
  const isAllowed = allowedFromSeconds > 0 && allowedFromSeconds * 1_000 <= now
  return [
    says(
      'chain: recipient',
      isAllowed,
      allowedFromSeconds === 0 ? 'not listed' : `allowed from ${allowedFromSeconds}`,
    ),
    says('chain: recipient not blocked', !isBlocked, isBlocked ? 'blocked' : 'not blocked'),
    says(
      'chain: recipient without a role',
      !hasRole,
      hasRole ? 'the executor or an approver' : 'neither executor nor approver',
    ),
  ]
}

/** The vault computes the digest of what is about to be signed; it must be the page's. */
export async function readDigest(
  reader: ChainReader,
  { vault, message }: { vault: Address; message: TypedData['message'] },
): Promise<WalletResult<Hex>> {
  const m = message as Record<keyof PreparedApproval['message'], string>
  const data = encodeFunctionData({
    abi: vaultAbi,
    functionName: 'approvalDigest',
    args: [
      m.approvalId as Hex,
      m.approver as Address,
      m.paymentId as Hex,
      m.recipient as Address,
      BigInt(m.amount),
      BigInt(m.policyVersion),
      m.reportHash as Hex,
      m.expenseVersionHash as Hex,
      BigInt(m.deadline),
    ],
  })
  return reader.call(vault, data)
}
