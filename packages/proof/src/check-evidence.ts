/** Everything that `npm run verify` checks, and its verdict. */
import type { Evidence } from './evidence.ts'
import { type CheckedFile, fileFindings, filesNotGiven } from './evidence-files.ts'
import { type Pins, pinFindings, unchecked, unpinned } from './evidence-pins.ts'
import type { PaymentFacts, PaymentQuestion, PaymentWitness } from './payment-facts.ts'
import { type Finding, isSignedByKey, says, verifyEvidence } from './verify-evidence.ts'
import { comparableFacts, type PaidEvidence, verifyPaymentFacts } from './verify-payment-facts.ts'

export type EvidenceVerdict = 'verified' | 'consistent' | 'refused'

export type CheckedEvidence = {
  /** `consistent`: the bundle is consistent with itself; the chain was not checked. */
  verdict: EvidenceVerdict
  findings: Finding[]
  /** Identities taken from the bundle or the chain, because no pin states them. */
  unpinned: string[]
  unchecked: string[]
}

export type CheckOptions = {
  witnesses?: readonly PaymentWitness[]
  pins?: Pins
  /** Files that must be attachments of the revision. */
  files?: readonly CheckedFile[]
  /** Null: the payment's block must be one that the node calls finalized. */
  confirmations?: number | null
}

const isPaid = (evidence: Evidence): evidence is PaidEvidence => evidence.event !== null

/** Test what came from elsewhere with `isEvidence` first. Rejects when a witness cannot answer. */
export async function checkEvidence(
  evidence: Evidence,
  { witnesses = [], pins = {}, files = [], confirmations = null }: CheckOptions = {},
): Promise<CheckedEvidence> {
  const own = await verifyEvidence(evidence, { hasNode: witnesses.length > 0 })
  const isAsked = isPaid(evidence) && witnesses.length > 0
  const answers = isAsked ? await askAll(evidence, witnesses) : []
  const findings = [
    ...own,
    ...fileFindings(evidence, files),
    ...(isAsked ? chainFindings(evidence, answers, confirmations) : []),
    ...pinFindings(evidence, pins, answers[0]),
  ]
  const holds = findings.every((finding) => finding.holds)
  return {
    verdict: holds ? (isAsked ? 'verified' : 'consistent') : 'refused',
    findings,
    unpinned: unpinned(pins),
    unchecked: [...filesNotGiven(evidence, files), ...unchecked(evidence, pins, answers)],
  }
}

async function askAll(
  evidence: PaidEvidence,
  witnesses: readonly PaymentWitness[],
): Promise<PaymentFacts[]> {
  const question = await questionOf(evidence)
  return Promise.all(witnesses.map((witness) => witness.paymentFacts(question)))
}

async function questionOf(evidence: PaidEvidence): Promise<PaymentQuestion> {
  const { revision, payment, policy, recipient, approvals, event } = evidence
  const byKey = await Promise.all(approvals.map(isSignedByKey))
  return {
    chainId: revision.chainId,
    vaultAddress: revision.vaultAddress.toLowerCase(),
    tokenAddress: revision.tokenAddress.toLowerCase(),
    chainPaymentId: payment.chainPaymentId,
    transactionHash: event.transactionHash,
    policyTransactionHash: policy?.chainTransactionHash ?? null,
    policyVersion: policy?.version ?? 0,
    proposal: policy?.proposal ?? null,
    recipientAddress: revision.recipientAddress.toLowerCase(),
    recipientTransactionHash: recipient?.transactionHash ?? null,
    recipientsVersion: recipient?.recipientsVersion ?? 0,
    approverAddresses: approvals.map(({ approverAddress }) => approverAddress.toLowerCase()),
    contractSignatures: approvals
      .filter((_approval, index) => !byKey[index])
      .map(({ approverAddress, digest, signature }) => ({
        address: approverAddress.toLowerCase(),
        digest,
        signature,
      })),
  }
}

/** Of several nodes, the findings of the first that contradicts the evidence, if one does. */
function chainFindings(
  evidence: PaidEvidence,
  answers: readonly PaymentFacts[],
  confirmations: number | null,
): Finding[] {
  const judged = answers.map((facts) => verifyPaymentFacts(evidence, facts, { confirmations }))
  if (answers.length === 1) return judged.flat()
  const isAgreed = new Set(answers.map(comparableFacts)).size === 1
  const detail = isAgreed
    ? `all ${answers.length}`
    : 'query them one by one to see where they differ'
  const worst = judged.find((findings) => findings.some(({ holds }) => !holds)) ?? judged[0] ?? []
  return [...worst, says('chain: the nodes agree', isAgreed, detail)]
}
