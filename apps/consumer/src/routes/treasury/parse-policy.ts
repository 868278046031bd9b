/** Reads a policy as typed, by the rules that the vault and the service will hold it to. */
import { parseAmount } from '@countersign/ui/amounts.ts'
import {
  CAPS,
  type Cap,
  endOfDay,
  type FieldProblem,
  type FormProblems,
  localDay,
  PERIOD_CAPS,
  type PeriodCap,
  type PolicyForm,
  type PolicyTerms,
  type TierProblems,
  type Units,
} from './policy-terms.ts'

/** The vault holds caps in 128 bits. */
const CAP_MAX = (1n << 128n) - 1n
const MAY_BE_ZERO: readonly (Cap | PeriodCap)[] = [
  'automaticCap',
  'reserveFloor',
  'automaticPeriodCap',
]

type Context = Units & {
  now: Date
  /** The policy in force. Its end stays to the second if its day is not changed. */
  inForce: PolicyTerms | null
  spentTotal: string
  /** Different people whose wallets may approve: nobody signs twice. */
  approverPeople: number
}

export type ParsedForm =
  | { ok: true; terms: PolicyTerms; problems: FormProblems }
  | { ok: false; problems: FormProblems }

type Amounts = ReadonlyMap<Cap | PeriodCap, bigint>
type Read = { ok: true; value: bigint } | { ok: false; problem: FieldProblem }

function readAmount(text: string, { decimals, locale }: Units, mayBeZero: boolean): Read {
  const parsed = parseAmount(text, decimals, locale)
  if (!parsed.ok) {
    return parsed.problem === 'zero' && mayBeZero
      ? { ok: true, value: 0n }
      : { ok: false, problem: parsed.problem }
  }
  const value = BigInt(parsed.baseUnits)
  return value > CAP_MAX ? { ok: false, problem: 'too_large' } : { ok: true, value }
}

export function parseForm(form: PolicyForm, context: Context): ParsedForm {
  const { amounts, problems } = readCaps(form, context)
  const { tiers, tierProblems } = readTiers(form, { ...context, amounts })
  if (tierProblems.some((found) => Object.keys(found).length > 0)) problems.tiers = tierProblems
  const expiresAt = endOf(form.lastDay, context)
  if (expiresAt === null) problems.lastDay = 'no_date'
  else if (expiresAt <= context.now) problems.lastDay = 'past'
  if (expiresAt === null || Object.keys(problems).length > 0) return { ok: false, problems }
  const text = (cap: Cap | PeriodCap): string => (amounts.get(cap) ?? 0n).toString()
  const hasPeriod = form.periodSeconds !== null
  const terms = {
    approvedCap: text('approvedCap'),
    automaticCap: text('automaticCap'),
    lifetimeCap: text('lifetimeCap'),
    reserveFloor: text('reserveFloor'),
    periodSeconds: form.periodSeconds,
    periodCap: hasPeriod ? text('periodCap') : null,
    automaticPeriodCap: hasPeriod ? text('automaticPeriodCap') : null,
    tiers,
    expiresAt: expiresAt.toISOString(),
    automaticEnabled: form.automaticEnabled,
    paused: form.paused,
  }
  return { ok: true, terms, problems }
}

function readCaps(form: PolicyForm, context: Context) {
  const problems: FormProblems = {}
  const amounts = new Map<Cap | PeriodCap, bigint>()
  const asked = form.periodSeconds === null ? CAPS : [...CAPS, ...PERIOD_CAPS]
  for (const cap of asked) {
    const read = readAmount(form[cap], context, MAY_BE_ZERO.includes(cap))
    if (read.ok) amounts.set(cap, read.value)
    else problems[cap] = read.problem
  }
  const isAbove = (cap: Cap | PeriodCap, limit: Cap | PeriodCap): boolean => {
    const [value, most] = [amounts.get(cap), amounts.get(limit)]
    return value !== undefined && most !== undefined && value > most
  }
  if (isAbove('automaticCap', 'approvedCap')) problems.automaticCap = 'above_approved'
  if (isAbove('approvedCap', 'lifetimeCap')) problems.approvedCap = 'above_lifetime'
  if (isAbove('automaticPeriodCap', 'periodCap')) problems.automaticPeriodCap = 'above_period'
  const lifetime = amounts.get('lifetimeCap')
  if (lifetime !== undefined && lifetime < BigInt(context.spentTotal)) {
    problems.lifetimeCap = 'below_spent'
  }
  return { amounts, problems }
}

function readTiers(form: PolicyForm, context: Context & { amounts: Amounts }) {
  const automaticCap = context.amounts.get('automaticCap') ?? 0n
  const tierProblems: TierProblems[] = []
  const tiers: { above: string; approvals: number }[] = []
  let before = { above: -1n, approvals: 1 }
  for (const typed of form.tiers) {
    const found: TierProblems = {}
    const read = readAmount(typed.above, context, true)
    const approvals = Number(typed.approvals)
    if (!read.ok) found.above = read.problem
    // An automatic payment has no signature, so it may never reach a tier.
    else if (read.value < automaticCap) found.above = 'below_automatic'
    else if (read.value <= before.above) found.above = 'not_ascending'
    if (approvals > context.approverPeople) found.approvals = 'too_few_people'
    else if (approvals <= before.approvals) found.approvals = 'not_ascending'
    const above = read.ok ? read.value : before.above
    before = { above, approvals }
    tierProblems.push(found)
    tiers.push({ above: above.toString(), approvals })
  }
  return { tiers, tierProblems }
}

function endOf(lastDay: string, { inForce }: Context): Date | null {
  const kept = inForce && new Date(inForce.expiresAt)
  return kept && localDay(kept) === lastDay ? kept : endOfDay(lastDay)
}
