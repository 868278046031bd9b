/** What is stuck in an organization, from what was read of it. Pure. */
type Expense = { id: string; state: string }
type Payment = { expenseId: string; state: string }
type Case = { status: string }

const STUCK: readonly string[] = ['failed', 'blocked', 'reconciling']

export function troublesOf<E extends Expense, P extends Payment, C extends Case>(detail: {
  expenses: readonly E[]
  payments: readonly P[]
  supportCases: readonly C[]
}): { blocked: { expense?: E | undefined; payment?: P | undefined }[]; openCases: C[] } {
  const { expenses, payments, supportCases } = detail
  const stuck = payments.filter(({ state }) => STUCK.includes(state))
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
