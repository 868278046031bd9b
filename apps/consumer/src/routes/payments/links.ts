/** The seven links of a payment's evidence, from the findings of the verifier. */
import type { Evidence } from '@countersign/proof/evidence.ts'
import { shapeProblems } from '@countersign/proof/evidence-shape.ts'
import { type Finding, says, verifyEvidence } from '@countersign/proof/verify-evidence.ts'

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
    'recipient allowed',
    'recipient is not the executor',
    'deadline within the policy',
    'automatic payments allowed',
    'automatic mode asked for',
    'asked: policy version',
  ],
  signed: [
    'signature',
    'as many signatures as the amount needs',
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
  /** Signed by a contract, which only the chain can ask. */
  isByContract: boolean
}

const IDS = Object.keys(FINDINGS_OF) as LinkId[]

function statusOf(id: LinkId, findings: readonly Finding[], isFinal: boolean): LinkStatus {
  if (id === 'reviewed') return 'recorded'
  if (id === 'on_chain' && !isFinal) return 'pending'
  if (findings.length === 0 || findings.some(({ holds }) => !holds)) return 'fails'
  return id === 'executed' && !isFinal ? 'pending' : 'holds'
}

/** Recomputes every hash here. The chain itself is asked by `npm run verify` with `--rpc`. */
export async function checkLinks(bundle: unknown): Promise<CheckedLinks> {
  const problems = shapeProblems(bundle)
  if (problems.length > 0) {
    const findings = problems.map((problem) => says('shape', false, problem))
    const links = IDS.map((id) => ({ id, status: 'fails' as const, findings: [] as Finding[] }))
    links[0] = { id: 'asked', status: 'fails', findings }
    return { links, verdict: 'fails', isByContract: false }
  }
  const evidence = bundle as Evidence
  const found = await verifyEvidence(evidence, { hasNode: true })
  const isFinal = evidence.event !== null
  const links = IDS.map((id) => {
    const names: readonly string[] = FINDINGS_OF[id]
    const findings = found.filter(({ link }) => names.includes(link))
    return { id, status: statusOf(id, findings, isFinal), findings }
  })
  const byKey = found.filter(({ link }) => link.startsWith('signature by'))
  const isByContract = byKey.length < evidence.approvals.length
  const hasFailed = links.some(({ status }) => status === 'fails')
  return { links, verdict: hasFailed ? 'fails' : isFinal ? 'holds' : 'pending', isByContract }
}

export const failuresOf = ({ links }: CheckedLinks): string =>
  links
    .flatMap(({ findings }) => findings)
    .filter(({ holds }) => !holds)
    .map(({ link, detail }) => `${link}: ${detail}`)
    .join('\n')
