/** Whether a vault would pay a recipient now, by its own list. Pure. */
import type { DataOf } from '@countersign/client/operation-types.ts'

type Vault = Pick<DataOf<'getVault'>, 'policy' | 'pendingRecipients' | 'blockedRecipientAddresses'>

export type RecipientStanding =
  | { kind: 'payable' }
  | { kind: 'blocked' }
  /** A vault pays neither its executor nor an approver. */
  | { kind: 'has_role' }
  | { kind: 'unlisted' }
  | { kind: 'later'; from: string }

/** In the order in which nothing else helps. Null without a policy. */
export function recipientStanding(vault: Vault, address: string): RecipientStanding | null {
  const { policy, pendingRecipients, blockedRecipientAddresses } = vault
  if (!policy) return null
  const isSame = (one: string) => one.toLowerCase() === address.toLowerCase()
  if (blockedRecipientAddresses.some(isSame)) return { kind: 'blocked' }
  if ([policy.executorAddress, ...policy.approverAddresses].some(isSame)) {
    return { kind: 'has_role' }
  }
  const pending = pendingRecipients.find((one) => isSame(one.address))
  if (pending) return { kind: 'later', from: pending.allowedFrom }
  return policy.recipientAddresses.some(isSame) ? { kind: 'payable' } : { kind: 'unlisted' }
}
