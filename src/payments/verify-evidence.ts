/**
 * Checks a payment's evidence without asking anybody: every hash is computed again from what it is
 * said to be made of, and each link must be the one that the next names. Pure.
 */
import { versionHashOf } from '#expenses/expense.ts'
import { timestampToSeconds } from '#platform/clock.ts'
import { canonicalHash, chainPaymentIdOf } from '#platform/digest.ts'
import { digestOf, signerOf, typedDataOf } from '#platform/typed-data.ts'
import type { Evidence } from './evidence.ts'

export type Finding = { link: string; holds: boolean; detail: string }

const lower = (value: string): string => value.toLowerCase()
const equal = (link: string, stated: unknown, computed: unknown): Finding => ({
  link,
  holds: stated === computed,
  detail: stated === computed ? String(computed) : `stated ${stated}, computed ${computed}`,
})
const says = (link: string, holds: boolean, detail: string): Finding => ({ link, holds, detail })

export async function verifyEvidence(evidence: Evidence): Promise<Finding[]> {
  return [
    ...revisionFindings(evidence),
    ...policyFindings(evidence),
    ...(await approvalFindings(evidence)),
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

/** What the policy of that version allowed, as far as one payment shows it. */
function policyFindings({ policy, revision, payment, asked }: Evidence): Finding[] {
  if (!policy) return [says('policy', false, 'the policy of that version is not there')]
  const { mode } = payment
  const cap = mode === 'automatic' ? policy.automaticCap : policy.approvedCap
  const listed = policy.recipientAddresses.map(lower)
  return [
    equal('policy version', asked.policyVersion, policy.version),
    says(
      'amount within the policy',
      BigInt(revision.amountBaseUnits) <= BigInt(cap),
      `${revision.amountBaseUnits} of at most ${cap} (${mode})`,
    ),
    says(
      'recipient in the policy',
      listed.includes(lower(revision.recipientAddress)),
      `one of ${listed.length}`,
    ),
    says('deadline within the policy', payment.deadline <= policy.expiresAt, payment.deadline),
    ...(mode === 'automatic'
      ? [
          says('automatic payments allowed', policy.automaticEnabled, 'by the policy'),
          equal('automatic mode asked for', revision.requestedMode, 'automatic'),
        ]
      : []),
  ]
}

async function approvalFindings(evidence: Evidence): Promise<Finding[]> {
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
  const signer = await signerOf(approval.digest, approval.signature)
  const isApprover = policy?.approverAddresses.map(lower).includes(content.approverAddress) ?? false
  return [
    equal('digest from what was to be signed', approval.digest, digestOf(content)),
    equal(
      'what was shown to be signed',
      canonicalHash(approval.typedData),
      canonicalHash(typedDataOf(content)),
    ),
    says(
      "signature by the approver's key",
      signer === content.approverAddress,
      signer === content.approverAddress
        ? approval.approverAddress
        : 'not a plain key: a contract wallet must be asked on the chain',
    ),
    says('approver in the policy', isApprover, approval.approverAddress),
  ]
}

/** What the vault was asked names the links above, and no others. */
function askedFindings({ asked, revision, report, approval, payment }: Evidence): Finding[] {
  return [
    equal('asked: payment id', asked.chainPaymentId, payment.chainPaymentId),
    equal('asked: vault', asked.vaultAddress, revision.vaultAddress),
    equal('asked: recipient', asked.recipientAddress, revision.recipientAddress),
    equal('asked: amount', asked.amountBaseUnits, revision.amountBaseUnits),
    equal('asked: mode', asked.mode, payment.mode),
    equal('asked: report', asked.reportHash, report.reportHash),
    equal('asked: revision', asked.expenseVersionHash, revision.versionHash),
    ...(approval
      ? [
          equal('asked: digest', asked.approvalDigest, approval.digest),
          equal('asked: approver', asked.approverAddress, approval.approverAddress),
        ]
      : []),
  ]
}

function eventFindings({ asked, event, matches }: Evidence): Finding[] {
  if (!event) return [says("the vault's log", false, 'not paid yet, or not final')]
  const differing = Object.keys(asked).filter((key) => event[key] !== asked[key])
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
