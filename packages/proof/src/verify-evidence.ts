/**
 * Checks a payment's evidence against itself, offline: recomputes every hash from its fields and
 * compares each link with the one that names it. That the chain says the same is a matter of
 * `verify-payment-facts.ts`. Pure.
 */
import { canonicalHash, chainPaymentIdOf } from './digest.ts'
import type { Evidence, EvidenceApproval, EvidencePolicy } from './evidence.ts'
import { LOGGED_FIELDS } from './evidence-shape.ts'
import { requiredApprovals } from './execution.ts'
import { digestOf, signerOf, typedDataOf } from './typed-data.ts'
import { timestampToSeconds } from './values.ts'
import { versionHashOf } from './version-hash.ts'

export type Finding = { link: string; holds: boolean; detail: string }

const lower = (value: string): string => value.toLowerCase()

/** Compares text case-insensitively: addresses may be checksummed. */
const comparable = (value: unknown): string => lower(String(value))

export const equal = (link: string, stated: unknown, computed: unknown): Finding => {
  const holds = comparable(stated) === comparable(computed)
  return {
    link,
    holds,
    detail: holds ? String(computed) : `stated ${stated}, computed ${computed}`,
  }
}
export const says = (link: string, holds: boolean, detail: string): Finding => ({
  link,
  holds,
  detail,
})

/** Not signed with a key of the approver's: only a contract could have taken it (ERC-1271). */
export const isSignedByKey = async (approval: EvidenceApproval): Promise<boolean> =>
  (await signerOf(approval.digest, approval.signature)) === lower(approval.approverAddress)

/** `hasNode`: a contract's signature is left to the node, which alone can ask the contract. */
export async function verifyEvidence(
  evidence: Evidence,
  { hasNode = false }: { hasNode?: boolean } = {},
): Promise<Finding[]> {
  return [
    ...revisionFindings(evidence),
    ...policyFindings(evidence),
    ...recipientFindings(evidence),
    ...(await approvalFindings(evidence, hasNode)),
    ...askedFindings(evidence),
    ...eventFindings(evidence),
  ]
}

function revisionFindings({ revision, report, payment }: Evidence): Finding[] {
  const { organizationHash } = payment
  return [
    equal(
      'revision hash from its fields',
      revision.versionHash,
      versionHashOf({
        ...revision,
        vaultAddress: lower(revision.vaultAddress),
        tokenAddress: lower(revision.tokenAddress),
        recipientAddress: lower(revision.recipientAddress),
        amount: BigInt(revision.amountBaseUnits),
        attachments: (revision.attachments ?? []).map(({ sha256 }) => sha256),
      }),
    ),
    equal('report hash from its output', report.reportHash, canonicalHash(report.output)),
    equal(
      'payment id on the chain from the payment',
      payment.chainPaymentId,
      chainPaymentIdOf({ chainId: revision.chainId, organizationHash, paymentId: payment.id }),
    ),
  ]
}

/** The payment against the policy as the bundle states it. */
function policyFindings({ policy, revision, payment }: Evidence): Finding[] {
  if (!policy) return [says('policy', false, 'the policy of that version is not there')]
  const { mode } = payment
  const amount = BigInt(revision.amountBaseUnits)
  const cap = mode === 'automatic' ? policy.automaticCap : policy.approvedCap
  return [
    says(
      'amount within the policy',
      amount > 0n && amount <= BigInt(cap),
      `${amount} of at most ${cap} (${mode})`,
    ),
    ...periodFindings(policy, amount, mode),
    says(
      'deadline within the policy',
      timestampToSeconds(payment.deadline) <= timestampToSeconds(policy.expiresAt),
      payment.deadline,
    ),
    ...(mode === 'automatic'
      ? [
          says('automatic payments allowed', policy.automaticEnabled, 'by the policy'),
          equal('automatic mode asked for', revision.requestedMode, 'automatic'),
        ]
      : []),
  ]
}

/** One payment alone must fit into a period; what else was paid in it, only a node knows. */
function periodFindings(
  policy: EvidencePolicy,
  amount: bigint,
  mode: 'approved' | 'automatic',
): Finding[] {
  if (policy.periodSeconds === 0) return []
  const cap = mode === 'automatic' ? policy.automaticPeriodCap : policy.periodCap
  const isWithin = amount <= BigInt(cap) && amount <= BigInt(policy.periodCap)
  const detail = `${amount} of at most ${cap} in ${policy.periodSeconds} seconds (${mode})`
  return [says('amount within the period', isWithin, detail)]
}

/** Approvers may have lost their role before the payment, so only a node can compare with them. */
function recipientFindings({ recipient, revision, policy, payment }: Evidence): Finding[] {
  const link = 'recipient allowed'
  if (!recipient) return [says(link, false, 'the log that allowed the recipient is not there')]
  const { allowedFrom, recipientsVersion } = recipient
  const executor = policy ? lower(policy.executorAddress) : ''
  return [
    says(
      link,
      timestampToSeconds(allowedFrom) <= timestampToSeconds(payment.deadline),
      `from ${allowedFrom}, by list ${recipientsVersion}`,
    ),
    says(
      'recipient is not the executor',
      lower(revision.recipientAddress) !== executor,
      revision.recipientAddress,
    ),
  ]
}

