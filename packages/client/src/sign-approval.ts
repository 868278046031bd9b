/** The way of an approval: read and show, then prepare, check, sign and submit. */
import type { TypedData } from '@countersign/proof/typed-data.ts'
import type { Finding } from '@countersign/proof/verify-evidence.ts'
import {
  type ApprovalCheck,
  checkApproval,
  isSignedBy,
  type PreparedApproval,
  type ShownApproval,
} from './approvals.ts'
import type { Client } from './client.ts'
import type { Failure } from './errors.ts'
import type { DataOf } from './operation-types.ts'
import type { Result } from './result.ts'

/** Reads what a person must see before signing. Keep the objects: the check compares with them. */
export async function readForApproval(
  client: Client,
  { organizationId, expenseId }: { organizationId: string; expenseId: string },
): Promise<Result<ShownApproval>> {
  const path = { organizationId, expenseId }
  const expense = await client.call('getExpense', { path })
  if (!expense.ok) return expense
  const { vaultId, revision } = expense.data.revision
  const vault = await client.call('getVault', { path: { organizationId, vaultId } })
  if (!vault.ok) return vault
  const report = await client.call('getRevisionReport', { path: { ...path, revision } })
  if (!report.ok) return report
  return { ...expense, data: { expense: expense.data, vault: vault.data, report: report.data } }
}

export type SigningRequest = {
  /** What the person was shown. */
  shown: ShownApproval
  /** The wallet that will sign. */
  approverAddress: string
  /** The vault's own, read from the chain. */
  organizationHash?: string
  deadlineSeconds?: number
  /**
   * Asks the wallet, and rejects if the person declines. The typed data was computed here; the
   * check has the digest to compare with the wallet's display.
   */
  sign(typedData: TypedData, check: ApprovalCheck): Promise<string>
  /** Only the chain can check a contract wallet's signature (ERC-1271): the service does. */
  isContractWallet?: boolean
  signal?: AbortSignal
}

export type SigningResult =
  | { ok: true; payment: DataOf<'submitSignature'> }
  /** A request failed. Nothing was submitted, unless `isSigned`. */
  | { ok: false; reason: 'failed'; failure: Failure; isSigned: boolean }
  /** What the service prepared is not what was shown. Nothing was signed; tell support. */
  | { ok: false; reason: 'mismatch'; findings: Finding[] }
  /** The wallet declined. */
  | { ok: false; reason: 'not_signed'; cause: unknown }
  /** The wallet signed with another key, or something else. Nothing was submitted. */
  | { ok: false; reason: 'wrong_signature' }

export async function signApproval(
  client: Client,
  request: SigningRequest,
): Promise<SigningResult> {
  const { shown, approverAddress, organizationHash, deadlineSeconds, signal } = request
  const { id: expenseId, organizationId, currentRevision } = shown.expense
  const prepared = await client.call('prepareApproval', {
    path: { organizationId, expenseId },
    body: {
      expectedVersion: currentRevision,
      ...(deadlineSeconds === undefined ? {} : { deadlineSeconds }),
    },
    ...(signal ? { signal } : {}),
  })
  if (!prepared.ok) return failed(prepared.failure, false)
  const check = checkApproval(prepared.data, {
    ...shown,
    approverAddress,
    ...(organizationHash === undefined ? {} : { organizationHash }),
    now: client.transport.timers.now(),
  })
  return signPrepared(client, request, { prepared: prepared.data, check })
}

const failed = (failure: Failure, isSigned: boolean): SigningResult => ({
  ok: false,
  reason: 'failed',
  failure,
  isSigned,
})

async function signPrepared(
  client: Client,
  { shown, approverAddress, sign, isContractWallet, signal }: SigningRequest,
  { prepared, check }: { prepared: PreparedApproval; check: ApprovalCheck },
): Promise<SigningResult> {
  const { typedData, digest, findings } = check
  if (!check.holds || typedData === null || digest === null) {
    return { ok: false, reason: 'mismatch', findings }
  }
  let signature: string
  try {
    signature = await sign(typedData, check)
  } catch (cause) {
    return { ok: false, reason: 'not_signed', cause }
  }
  const isGood = isContractWallet || (await isSignedBy(approverAddress, { digest, signature }))
  if (!isGood) return { ok: false, reason: 'wrong_signature' }
  const { id: expenseId, organizationId, currentRevision } = shown.expense
  const submitted = await client.call('submitSignature', {
    path: { organizationId, expenseId },
    body: { expectedVersion: currentRevision, approvalId: prepared.approvalId, signature },
    ...(signal ? { signal } : {}),
  })
  return submitted.ok ? { ok: true, payment: submitted.data } : failed(submitted.failure, true)
}
