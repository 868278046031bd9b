/** Checks against earlier expenses: duplicates, split payments, unusual amounts, velocity. */
import {
  type Check,
  type CheckId,
  check,
  count,
  DAY_SECONDS,
  dayOf,
  fail,
  money,
  pass,
  secondsBetween,
  warn,
} from './check.ts'
import type { Facts, PastExpense } from './facts.ts'

export const DUPLICATE_DAYS = 30
const SPLIT_DAYS = 7
/** Percentage of the cap from which an amount counts as just below it. */
const SPLIT_CLOSE_PERCENT = 80n
export const SAMPLE_MIN = 5
/** In median absolute deviations; about 3.5 standard deviations of a normal distribution. */
const UNUSUAL_DEVIATIONS = 5n
/** The deviation is at least a tenth of the median, so that fixed fees may rise slightly. */
const DEVIATION_SHARE = 10n
export const VELOCITY_WARN = 10
export const VELOCITY_FAIL = 50

/** The window is inclusive. The store reads only this far back; the rule itself is here. */
const within =
  (now: string, days: number) =>
  ({ submittedAt }: PastExpense): boolean =>
    secondsBetween(submittedAt, now) <= days * DAY_SECONDS

type Repeated = { similarity: string; read: (history: Facts['history']) => PastExpense[] }

const duplicate = (id: CheckId, { similarity, read }: Repeated): Check =>
  check(id, ({ now, history }) => {
    const found = read(history).filter(within(now, DUPLICATE_DAYS))
    const [newest] = found
    const window = `in the last ${DUPLICATE_DAYS} days`
    if (!newest) return pass(`0 other expenses ${window} have ${similarity}.`)
    // The facts hold at most five, so the number is a lower bound.
    const many = `At least ${count(found.length, 'other expense has', 'other expenses have')}`
    return warn(`${many} ${similarity} ${window}, the newest of ${dayOf(newest.submittedAt)}.`)
  })

const duplicatePayment = duplicate('duplicate_payment', {
  similarity: 'the same recipient and amount',
  read: (history) => history.sameRecipientAndAmount,
})

const duplicatePurpose = duplicate('duplicate_purpose', {
  similarity: 'the same purpose',
  read: (history) => history.samePurpose,
})

const splitPayment = check('split_payment', ({ now, expense, policy, history }) => {
  if (!policy) return pass('No policy is in force, so there is no cap to stay under.')
  const limits = splitLimits(expense, policy)
  const others = history.sameRecipientLately.filter(within(now, SPLIT_DAYS))
  const total = others.reduce((sum, { amount }) => sum + amount, expense.amount)
  const sum =
    `with ${count(others.length, 'other expense')} to the same recipient in ${SPLIT_DAYS} days ` +
    `it comes to ${money(total)}`
  const isClose = ({ limit }: SplitLimit) =>
    expense.amount <= limit && expense.amount * 100n >= limit * SPLIT_CLOSE_PERCENT
  const avoided = limits.find((one) => isClose(one) && total > one.limit)
  if (avoided) return warn(`${money(expense.amount)} is just below ${avoided.text}, and ${sum}.`)
  const texts = limits.map(({ text }) => text).join(' or ')
  return pass(`Nothing looks split to stay under ${texts}: ${sum}.`)
})

type SplitLimit = { limit: bigint; text: string }

/** The cap of the requested mode, and each amount above which more approvers must sign. */
function splitLimits(
  { requestedMode }: Facts['expense'],
  { automaticCap, approvedCap, tiers }: NonNullable<Facts['policy']>,
): SplitLimit[] {
  const isAutomatic = requestedMode === 'automatic'
  const cap = isAutomatic ? automaticCap : approvedCap
  return [
    { limit: cap, text: `the ${isAutomatic ? 'automatic' : 'approved'} cap of ${money(cap)}` },
    ...tiers.map(({ above, approvals }) => ({
      limit: above,
      text: `the limit of ${money(above)}, above which ${approvals} approvers must sign`,
    })),
  ]
}

const ascending = (a: bigint, b: bigint): number => (a < b ? -1 : a > b ? 1 : 0)

/** For an even number of amounts, the truncated mean of the middle two. */
export function median(amounts: readonly bigint[]): bigint {
  const sorted = [...amounts].sort(ascending)
  const middle = Math.floor(sorted.length / 2)
  const upper = sorted[middle] ?? 0n
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2n
}

/** The highest usual amount. Medians keep a few outliers from moving the limit. */
export function usualUpTo(amounts: readonly bigint[]): bigint {
  const middle = median(amounts)
  const deviation = median(
    amounts.map((amount) => (amount > middle ? amount - middle : middle - amount)),
  )
  const minimum = middle / DEVIATION_SHARE
  return middle + UNUSUAL_DEVIATIONS * (deviation > minimum ? deviation : minimum)
}

type Sample = { scope: string; read: (history: Facts['history']) => bigint[] }

const unusual = (id: CheckId, { scope, read }: Sample): Check =>
  check(id, ({ expense: { amount }, history }) => {
    const amounts = read(history)
    const sample = `${count(amounts.length, 'earlier amount')} ${scope}`
    if (amounts.length < SAMPLE_MIN) {
      return pass(`There are ${sample}, fewer than the ${SAMPLE_MIN} needed to compare.`)
    }
    const limit = usualUpTo(amounts)
    const middle = money(median(amounts))
    const usual = `the median of ${sample} is ${middle}, usual up to ${money(limit)}`
    return amount > limit
      ? warn(`${money(amount)} is unusually high: ${usual}.`)
      : pass(`${money(amount)} is not unusually high: ${usual}.`)
  })

const unusualForRecipient = unusual('unusual_for_recipient', {
  scope: 'for this recipient',
  read: (history) => history.recipientAmounts,
})

const unusualForSubmitter = unusual('unusual_for_submitter', {
  scope: 'of this submitter',
  read: (history) => history.submitterAmounts,
})

const velocity = check('velocity', ({ expense, history: { submitterLastDay } }) => {
  const submitted = submitterLastDay.count + 1
  const total = money(submitterLastDay.total + expense.amount)
  const figures = `The submitter has now submitted ${count(submitted, 'expense')} of ${total}`
  if (submitted > VELOCITY_FAIL) {
    return fail(`${figures} in 24 hours, more than ${VELOCITY_FAIL}.`)
  }
  if (submitted > VELOCITY_WARN) {
    return warn(`${figures} in 24 hours, more than ${VELOCITY_WARN}.`)
  }
  return pass(`${figures} in 24 hours, at most ${VELOCITY_WARN}.`)
})

export const historyChecks: readonly Check[] = [
  duplicatePayment,
  duplicatePurpose,
  splitPayment,
  unusualForRecipient,
  unusualForSubmitter,
  velocity,
]
