/**
 * Builds a report: the checks, and the score and recommendation that follow from the points table.
 */
import { checksummed } from '@countersign/proof/values.ts'
import type { TrailHead } from '#journal/journal.store.ts'
import type { AnalystOpinion } from '#ports/analyst.ts'
import { type CheckId, type CheckResult, count, money, type Outcome } from './check.ts'
import { checks } from './checks.ts'
import type { Facts } from './facts.ts'

export type Recommendation = 'approve' | 'review' | 'reject'
type ReportCheck = { id: string; outcome: Outcome; detail: string }

/** Plain JSON without bigint or undefined, so that anyone can recompute its hash. */
export type ReportOutput = {
  summary: string
  recommendation: Recommendation
  /** 0 to 100. */
  riskScore: number
  checks: ReportCheck[]
  policy: { version: number | null; fits: boolean; reasons: string[] }
  analyst: { kind: 'rules' | 'rules_and_model'; name: string; version: string }
  /** Head of the organization's audit trail before the analysis; absent from older reports. */
  auditHead?: TrailHead
}

type Points = {
  warn: number
  fail: number
  /** Fixing it needs a new revision of the expense; everything else the organization can fix. */
  rejects: boolean
  /** The contract would reject the payment under the policy in force. */
  isPolicy: boolean
}

const informational: Points = { warn: 0, fail: 0, rejects: false, isPolicy: false }
const flag = (warn: number, fail = 0): Points => ({ ...informational, warn, fail })
const policy = (warn: number, fail = 0): Points => ({ ...flag(warn, fail), isPolicy: true })
const rejecting = (points: Points): Points => ({ ...points, rejects: true })

/** A test keeps this equal to the table in docs/ANALYSIS.md. */
export const points: Readonly<Record<CheckId, Points>> = {
  policy_present: policy(0, 40),
  policy_in_force: policy(15, 40),
  approved_cap: rejecting(policy(10, 60)),
  automatic_enabled: policy(20),
  automatic_cap: policy(25),
  lifetime_cap: policy(10, 50),
  promised: informational,
  balance: flag(0, 40),
  reserve_floor: policy(10, 40),
  recipient_in_policy: policy(10, 40),
  executor: policy(10, 30),
  vault_usable: rejecting(flag(0, 60)),
  automatic_day: flag(20),
  automatic_week: flag(20),
  automatic_recipient: flag(20),
  new_member: flag(10),
  own_reimbursement: flag(10),
  recipient_active: rejecting(flag(0, 60)),
  recipient_known: informational,
  first_payment: informational,
  look_alike: rejecting(flag(0, 80)),
  own_wallet: informational,
  duplicate_payment: flag(30),
  duplicate_purpose: flag(15),
  split_payment: flag(25),
  unusual_for_recipient: flag(20),
  unusual_for_submitter: flag(15),
  velocity: flag(15, 35),
  duplicate_receipt: flag(30),
  duplicate_reference: flag(25),
  receipt_missing: flag(10),
  due_date_past: flag(5),
  weak_purpose: flag(10),
  hidden_instructions: rejecting(flag(25, 70)),
  hidden_characters: rejecting(flag(15, 50)),
  encoded_text: flag(25),
  identifiers: flag(15),
  markup: flag(15),
}

const SCORE_MAX = 100

const scoreOf = (results: readonly CheckResult[]): number => {
  const sum = results.reduce(
    (total, { id, outcome }) => total + (outcome === 'pass' ? 0 : points[id][outcome]),
    0,
  )
  return Math.min(SCORE_MAX, sum)
}

const recommendationOf = (results: readonly CheckResult[]): Recommendation => {
  if (results.some(({ id, outcome }) => outcome === 'fail' && points[id].rejects)) return 'reject'
  return results.some(({ outcome }) => outcome !== 'pass') ? 'review' : 'approve'
}

const idsOf = (results: readonly CheckResult[], outcome: Outcome): string => {
  const ids = results.filter((result) => result.outcome === outcome).map(({ id }) => id)
  return ids.length === 0 ? '0' : `${ids.length} (${ids.join(', ')})`
}

const summaryOf = ({ expense, recipient }: Facts, results: readonly CheckResult[]): string =>
  `${money(expense.amount)} to ${checksummed(recipient.address)}: ` +
  `of ${count(results.length, 'check')} ${idsOf(results, 'fail')} failed and ` +
  `${idsOf(results, 'warn')} warned.`

export function reportOutput(facts: Facts): ReportOutput {
  const results = checks.map((check) => check(facts))
  const reasons = results
    .filter(({ id, outcome }) => points[id].isPolicy && outcome !== 'pass')
    .map(({ id }) => id)
  return {
    summary: summaryOf(facts, results),
    recommendation: recommendationOf(results),
    riskScore: scoreOf(results),
    checks: results,
    policy: { version: facts.policy?.version ?? null, fits: reasons.length === 0, reasons },
    analyst: { kind: 'rules', name: 'countersign-rules', version: '2' },
  }
}

