/** A vault's list of recipients as rows only, as they would be after a log on chain. */
import type { Tx } from '#platform/database/database.ts'
import { insertRecipientsChange } from '#treasury/vault-recipients.store.ts'
import { findVault } from '#treasury/vaults.store.ts'

const LONG_AGO = 1_600_000_000

/** Adds the addresses to the vault's list; it pays them at once. */
export async function writeListed(
  tx: Tx,
  {
    organizationId,
    vaultId,
    addresses,
    allowedFromSeconds = LONG_AGO,
  }: {
    organizationId: string
    vaultId: string
    addresses: readonly string[]
    allowedFromSeconds?: number
  },
): Promise<void> {
  if (addresses.length === 0) return
  const vault = await findVault(tx, { organizationId, vaultId })
  const recipientsVersion = (vault?.recipientsVersion ?? 0) + 1
  await insertRecipientsChange(tx, {
    organizationId,
    vaultId,
    recipientsVersion,
    allowedFromSeconds,
    added: addresses.map((address) => address.toLowerCase()),
    removed: [],
    blockNumber: 1,
    logIndex: recipientsVersion,
    transactionHash: `0x${'12'.repeat(32)}`,
    timeSeconds: LONG_AGO,
  })
}
