/** What Circle tells of a transaction, over its API or by its program, in our words. Pure. */
import { isHash } from '@countersign/proof/values.ts'
import { isObject } from '#platform/http-client/provider-answers.ts'
import { lowerCased } from '#platform/values.ts'
import type { EntrustedReport, EntrustedState } from '#ports/executor-provider.ts'

const states: Readonly<Record<string, EntrustedState>> = {
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

/** Circle adds states as it goes: one that is new here is on its way. */
function stateOf(state: string, transactionHash: string | null): EntrustedState {
  const known = Object.hasOwn(states, state) ? states[state] : undefined
  return known ?? (transactionHash === null ? 'accepted' : 'sent')
}

/** Undefined for what is no transaction of Circle's. */
export function reportIn(transaction: unknown): EntrustedReport | undefined {
  if (!isObject(transaction)) return undefined
  const { id, state, txHash, errorReason } = transaction
  const isNamed = txHash !== undefined && txHash !== null && txHash !== ''
  const isWhole = typeof id === 'string' && /^[\w-]{1,64}$/.test(id) && typeof state === 'string'
  if (!isWhole || (isNamed && !isHash(txHash))) return undefined
  const transactionHash = isNamed ? lowerCased(String(txHash)) : null
  const code = String(errorReason ?? '').toLowerCase()
  return {
    outcome: 'reported',
    state: stateOf(state, transactionHash),
    providerReference: id,
    transactionHash,
    code: /^[a-z0-9_]{1,60}$/.test(code) ? code : null,
  }
}
