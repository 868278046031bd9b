/** Another vault of the same organization that can pay as well. */
import { expect, vi } from 'vitest'
import { CAPS, type PayingHouse } from './payments.ts'
import { configurePolicy, deployVault, deposit, type VaultRecord } from './treasury.ts'

export async function openSecondVault(house: PayingHouse, amount: bigint): Promise<VaultRecord> {
  const { treasury } = house
  const { id, ...rest } = await deployVault(treasury, house, 'Second')
  await configurePolicy(treasury, house, { vaultId: id, terms: CAPS })
  await deposit(treasury, house, { vault: rest.address, amount })
  await vi.waitFor(async () => {
    const [row] = await treasury.service.database.asOwner<{ balance: string }>(
      'select balance::text from vaults where id = $1',
      [id],
    )
    expect(row?.balance).toBe(amount.toString())
  }, 20_000)
  return { id, ...rest }
}
