/** Checks of an expense's attachments, reference and due date. */
import { type Check, check, count, dayOf, money, pass, warn } from './check.ts'
import type { PastExpense } from './facts.ts'

const repeated = (
  found: readonly PastExpense[],
  similarity: string,
): ReturnType<typeof warn> | undefined => {
  const [newest] = found
  if (!newest) return undefined
  // The facts hold at most five, so the number is a lower bound.
  const many = `At least ${count(found.length, 'other expense has', 'other expenses have')}`
  return warn(`${many} ${similarity}, the newest of ${dayOf(newest.submittedAt)}.`)
}

const duplicateReceipt = check('duplicate_receipt', ({ expense, history }) => {
  if (expense.attachmentCount === 0) return pass('There are no attachments to compare.')
  const files = count(expense.attachmentCount, 'attachment')
  return (
    repeated(history.sameReceipt, 'an attachment with the same bytes') ??
    pass(`No other expense has the same bytes as one of the ${files}.`)
  )
})

const duplicateReference = check('duplicate_reference', ({ expense, history }) => {
  if (expense.reference === null) return pass('There is no reference to compare.')
  return (
    repeated(history.sameReference, 'the same reference and recipient') ??
    pass('No other expense has the same reference and recipient.')
  )
})

const receiptMissing = check('receipt_missing', ({ expense, receiptRequiredAbove: limit }) => {
  const files = count(expense.attachmentCount, 'attachment')
  if (limit === null) return pass(`There are ${files}; this deployment requires none.`)
  const rule = `an attachment is required above ${money(limit)}`
  if (expense.amount <= limit || expense.attachmentCount > 0) {
    return pass(`There are ${files} for ${money(expense.amount)}; ${rule}.`)
  }
  return warn(`There is no attachment for ${money(expense.amount)}; ${rule}.`)
})

const dueDatePast = check('due_date_past', ({ now, expense: { dueDate } }) => {
  if (dueDate === null) return pass('There is no due date.')
  const today = dayOf(now)
  return dueDate < today
    ? warn(`It was due on ${dueDate}; today is ${today}.`)
    : pass(`It is due on ${dueDate}; today is ${today}.`)
})

export const receiptChecks: readonly Check[] = [
  duplicateReceipt,
  duplicateReference,
  receiptMissing,
  dueDatePast,
]
