/** The way of a signature, step by step, without the page around it. */
import {
  checkApproval,
  isSignedBy,
  type PreparedApproval,
  type ShownApproval,
} from '@countersign/client/approvals.ts'
import type { Client } from '@countersign/client/client.ts'
import type { Failure } from '@countersign/client/errors.ts'
import type { TypedData } from '@countersign/proof/typed-data.ts'
import { equal, type Finding } from '@countersign/proof/verify-evidence.ts'
import type { Address, Hex } from 'viem'
import { type ApprovalHashes, approvalHashes } from '../../approval/approval-hashes.ts'
import type { LinkedApproval } from '../../approval/approval-link.ts'
import type { WalletProblem, WalletResult } from '../../wallet/wallets.ts'
import { type Asked, belongingFindings, foreignChecks } from './belonging.ts'
import { allHold, type Check, checksOf } from './checks.ts'
import { deadlineFinding } from './deadline.ts'
import { organizationFinding } from './known-organizations.ts'
import { type Change, chainNews, endOf } from './overtaken.ts'
import {
  type ChainReader,
  noVaultFinding,
  readDigest,
  readVaultFacts,
  type VaultFacts,
  vaultFindings,
} from './vault-facts.ts'

export type Prepared = {
  approval: PreparedApproval
  account: Address
  /** Computed here, never the service's. */
  typedData: TypedData
  linked: LinkedApproval
  hashes: ApprovalHashes
  checks: Check[]
  isContractWallet: boolean
  deadlineSeconds: number
}

export type Ended =
  | { at: 'expired' }
  /** `failure`: what the service refused it with. Null if the chain was ahead of it. */
  | { at: 'overtaken'; changes: Change[]; failure: Failure | null }
  | { at: 'failed'; failure: Failure }

export type Preparation =
  | { at: 'ready'; prepared: Prepared }
  | { at: 'refused'; checks: Check[] }
  | { at: 'wrong_account'; account: Address; approver: string }
  | { at: 'unreadable'; problem: WalletProblem; message: string }
  | Ended

const endedBy = (failure: Failure): Ended => {
  const end = endOf(failure)
  if (end === 'expired') return { at: 'expired' }
  return end === 'overtaken' ? { at: 'overtaken', changes: [], failure } : { at: 'failed', failure }
}

type Input = {
  /** From the address of the page. Everything that was read must belong to it. */
  asked: Asked
  client: Client
  reader: ChainReader
  shown: ShownApproval
  account: Address
  token: { symbol: string; decimals: number; address: string }
  storage?: Pick<Storage, 'getItem' | 'setItem'>
}

/** Asks the chain first: for a vault that is none, nothing is prepared at all. */
export async function prepareSigning(input: Input): Promise<Preparation> {
  const { client, reader, shown, account, asked } = input
  const foreign = foreignChecks(asked, shown)
  if (foreign) return { at: 'refused', checks: foreign }
  const read = await readVaultFacts(reader, { shown, approver: account })
  if (!read.ok) return { at: 'unreadable', problem: read.problem, message: read.message }
  const facts = read.value
  if (!facts) return { at: 'refused', checks: checksOf([noVaultFinding(shown.vault.address)]) }
  const changes = chainNews(shown.vault, facts)
  if (changes.length > 0) return { at: 'overtaken', changes, failure: null }
  const prepared = await client.call('prepareApproval', {
    path: asked,
    body: { expectedVersion: shown.expense.currentRevision },
  })
  if (!prepared.ok) return endedBy(prepared.failure)
  const { approverAddress } = prepared.data
  if (approverAddress.toLowerCase() !== account.toLowerCase()) {
    return { at: 'wrong_account', account, approver: approverAddress }
  }
  return checkPrepared(input, { approval: prepared.data, facts })
}

async function checkPrepared(
  { client, reader, shown, account, token, asked, storage }: Input,
  { approval, facts }: { approval: PreparedApproval; facts: VaultFacts },
): Promise<Preparation> {
  const now = client.transport.timers.now()
  const check = checkApproval(approval, {
    ...shown,
    approverAddress: account,
    organizationHash: facts.code.organizationHash,
    now,
  })
  const { typedData, digest } = check
  if (typedData === null || digest === null) {
    return { at: 'refused', checks: checksOf(check.findings) }
  }
  const linked = linkedOf(typedData)
  const hashes = approvalHashes(linked)
  const byVault = await readDigest(reader, { vault: linked.vault, message: typedData.message })
  if (!byVault.ok) return { at: 'unreadable', problem: byVault.problem, message: byVault.message }
  const deadlineSeconds = Number(typedData.message.deadline)
  const findings: Finding[] = [
    ...check.findings,
    ...belongingFindings(asked, shown),
    organizationFinding({ ...asked, organizationHash: facts.code.organizationHash }, storage),
    equal('hashes', digest, hashes.digest),
    deadlineFinding(shown.expense, { approvalId: approval.approvalId, deadlineSeconds, now }),
    ...vaultFindings(facts, { shown, token, deadlineSeconds, now }),
    equal('chain: digest', byVault.value, digest),
  ]
  const checks = checksOf(findings)
  if (!check.holds || !allHold(checks)) return { at: 'refused', checks }
  const { isContractWallet } = facts
  return {
    at: 'ready',
    prepared: {
      approval,
      account,
      typedData,
      linked,
      hashes,
      checks,
      isContractWallet,
      deadlineSeconds,
    },
  }
}

const linkedOf = ({ domain, message }: TypedData): LinkedApproval => ({
  chainId: domain.chainId,
  vault: domain.verifyingContract,
  message: message as LinkedApproval['message'],
})

const RECOVERY = -2

/** Some wallets write 0 or 1 for 27 or 28, which the vault would refuse. */
export function withUsualRecovery(signature: Hex): Hex {
  if (signature.length !== 2 + 65 * 2) return signature
  const last = signature.slice(RECOVERY)
  const usual = ({ '00': '1b', '01': '1c' } as Record<string, string>)[last] ?? last
  return `${signature.slice(0, RECOVERY)}${usual}` as Hex
}

export type Signature =
  | { at: 'signature'; signature: Hex }
  | { at: 'rejected'; problem: WalletProblem }
  /** By another key, or of something else. It goes nowhere. */
  | { at: 'wrong_signature' }

export async function askForSignature(
  prepared: Prepared,
  sign: (account: Address, typedData: TypedData) => Promise<WalletResult<Hex>>,
): Promise<Signature> {
  const { account, typedData, hashes, isContractWallet } = prepared
  const signed = await sign(account, typedData)
  if (!signed.ok) return { at: 'rejected', problem: signed.problem }
  const signature = withUsualRecovery(signed.value)
  const isGood =
    isContractWallet || (await isSignedBy(account, { digest: hashes.digest, signature }))
  return isGood ? { at: 'signature', signature } : { at: 'wrong_signature' }
}

/** Repeating an accepted signature returns its payment, so a lost answer can be asked for again. */
export async function submitSigned(
  client: Client,
  {
    asked,
    shown,
    prepared,
    signature,
  }: { asked: Asked; shown: ShownApproval; prepared: Prepared; signature: Hex },
): Promise<{ at: 'signed' } | Ended> {
  const submitted = await client.call('submitSignature', {
    path: asked,
    body: {
      expectedVersion: shown.expense.currentRevision,
      approvalId: prepared.approval.approvalId,
      signature,
    },
  })
  return submitted.ok ? { at: 'signed' } : endedBy(submitted.failure)
}
