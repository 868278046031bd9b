/** Translates what Circle's API or program reports about a transaction. Pure. */

import { optional, ProviderId, reasonCode } from '#platform/http-client/provider-client.ts'
import { fits, Type } from '#platform/schema.ts'
import { Hash, lowerCased } from '#platform/values.ts'
import type { ProviderReport, ProviderStatus } from '#ports/executor-provider.ts'

const states: Readonly<Record<string, ProviderStatus>> = {
  INITIATED: 'accepted',
  CLEARED: 'accepted',
  QUEUED: 'accepted',
  SENT: 'sent',
  STUCK: 'stuck',
  CONFIRMED: 'mined',
  COMPLETE: 'mined',
  DENIED: 'denied',
  FAILED: 'failed',
  CANCELLED: 'cancelled',
}

const Transaction = Type.Object({
  id: ProviderId,
  state: Type.String(),
  txHash: optional(Type.Union([Hash, Type.Literal('')])),
  errorReason: optional(Type.Unknown()),
})

/** Circle adds states over time: an unknown one counts as in progress. */
function stateOf(state: string, transactionHash: string | null): ProviderStatus {
  const known = Object.hasOwn(states, state) ? states[state] : undefined
  return known ?? (transactionHash === null ? 'accepted' : 'sent')
}

/** Undefined if it is not a transaction in Circle's format. */
export function parseReport(transaction: unknown): ProviderReport | undefined {
  if (!fits(Transaction, transaction)) return undefined
  const { id, state, txHash, errorReason } = transaction
  const transactionHash = txHash ? lowerCased(txHash) : null
  return {
    outcome: 'reported',
    state: stateOf(state, transactionHash),
    providerReference: id,
    transactionHash,
    code: reasonCode(String(errorReason ?? '').toLowerCase()) ?? null,
  }
}
