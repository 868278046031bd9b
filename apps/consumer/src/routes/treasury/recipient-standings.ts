/** Whom a vault pays now, whom later, and whom not at all. */
import type { DataOf } from '@countersign/client/operation-types.ts'

type Vault = Pick<DataOf<'getVault'>, 'policy' | 'pendingRecipients' | 'blockedRecipientAddresses'>

export function standingsOf({ policy, pendingRecipients, blockedRecipientAddresses }: Vault) {
  const out = new Set(
    [...pendingRecipients.map(({ address }) => address), ...blockedRecipientAddresses].map((one) =>
      one.toLowerCase(),
    ),
  )
  return {
    payable: (policy?.recipientAddresses ?? []).filter((one) => !out.has(one.toLowerCase())),
    // One that waits and is blocked is not paid when its time has come.
    pending: pendingRecipients.filter(
      ({ address }) =>
        !blockedRecipientAddresses.some((one) => one.toLowerCase() === address.toLowerCase()),
    ),
    blocked: blockedRecipientAddresses,
  }
}
