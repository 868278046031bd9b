/**
 * Checks a payment's evidence against itself, offline: recomputes every hash from its fields and
 * compares each link with the one that names it. That the chain says the same is a matter of
 * `verify-payment-facts.ts`. Pure.
 */
import { canonicalHash, chainPaymentIdOf } from './digest.ts'
import type { Evidence } from './evidence.ts'
import { LOGGED_FIELDS } from './evidence-shape.ts'
import { digestOf, signerOf, typedDataOf } from './typed-data.ts'
import { timestampToSeconds, ZERO_ADDRESS } from './values.ts'
import { versionHashOf } from './version-hash.ts'

/** What the vault logs as the digest of a payment without a signature. */
const NO_DIGEST = `0x${'00'.repeat(32)}`

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
export const isSignedByKey = async (approval: NonNullable<Evidence['approval']>) =>
  (await signerOf(approval.digest, approval.signature)) === lower(approval.approverAddress)

/** `hasNode`: a contract's signature is left to the node, which alone can ask the contract. */
export async function verifyEvidence(
  evidence: Evidence,
  { hasNode = false }: { hasNode?: boolean } = {},
): Promise<Finding[]> {
  return [
    ...revisionFindings(evidence),
    ...policyFindings(evidence),
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
  const cap = mode === 'automatic' ? policy.automaticCap : policy.approvedCap
  const listed = policy.recipientAddresses.map(lower)
  return [
    says(
      'amount within the policy',
      BigInt(revision.amountBaseUnits) > 0n && BigInt(revision.amountBaseUnits) <= BigInt(cap),
      `${revision.amountBaseUnits} of at most ${cap} (${mode})`,
    ),
    says(
      'recipient in the policy',
      listed.includes(lower(revision.recipientAddress)),
      `one of ${listed.length}`,
    ),
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

async function approvalFindings(evidence: Evidence, hasNode: boolean): Promise<Finding[]> {
  const { approval, payment, policy } = evidence
  if (payment.mode === 'automatic') {
    return [
      says('no signature on an automatic payment', approval === null, 'the policy released it'),
    ]
  }
  if (!approval) return [says('signature', false, 'an approved payment without an approval')]
  const { revision, report } = evidence
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
  return [
    equal('digest from what was to be signed', approval.digest, digestOf(content)),
    equal(
      'what was shown to be signed',
      canonicalHash(approval.typedData),
      canonicalHash(typedDataOf(content)),
    ),
    ...(hasNode && !isByKey
      ? []
      : [
          says(
            "signature by the approver's key",
            isByKey,
            isByKey
              ? approval.approverAddress
              : 'not by that key; if the approver is a contract, check with --rpc',
          ),
        ]),
    says('approver in the policy', isApprover, approval.approverAddress),
  ]
}

/** What the vault was asked to do repeats the links above. */
function askedFindings({
  asked,
  revision,
  report,
  approval,
  payment,
  policy,
}: Evidence): Finding[] {
  return [
    equal('asked: payment id', asked.chainPaymentId, payment.chainPaymentId),
    equal('asked: vault', asked.vaultAddress, revision.vaultAddress),
    equal('asked: recipient', asked.recipientAddress, revision.recipientAddress),
    equal('asked: amount', asked.amountBaseUnits, revision.amountBaseUnits),
    equal('asked: mode', asked.mode, payment.mode),
    equal('asked: policy version', asked.policyVersion, policy?.version ?? 'none'),
    equal('asked: report', asked.reportHash, report.reportHash),
    equal('asked: revision', asked.expenseVersionHash, revision.versionHash),
    ...(approval
      ? [
          equal('asked: digest', asked.approvalDigest, approval.digest),
          equal('asked: approver', asked.approverAddress, approval.approverAddress),
        ]
      : [
          equal('asked: digest', asked.approvalDigest, NO_DIGEST),
          equal('asked: approver', asked.approverAddress, ZERO_ADDRESS),
        ]),
  ]
}

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
