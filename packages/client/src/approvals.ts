/**
 * Signs an approval, but only after recomputing everything that is signed from what the person was
 * shown. A service that was taken over could otherwise have another payment signed.
 */
import { canonicalHash, chainPaymentIdOf } from '@countersign/proof/digest.ts'
import { digestOf, signerOf, type TypedData, typedDataOf } from '@countersign/proof/typed-data.ts'
import { timestampToSeconds } from '@countersign/proof/values.ts'
import { equal, type Finding, says } from '@countersign/proof/verify-evidence.ts'
import { versionHashOf } from '@countersign/proof/version-hash.ts'
import type { DataOf } from './operation-types.ts'

export type PreparedApproval = DataOf<'prepareApproval'>

/** What a person sees before signing, as the API returned it. */
export type ShownApproval = {
  expense: DataOf<'getExpense'>
  vault: DataOf<'getVault'>
  report: DataOf<'getReport'>
}

/** What was shown, and what is known from elsewhere. */
export type ApprovalFacts = ShownApproval & {
  /** The wallet that will sign. */
  approverAddress: string
  /** The vault's own, read from the chain. Without it, the prepared one is taken on trust. */
  organizationHash?: string
  /** Milliseconds since 1970. */
  now: number
}

export type ApprovalCheck = {
  /** Sign only if this is true. */
  holds: boolean
  findings: Finding[]
  /** Computed here, for the wallet. Null if a field cannot be read. */
  typedData: TypedData | null
  digest: string | null
}

const lower = (text: string): string => text.toLowerCase()
const same = (one: string, other: string): boolean => lower(one) === lower(other)
const includes = (list: readonly string[], address: string): boolean =>
  list.some((one) => same(one, address))

/** Compares what the service prepared with what follows from the facts, field by field. */
export function checkApproval(prepared: PreparedApproval, facts: ApprovalFacts): ApprovalCheck {
  try {
    return check(prepared, facts)
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error)
    const findings = [says('every field can be read', false, detail)]
    return { holds: false, findings, typedData: null, digest: null }
  }
}

function check(prepared: PreparedApproval, facts: ApprovalFacts): ApprovalCheck {
  const content = contentOf(prepared, facts)
  const [typedData, digest] = [typedDataOf(content), digestOf(content)]
  const { domain, types, primaryType } = prepared
  const message: Record<string, unknown> = prepared.message
  const findings = [
    ...domainFindings(domain, typedData),
    ...Object.entries(typedData.message).map(([field, value]) =>
      equal(field, message[field], value),
    ),
    equal(
      'fields',
      Object.keys(message).sort().join(),
      Object.keys(typedData.message).sort().join(),
    ),
    equal(
      'types',
      canonicalHash({ types, primaryType }),
      canonicalHash({ types: typedData.types, primaryType: typedData.primaryType }),
    ),
    equal('digest', prepared.digest, digest),
    ...factFindings(facts),
    ...policyFindings(facts, content.deadlineSeconds),
  ]
  return { holds: findings.every(({ holds }) => holds), findings, typedData, digest }
}

const domainFindings = (stated: PreparedApproval['domain'], computed: TypedData): Finding[] =>
  (['name', 'version', 'chainId', 'verifyingContract'] as const).map((field) =>
    equal(`domain: ${field}`, stated[field], computed.domain[field]),
  )

/** Two values come from the service alone: the id of the approval, and its deadline. */
function contentOf(prepared: PreparedApproval, facts: ApprovalFacts) {
  const { expense, vault, report } = facts
  const { revision } = expense
  const organizationHash = facts.organizationHash ?? prepared.message.organizationHash ?? ''
  const { chainId } = vault
  const terms = {
    chainId,
    vaultAddress: lower(vault.address),
    tokenAddress: lower(vault.tokenAddress),
    recipientAddress: lower(revision.recipientAddress),
    amount: BigInt(revision.amountBaseUnits),
  }
  return {
    ...terms,
    approvalId: prepared.approvalId,
    approverAddress: lower(facts.approverAddress),
    organizationHash,
    chainPaymentId: chainPaymentIdOf({ chainId, organizationHash, paymentId: expense.paymentId }),
    policyVersion: vault.policy?.version ?? 0,
    reportHash: canonicalHash(report.output),
    expenseVersionHash: versionHashOf({
      ...terms,
      organizationId: expense.organizationId,
      expenseId: expense.id,
      revision: revision.revision,
      vaultId: revision.vaultId,
      requestedMode: revision.requestedMode,
      purpose: revision.purpose,
      attachments: (revision.attachments ?? []).map(({ sha256 }) => sha256),
      category: revision.category ?? null,
      reference: revision.reference ?? null,
      dueDate: revision.dueDate ?? null,
    }),
    deadlineSeconds: Number(prepared.message.deadline),
  }
}

/** The facts belong together. */
function factFindings({ expense, vault, report }: ApprovalFacts): Finding[] {
  return [
    equal('revision that was shown', expense.revision.revision, expense.currentRevision),
    equal('vault of the expense', vault.id, expense.revision.vaultId),
    equal('report of the expense', report.expenseId, expense.id),
    equal('report of the revision', report.expenseRevision, expense.currentRevision),
  ]
}

function policyFindings(
  { expense, vault, approverAddress, now }: ApprovalFacts,
  deadlineSeconds: number,
): Finding[] {
  const { policy } = vault
  if (!policy) return [says('policy', false, 'the vault has none')]
  const { amountBaseUnits, recipientAddress } = expense.revision
  const isInTime =
    deadlineSeconds * 1_000 > now && deadlineSeconds <= timestampToSeconds(policy.expiresAt)
  return [
    says(
      'approver in the policy',
      includes(policy.approverAddresses, approverAddress),
      approverAddress,
    ),
    says(
      'recipient in the policy',
      includes(policy.recipientAddresses, recipientAddress),
      recipientAddress,
    ),
    says(
      'amount within the policy',
      BigInt(amountBaseUnits) > 0n && BigInt(amountBaseUnits) <= BigInt(policy.approvedCap),
      `${amountBaseUnits} of at most ${policy.approvedCap}`,
    ),
    says('deadline ahead and within the policy', isInTime, String(deadlineSeconds)),
  ]
}

/** True for a signature by the approver's own key. A contract wallet's needs the chain. */
export const isSignedBy = async (
  approverAddress: string,
  { digest, signature }: { digest: string; signature: string },
): Promise<boolean> => (await signerOf(digest, signature)) === lower(approverAddress)
