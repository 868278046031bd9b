/**
 * A second reader beside the rules. It may add friction and never take any away: the rules stand
 * whatever it says, and the inner code merges its opinion upward only. Types only.
 */

/** All that it is shown: no ids, no other tenant's data, nothing it could act on. */
export type AnalystQuestion = {
  /** Written by somebody who wants to be paid: data, never instructions. */
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
  /** Throws `dependency_unavailable` when there is no usable answer in time. */
  review(question: AnalystQuestion): Promise<AnalystOpinion>
}
