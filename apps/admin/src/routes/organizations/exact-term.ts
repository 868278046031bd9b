/** What a search for an id, an address or a hash is about, in the organization that was found. Pure. */
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const HEX = /^0x(?:[0-9a-f]{40}|[0-9a-f]{64})$/i

export const isExact = (term: string): boolean => UUID.test(term) || HEX.test(term)

type Detail = {
  organization: { id: string }
  payments: readonly {
    id: string
    chainPaymentId: string
    transactionHash: string | null
    executorAddress: string | null
  }[]
  attempts: readonly { paymentId: string; transactionHash: string | null }[]
  expenses: readonly {
    id: string
    paymentId: string
    revision: { recipientAddress: string; recipientLabel: string }
  }[]
  supportCases: readonly { id: string }[]
  treasuryVaults: readonly { id: string; address: string; label: string }[]
  members: readonly { wallets: readonly { address: string }[] }[]
}

export type Found =
  | { kind: 'payment'; paymentId: string }
  | { kind: 'case'; caseId: string }
  | { kind: 'vault'; label: string }
  | { kind: 'recipient'; label: string }
  | { kind: 'executor' | 'wallet' }
  /** An id that is not among the newest rows. It may be that of a payment. */
  | { kind: 'older'; id: string }

/** Null if it is the organization itself, or nothing that is shown of it. */
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
  return HEX.test(term) ? findAddress(detail, is) : findOlder(detail, term)
}

function findAddress(detail: Detail, is: (value: string | null) => boolean): Found | null {
  const vault = detail.treasuryVaults.find(({ address }) => is(address))
  if (vault) return { kind: 'vault', label: vault.label }
  if (detail.payments.some(({ executorAddress }) => is(executorAddress))) {
    return { kind: 'executor' }
  }
  const paid = detail.expenses.find(({ revision }) => is(revision.recipientAddress))
  if (paid) return { kind: 'recipient', label: paid.revision.recipientLabel }
  const isWallet = detail.members.some(({ wallets }) => wallets.some(({ address }) => is(address)))
  return isWallet ? { kind: 'wallet' } : null
}

function findOlder({ organization, treasuryVaults }: Detail, term: string): Found | null {
  const id = term.toLowerCase()
  const vault = treasuryVaults.find((one) => one.id === id)
  if (vault) return { kind: 'vault', label: vault.label }
  return id === organization.id || !UUID.test(id) ? null : { kind: 'older', id }
}
