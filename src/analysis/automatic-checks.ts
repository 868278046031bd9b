/** Whether it may be paid without a signature: sums whatever the single amounts, and who asks. */
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

/** A signature is asked for by itself where automatic mode was not, so these say no more. */
const forAutomatic = (
  id: CheckId,
  judge: (question: AutomaticQuestion, facts: Facts) => ReturnType<typeof pass>,
): Check =>
  check(id, (facts) => {
    if (facts.expense.requestedMode !== 'automatic') {
      return pass('Automatic payment was not asked for, so this does not apply.')
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
          `${scopeNames[scope]} in a ${period} ${money(total)} of at most ${money(limit)}`,
      )
      .join('; ')
    return exceeded.length > 0
      ? warn(`With this one automatic payments would be ${said}: it needs a signature.`)
      : pass(`With this one automatic payments are ${said}.`)
  })

const isForAll = ({ scope }: AutomaticSum): boolean => scope === 'vault' || scope === 'organization'

const automaticDay = sums('automatic_day', (sum) => sum.period === 'day' && isForAll(sum))
const automaticWeek = sums('automatic_week', (sum) => sum.period === 'week' && isForAll(sum))
const automaticRecipient = sums('automatic_recipient', (sum) => !isForAll(sum))

const newMember = forAutomatic('new_member', (question) => {
  const { memberForSeconds } = question.standing
  const { afterDays } = question.rules
  if (memberForSeconds === null) {
    return warn('Its submitter is no active member, so it needs a signature.')
  }
  const days = count(Math.floor(memberForSeconds / DAY_SECONDS), 'day')
  const needed = count(afterDays, 'day')
  return isNewMember(question)
    ? warn(`Its submitter has been a member for ${days}; automatic payment takes ${needed}.`)
    : pass(`Its submitter has been a member for ${days}, and automatic payment takes ${needed}.`)
})

const ownReimbursement = forAutomatic('own_reimbursement', (question) => {
  const { standing, rules } = question
  if (!standing.isOwnWallet) return pass("The recipient never was the submitter's own wallet.")
  const most = money(rules.reimbursementMax)
  return isOwnReimbursement(question)
    ? warn(`It pays the submitter's own wallet, automatically at most ${most}: sign it.`)
    : pass(`It pays the submitter's own wallet, and automatically at most ${most}.`)
})

export const automaticChecks: readonly Check[] = [
  automaticDay,
  automaticWeek,
  automaticRecipient,
  newMember,
  ownReimbursement,
]
