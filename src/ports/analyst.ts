/**
 * A second analysis beside the fixed rules, such as one by a language model. Its opinion can only
 * raise the risk score and tighten the recommendation; it never relaxes what the rules found.
 * Types only.
 */

/** Everything the analyst receives: no ids and no data of other tenants. */
export type AnalystQuestion = {
  /** Free text by the submitter. It is untrusted data, never an instruction. */
  purpose: string
  recipientLabel: string
  amountBaseUnits: string
  requestedMode: 'approved' | 'automatic'
  rules: {
    riskScore: number
    recommendation: 'approve' | 'review' | 'reject'
    checks: { id: string; outcome: 'pass' | 'warn' | 'fail'; detail: string }[]
  }
}

export type AnalystOpinion = {
  summary: string
  /** 0 to 100. */
  riskScore: number
  recommendation: 'approve' | 'review' | 'reject'
  concerns: string[]
}

export type Analyst = {
  name: string
  version: string
  /** Throws `dependency_unavailable` without a usable answer in time. */
  review(question: AnalystQuestion): Promise<AnalystOpinion>
}
