/** The addresses that a policy prepared now would list: the organization's active ones. */
import { findNextBinding } from '#executor/executor.store.ts'
import { findRoleHolders, listWalletAddressesWithRole } from '#organizations/members.store.ts'
import { listActiveRecipientAddresses } from '#organizations/recipients.store.ts'
import type { Tx } from '#platform/database/database.ts'

export async function readListedAddresses(
  tx: Tx,
  { organizationId, chainId }: { organizationId: string; chainId: number },
) {
  const executor = await findNextBinding(tx, organizationId)
  const role = 'approver'
  return {
    executorAddress: executor?.address,
    approverAddresses: await listWalletAddressesWithRole(tx, { organizationId, role }),
    /** How many people the approvers are. */
    approverAccounts: await findRoleHolders(tx, { organizationId, role }),
    recipientAddresses: await listActiveRecipientAddresses(tx, { organizationId, chainId }),
  }
}