async function approvalFindings(evidence: Evidence, hasNode: boolean): Promise<Finding[]> {
  const { approval, approvals, payment } = evidence
  if (payment.mode === 'automatic') {
    const isUnsigned = approval === null && approvals.length === 0
    return [says('no signature on an automatic payment', isUnsigned, 'the policy released it')]
  }
  if (!approval) return [says('signature', false, 'an approved payment without an approval')]
  const each = approvals.map((one) => signatureFindings(evidence, one, hasNode))
  return [...countFindings(evidence, approval), ...(await Promise.all(each)).flat()]
}

/** Exactly as many approvers as the amount needs, ascending as the vault takes them. */
function countFindings(
  { approvals, policy, revision }: Evidence,
  first: EvidenceApproval,
): Finding[] {
  const tiers = (policy?.tiers ?? []).map(({ above, approvals: count }) => ({
    above: BigInt(above),
    approvals: count,
  }))
  const needed = requiredApprovals(tiers, BigInt(revision.amountBaseUnits))
  const approvers = approvals.map(({ approverAddress }) => lower(approverAddress))
  const isAscending = approvers.every(
    (one, index) => index === 0 || one > (approvers[index - 1] ?? ''),
  )
  const isListed = approvals.some((one) => canonicalHash(one) === canonicalHash(first))
  return [
    says(
      'as many signatures as the amount needs',
      approvals.length === needed,
      `${approvals.length} of ${needed}`,
    ),
    says(
      'approvers ascending, none twice',
      isAscending,
      approvals.map(({ approverAddress }) => approverAddress).join(', '),
    ),
    says('first signature among all', isListed, first.id),
  ]
}

/** One signature: what it is over, whose it is, and whether the policy lists the signer. */
async function signatureFindings(
  { revision, report, payment, policy }: Evidence,
  approval: EvidenceApproval,
  hasNode: boolean,
): Promise<Finding[]> {
  const content = {
    chainId: revision.chainId,
    vaultAddress: lower(revision.vaultAddress),
    approvalId: approval.id,
    approverAddress: lower(approval.approverAddress),
    organizationHash: payment.organizationHash,
    chainPaymentId: payment.chainPaymentId,
    tokenAddress: lower(revision.tokenAddress),
    recipientAddress: lower(revision.recipientAddress),
    amount: BigInt(revision.amountBaseUnits),
    policyVersion: policy?.version ?? 0,
    reportHash: report.reportHash,
    expenseVersionHash: revision.versionHash,
    deadlineSeconds: timestampToSeconds(payment.deadline),
  }
  const isByKey = await isSignedByKey(approval)
  const isApprover = policy?.approverAddresses.map(lower).includes(content.approverAddress) ?? false
  const byKey = isByKey
    ? approval.approverAddress
    : `not by the key of ${approval.approverAddress}; if that is a contract, check with --rpc`
  return [
    equal('digest from what was to be signed', approval.digest, digestOf(content)),
    equal(
      'what was shown to be signed',
      canonicalHash(approval.typedData),
      canonicalHash(typedDataOf(content)),
    ),
    ...(hasNode && !isByKey ? [] : [says("signature by the approver's key", isByKey, byKey)]),
    says('approver in the policy', isApprover, approval.approverAddress),
  ]
}

/** What the vault was asked to do repeats the links above. */
function askedFindings({
  asked,
  revision,
  report,
  approvals,
  payment,
  policy,
}: Evidence): Finding[] {
  const digests = approvals.map(({ digest }) => digest)
  const approvers = approvals.map(({ approverAddress }) => approverAddress)
  return [
    equal('asked: payment id', asked.chainPaymentId, payment.chainPaymentId),
    equal('asked: vault', asked.vaultAddress, revision.vaultAddress),
    equal('asked: recipient', asked.recipientAddress, revision.recipientAddress),
    equal('asked: amount', asked.amountBaseUnits, revision.amountBaseUnits),
    equal('asked: mode', asked.mode, payment.mode),
    equal('asked: policy version', asked.policyVersion, policy?.version ?? 'none'),
    equal('asked: report', asked.reportHash, report.reportHash),
    equal('asked: revision', asked.expenseVersionHash, revision.versionHash),
    equal('asked: digests', listed(asked.approvalDigests), listed(digests)),
    equal('asked: approvers', listed(asked.approverAddresses), listed(approvers)),
  ]
}

const listed = (values: unknown): string =>
  Array.isArray(values) && values.length > 0 ? values.join(', ') : 'none'

function eventFindings({ asked, event, matches }: Evidence): Finding[] {
  if (!event) return [says("the vault's log", false, 'not paid yet, or not final')]
  const differing = LOGGED_FIELDS.filter((key) => comparable(event[key]) !== comparable(asked[key]))
  return [
    says(
      "the vault's log says what was asked",
      differing.length === 0 && matches,
      differing.length === 0
        ? `transaction ${event.transactionHash} in block ${event.blockNumber}`
        : `differs in ${differing.join(', ')}`,
    ),
  ]
}