export const isClean = (output: ReportOutput): boolean =>
  output.policy.fits && output.checks.every(({ outcome }) => outcome === 'pass')

const MODEL_CHECK = 'model_opinion'
/** A model's score from here on counts as a concern, even if it names none. */
export const MODEL_SCORE_WARNS = 50
const MODEL_CONCERNS_MAX = 10
const MODEL_TEXT_MAX = 300

const strictness: readonly Recommendation[] = ['approve', 'review', 'reject']

const stricter = (...all: Recommendation[]): Recommendation =>
  strictness[Math.max(...all.map((one) => strictness.indexOf(one)))] ?? 'reject'

/** Makes text of a model safe to show: one line, visible characters, bounded length. */
function sanitize(text: string): string {
  const line = text
    .toWellFormed()
    .replace(/[\p{C}\p{Default_Ignorable_Code_Point}]/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim()
  const characters = [...line]
  return characters.length > MODEL_TEXT_MAX
    ? `${characters.slice(0, MODEL_TEXT_MAX - 1).join('')}…`
    : line
}

const EVASIONS = [
  /\b(?:can ?not|can['’]?t|won['’]?t|unable|not able|decline|refuse|sorry)\b/i,
  /\b(?:as an ai|language model|no (?:opinion|comment)|not applicable|n\/a)\b/i,
  /\b(?:insufficient|not enough|lack(?:s|ing)?) (?:information|context|data|details?)\b/i,
]
const SUMMARY_WORDS_MIN = 2

/** An approval with an empty or evasive summary is not an opinion. */
const isEvasive = (summary: string): boolean =>
  (summary.match(/\p{L}{2,}/gu) ?? []).length < SUMMARY_WORDS_MIN ||
  EVASIONS.some((evasion) => evasion.test(summary))

/** A score that is not a number counts as the maximum. */
const scoreFrom = ({ riskScore }: AnalystOpinion): number =>
  Number.isNaN(riskScore) ? SCORE_MAX : Math.min(SCORE_MAX, Math.max(0, Math.ceil(riskScore)))

function opinionCheck(opinion: AnalystOpinion, name: string): ReportCheck {
  const named = opinion.concerns.slice(0, MODEL_CONCERNS_MAX).map(sanitize)
  const left = opinion.concerns.length - named.length
  const score = scoreFrom(opinion)
  const assessment = `recommends ${opinion.recommendation} at a risk of ${score}`
  if (named.length > 0) {
    const list = named.map((concern, index) => `(${index + 1}) ${concern}`).join(' ')
    const more = left > 0 ? ` and ${left} more` : ''
    const concerns = count(opinion.concerns.length, 'concern')
    const detail = `The model ${name} ${assessment} and has ${concerns}: ${list}${more}`
    return { id: MODEL_CHECK, outcome: 'warn', detail }
  }
  const isFavourable = opinion.recommendation === 'approve' && score < MODEL_SCORE_WARNS
  if (isFavourable && isEvasive(opinion.summary)) {
    const reason = 'without giving an opinion, so a person must review'
    const detail = `The model ${name} ${assessment} ${reason}.`
    return { id: MODEL_CHECK, outcome: 'warn', detail }
  }
  return {
    id: MODEL_CHECK,
    outcome: isFavourable ? 'pass' : 'warn',
    detail: `The model ${name} ${assessment} and names no concern.`,
  }
}

/** Strictly upward: everything the rules found stays, and the stricter of both applies. */
export function withOpinion(
  rules: ReportOutput,
  opinion: AnalystOpinion,
  analyst: { name: string; version: string },
): ReportOutput {
  const added = opinionCheck(opinion, analyst.name)
  return {
    ...rules,
    summary: `${rules.summary} The model ${analyst.name} says: ${sanitize(opinion.summary)}`,
    recommendation: stricter(
      rules.recommendation,
      opinion.recommendation,
      added.outcome === 'pass' ? 'approve' : 'review',
    ),
    riskScore: Math.max(rules.riskScore, scoreFrom(opinion)),
    checks: [...rules.checks, added],
    analyst: { kind: 'rules_and_model', name: analyst.name, version: analyst.version },
  }
}

/** The configured model gave no usable answer, so the report requires a person's review. */
export function withoutOpinion(rules: ReportOutput, { name }: { name: string }): ReportOutput {
  const detail = `The model ${name} gave no usable answer, so a person must review.`
  return {
    ...rules,
    summary: `${rules.summary} ${detail}`,
    recommendation: stricter(rules.recommendation, 'review'),
    checks: [...rules.checks, { id: MODEL_CHECK, outcome: 'warn', detail }],
  }
}
