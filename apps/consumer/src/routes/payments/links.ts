/** The eight links of a payment's evidence, from the findings of the verifier. */
import type { Evidence } from '@countersign/proof/evidence.ts'
import { shapeProblems } from '@countersign/proof/evidence-shape.ts'
import {
  type Finding,
  isSignedByKey,
  says,
  verifyEvidence,
} from '@countersign/proof/verify-evidence.ts'

/** Fails while a payment waits for signatures, which is no fault of its evidence. */
const ENOUGH = 'as many signatures as the amount needs'

const FINDINGS_OF = {
  asked: [
    'revision hash from its fields',
    'asked: revision',
    'asked: vault',
    'asked: recipient',
    'asked: amount',
  ],
  analysed: ['report hash from its output', 'asked: report'],
  reviewed: [],
  policy: [
    'policy',
    'amount within the policy',
    'amount within the period',
    'deadline within the policy',
    'automatic payments allowed',
    'automatic mode asked for',
    'asked: policy version',
  ],
  recipient: ['recipient allowed', 'recipient is not the executor'],
  signed: [
    'signature',
    ENOUGH,
    'approvers ascending, none twice',
    'first signature among all',
    'digest from what was to be signed',
    'what was shown to be signed',
    "signature by the approver's key",
    'approver in the policy',
    'asked: digests',
    'asked: approvers',
    'no signature on an automatic payment',
  ],
  executed: ['payment id on the chain from the payment', 'asked: payment id', 'asked: mode'],
  on_chain: ["the vault's log", "the vault's log says what was asked"],
} as const satisfies Record<string, readonly string[]>

export type LinkId = keyof typeof FINDINGS_OF
type LinkStatus =
  | 'holds'
  | 'fails'
  /** Not final yet. */
  | 'pending'
  /** Written in the audit trail, not hashed into the payment. */
  | 'recorded'

export type EvidenceLink = { id: LinkId; status: LinkStatus; findings: Finding[] }

export type CheckedLinks = {
  links: EvidenceLink[]
  verdict: 'holds' | 'pending' | 'fails'
  /** Approvers that signed as contracts, which only the chain can ask. Lower case. */
  contractApprovers: string[]
}

const IDS = Object.keys(FINDINGS_OF) as LinkId[]

function statusOf(id: LinkId, findings: readonly Finding[], isFinal: boolean): LinkStatus {
  if (id === 'reviewed') return 'recorded'
  if (id === 'on_chain' && !isFinal) return 'pending'
  if (id === 'signed' && !isFinal && isOnlyIncomplete(findings)) return 'pending'
  if (findings.length === 0 || findings.some(({ holds }) => !holds)) return 'fails'
  return id === 'executed' && !isFinal ? 'pending' : 'holds'
}

const isOnlyIncomplete = (findings: readonly Finding[]): boolean => {
  const failed = findings.filter(({ holds }) => !holds)
  return failed.length === 1 && failed[0]?.link === ENOUGH
}

const NAMED: ReadonlySet<string> = new Set(Object.values(FINDINGS_OF).flat())

/** What no link names, of a newer verifier, belongs to the execution: nothing is passed over. */
const belongsTo = (id: LinkId, { link }: Finding): boolean => {
  const names: readonly string[] = FINDINGS_OF[id]
  return names.includes(link) || (id === 'executed' && !NAMED.has(link))
}

/** Recomputes every hash here. The chain itself is asked by `npm run verify` with `--rpc`. */
export async function checkLinks(bundle: unknown): Promise<CheckedLinks> {
  const problems = shapeProblems(bundle)
  if (problems.length > 0) {
    const findings = problems.map((problem) => says('shape', false, problem))
    const links = IDS.map((id) => ({ id, status: 'fails' as const, findings: [] as Finding[] }))
    links[0] = { id: 'asked', status: 'fails', findings }
    return { links, verdict: 'fails', contractApprovers: [] }
  }
  const evidence = bundle as Evidence
  const found = await verifyEvidence(evidence, { hasNode: true })
  const isFinal = evidence.event !== null
  const links = IDS.map((id) => {
    const findings = found.filter((finding) => belongsTo(id, finding))
    return { id, status: statusOf(id, findings, isFinal), findings }
  })
  const hasFailed = links.some(({ status }) => status === 'fails')
  return {
    links,
    verdict: hasFailed ? 'fails' : isFinal ? 'holds' : 'pending',
    contractApprovers: await contractApproversOf(evidence),
  }
}

async function contractApproversOf({ approvals }: Evidence): Promise<string[]> {
  const byKey = await Promise.all(approvals.map(isSignedByKey))
  return approvals
    .filter((_, index) => !byKey[index])
    .map(({ approverAddress }) => approverAddress.toLowerCase())
}

export const failuresOf = ({ links }: CheckedLinks): string =>
  links
    .flatMap(({ findings }) => findings)
    .filter(({ holds }) => !holds)
    .map(({ link, detail }) => `${link}: ${detail}`)
    .join('\n')
