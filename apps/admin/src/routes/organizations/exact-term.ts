/** What a search for an id, an address or a hash is about, in the organization that was found. Pure. */
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const HEX = /^0x(?:[0-9a-f]{40}|[0-9a-f]{64})$/i

export const isExact = (term: string): boolean => UUID.test(term) || HEX.test(term)

type Detail = {
  payments: readonly { id: string; chainPaymentId: string; transactionHash: string | null }[]
  attempts: readonly { paymentId: string; transactionHash: string | null }[]
  expenses: readonly { id: string; paymentId: string }[]
  supportCases: readonly { id: string }[]
  treasuryVaults: readonly { id: string; address: string; label: string }[]
}

export type Found =
  | { kind: 'payment'; paymentId: string }
  | { kind: 'case'; caseId: string }
  | { kind: 'vault'; label: string }

/** Null if it is the organization itself, or older than what is shown of it. */
export function findTerm(detail: Detail, term: string): Found | null {
  const wanted = term.toLowerCase()
  const is = (value: string | null): boolean => value?.toLowerCase() === wanted
  const payment =
    detail.payments.find(
      ({ id, chainPaymentId, transactionHash }) =>
        is(id) || is(chainPaymentId) || is(transactionHash),
    )?.id ??
    detail.attempts.find(({ transactionHash }) => is(transactionHash))?.paymentId ??
    detail.expenses.find(({ id, paymentId }) => is(id) || is(paymentId))?.paymentId
  if (payment) return { kind: 'payment', paymentId: payment }
  const supportCase = detail.supportCases.find(({ id }) => is(id))
  if (supportCase) return { kind: 'case', caseId: supportCase.id }
  const vault = detail.treasuryVaults.find(({ id, address }) => is(id) || is(address))
  return vault ? { kind: 'vault', label: vault.label } : null
}
