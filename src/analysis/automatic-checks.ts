/** Checks whether it may be paid without a signature: limits on sums, and rules on submitters. */
import {
  type AutomaticQuestion,
  type AutomaticSum,
  automaticSums,
  isExceeded,
  isNewMember,
  isOwnReimbursement,
  scopeNames,
} from '#payments/automatic-limits.ts'
import type { PolicyTerms } from '#treasury/policy.ts'
import { type Check, type CheckId, check, count, DAY_SECONDS, money, pass, warn } from './check.ts'
import type { Facts } from './facts.ts'

/** An expense in approved mode needs a signature anyway, so these checks do not apply. */
const forAutomatic = (
  id: CheckId,
  judge: (question: AutomaticQuestion, facts: Facts) => ReturnType<typeof pass>,
): Check =>
  check(id, (facts) => {
    if (facts.expense.requestedMode !== 'automatic') {
      return pass('Automatic payment was not requested, so this does not apply.')
    }
    return facts.policy
      ? judge(questionOf(facts, facts.policy), facts)
      : warn('This cannot be judged, because no policy is in force on the chain.')
  })

const questionOf = (
  { automatic, expense: { amount } }: Facts,
  { automaticCap }: PolicyTerms,
): AutomaticQuestion => ({ ...automatic, automaticCap, amount })

const sums = (id: CheckId, isMeant: (sum: AutomaticSum) => boolean): Check =>
  forAutomatic(id, (question) => {
    const meant = automaticSums(question).filter(isMeant)
    const exceeded = meant.filter(isExceeded)
    const said = (exceeded.length > 0 ? exceeded : meant)
      .map(
        ({ scope, period, total, limit }) =>
          `${money(total)} ${scopeNames[scope]} in a ${period}, limit ${money(limit)}`,
      )
      .join('; ')
    return exceeded.length > 0
      ? warn(`Automatic payments with this one exceed a limit: ${said}. It needs a signature.`)
      : pass(`Automatic payments with this one are within the limits: ${said}.`)
  })

const isForAll = ({ scope }: AutomaticSum): boolean => scope === 'vault' || scope === 'organization'

const automaticDay = sums('automatic_day', (sum) => sum.period === 'day' && isForAll(sum))
const automaticWeek = sums('automatic_week', (sum) => sum.period === 'week' && isForAll(sum))
const automaticRecipient = sums('automatic_recipient', (sum) => !isForAll(sum))

const newMember = forAutomatic('new_member', (question) => {
  const { memberForSeconds } = question.standing
  const { afterDays } = question.rules
  if (memberForSeconds === null) {
    return warn('Its submitter is not an active member, so it needs a signature.')
  }
  const days = count(Math.floor(memberForSeconds / DAY_SECONDS), 'day')
  const needed = count(afterDays, 'day')
  return isNewMember(question)
    ? warn(`Its submitter has been a member for ${days}; automatic payment requires ${needed}.`)
    : pass(`Its submitter has been a member for ${days}; automatic payment requires ${needed}.`)
})

const ownReimbursement = forAutomatic('own_reimbursement', (question) => {
  const { standing, rules } = question
  if (!standing.isOwnWallet) return pass("The recipient was never the submitter's own wallet.")
  const most = money(rules.reimbursementMax)
  return isOwnReimbursement(question)
    ? warn(`It pays the submitter's own wallet. Above ${most} this needs a signature.`)
    : pass(`It pays the submitter's own wallet, within the automatic limit of ${most}.`)
})

export const automaticChecks: readonly Check[] = [
  automaticDay,
  automaticWeek,
  automaticRecipient,
  newMember,
  ownReimbursement,
]
