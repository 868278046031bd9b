/** Checks for automatic payment: limits on sums, and rules about the submitter. */
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
      : warn('No policy is in force on chain, so this cannot be judged.')
  })

const questionOf = (
  { automatic, expense: { amount } }: Facts,
  { automaticCap }: PolicyTerms,
): AutomaticQuestion => ({ ...automatic, automaticCap, amount })

const sums = (id: CheckId, isIncluded: (sum: AutomaticSum) => boolean): Check =>
  forAutomatic(id, (question) => {
    const included = automaticSums(question).filter(isIncluded)
    const exceeded = included.filter(isExceeded)
    const figures = (exceeded.length > 0 ? exceeded : included)
      .map(
        ({ scope, period, total, limit }) =>
          `${money(total)} ${scopeNames[scope]} in a ${period}, limit ${money(limit)}`,
      )
      .join('; ')
    return exceeded.length > 0
      ? warn(`Automatic payments with this one exceed a limit: ${figures}. It needs a signature.`)
      : pass(`Automatic payments with this one are within the limits: ${figures}.`)
  })

const isForAll = ({ scope }: AutomaticSum): boolean => scope === 'vault' || scope === 'organization'

const automaticDay = sums('automatic_day', (sum) => sum.period === 'day' && isForAll(sum))
const automaticWeek = sums('automatic_week', (sum) => sum.period === 'week' && isForAll(sum))
const automaticRecipient = sums('automatic_recipient', (sum) => !isForAll(sum))

const newMember = forAutomatic('new_member', (question) => {
  const { memberForSeconds } = question.standing
  const { afterDays } = question.rules
  if (memberForSeconds === null) {
    return warn('The submitter is not an active member, so it needs a signature.')
  }
  const days = count(Math.floor(memberForSeconds / DAY_SECONDS), 'day')
  const needed = count(afterDays, 'day')
  return isNewMember(question)
    ? warn(`The submitter has been a member for ${days}; automatic payment requires ${needed}.`)
    : pass(`The submitter has been a member for ${days}; automatic payment requires ${needed}.`)
})

const ownReimbursement = forAutomatic('own_reimbursement', (question) => {
  const { standing, rules } = question
  if (!standing.isOwnWallet) return pass('The recipient was never a wallet of the submitter.')
  const max = money(rules.reimbursementMax)
  return isOwnReimbursement(question)
    ? warn(`It pays the submitter's own wallet. Above ${max} this needs a signature.`)
    : pass(`It pays the submitter's own wallet, within the automatic limit of ${max}.`)
})

export const automaticChecks: readonly Check[] = [
  automaticDay,
  automaticWeek,
  automaticRecipient,
  newMember,
  ownReimbursement,
]
