/** What is stuck in an organization, from what was read of it. Pure. */
import { isLate } from '../../subjects/next-step.ts'

type Expense = { id: string; state: string }
type Payment = { id: string; expenseId: string; state: string }
type Attempt = { paymentId: string; createdAt: string }
type Case = { status: string }

const STUCK: readonly string[] = ['failed', 'blocked', 'reconciling']
/** Under way, and only stuck if that takes long. */
export const SENT: readonly string[] = ['submitting', 'broadcast']

type Detail<E, P, C> = {
  expenses: readonly E[]
  payments: readonly P[]
  attempts: readonly Attempt[]
  supportCases: readonly C[]
}

export function troublesOf<E extends Expense, P extends Payment, C extends Case>(
  detail: Detail<E, P, C>,
  now: number,
): { blocked: { expense?: E | undefined; payment?: P | undefined }[]; openCases: C[] } {
  const { expenses, payments, attempts, supportCases } = detail
  const isUnmined = ({ id }: P) =>
    isLate(
      attempts.filter(({ paymentId }) => paymentId === id),
      now,
    )
  const stuck = payments.filter(
    (payment) =>
      STUCK.includes(payment.state) || (SENT.includes(payment.state) && isUnmined(payment)),
  )
  const withPayment = new Set(stuck.map(({ expenseId }) => expenseId))
  const unpaid = expenses.filter(({ id, state }) => state === 'blocked' && !withPayment.has(id))
  return {
    blocked: [
      ...stuck.map((payment) => ({
        payment,
        expense: expenses.find(({ id }) => id === payment.expenseId),
      })),
      // Blocked before any money was set aside, for instance because its analysis failed.
      ...unpaid.map((expense) => ({ expense })),
    ],
    openCases: supportCases.filter(({ status }) => status !== 'resolved'),
  }
}
