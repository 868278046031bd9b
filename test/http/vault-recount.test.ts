/** After a rollback, a vault's totals are counted again from the logs that are left. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '#test/support/app.ts'
import { openSigningHouse, type SigningHouse } from '#test/support/signing.ts'
import { liftOwnersRowSecurity } from '#test/support/steps.ts'
import { recountVault } from '#treasury/vaults.store.ts'

let service: TestApp
let house: SigningHouse
let vaultId: string
const otherVaultId = randomUUID()
const HASH = `0x${'1a'.repeat(32)}`
const [ADDRESS, OTHER_ADDRESS] = [`0x${'2b'.repeat(20)}`, `0x${'3c'.repeat(20)}`]

beforeAll(async () => {
  service = await startTestApp()
  await liftOwnersRowSecurity(service.database)
  house = await openSigningHouse(service)
  const { asOwner } = service.database
  const [own] = await asOwner<{ id: string }>('select id from vaults')
  vaultId = own?.id ?? ''
  const changed = { id: otherVaultId, address: OTHER_ADDRESS, is_default: false, label: 'Other' }
  await asOwner(
    `insert into vaults
     select (jsonb_populate_record(v, $2::jsonb)).* from vaults v where v.id = $1`,
    [vaultId, JSON.stringify(changed)],
  )
})
afterAll(() => service.stop())

/** As many payments, and numbers as high, as the log of that vault would have led to. */
async function writeLogs(vault: string, { amount, version }: { amount: number; version: number }) {
  const { asOwner } = service.database
  const key = [house.organization.id, vault]
  await asOwner(
    `insert into vault_payments (organization_id, vault_id, chain_payment_id, recipient_address,
       mode, amount, transaction_hash, block_number, block_time)
     values ($1, $2, $3, $4, 'approved', $5, $6, 1, now())`,
    [...key, `0x${randomUUID().replaceAll('-', '').padEnd(64, '0')}`, ADDRESS, amount, HASH],
  )
  await asOwner(
    `insert into vault_recipient_logs (organization_id, vault_id, address, block_number, log_index,
       kind, allowed_from, recipients_version, transaction_hash, block_time)
     values ($1, $2, $3, 1, 1, 'added', now(), $4, $5, now())`,
    [...key, ADDRESS, version, HASH],
  )
  await asOwner(
    `insert into vault_pauses (organization_id, vault_id, policy_version, block_number, log_index,
       pause_number, paused, transaction_hash)
     values ($1, $2, 1, 1, 2, $3, true, $4)`,
    [...key, version + 1, HASH],
  )
  await asOwner(
    `insert into policies
     select (jsonb_populate_record(p, jsonb_build_object(
       'id', gen_random_uuid(), 'vault_id', $1::uuid, 'version', $3::integer))).*
     from policies p where p.vault_id = $2 order by p.version limit 1`,
    [vault, vaultId, version + 2],
  )
}

test('the totals of one vault count nothing of another', async () => {
  await writeLogs(vaultId, { amount: 5, version: 20 })
  await writeLogs(otherVaultId, { amount: 70, version: 90 })
  const { id: organizationId } = house.organization
  await service.ctx.db.transaction({ organizationId }, async (tx) => {
    recountVault(tx, { organizationId, vaultId })
  })
  const [row] = await service.database.asOwner(
    `select spent_total::integer as spent, recipients_version::integer as recipients,
       pause_number::integer as pause, policy_version::integer as policy
     from vaults where id = $1`,
    [vaultId],
  )
  expect(row).toEqual({ spent: 5, recipients: 20, pause: 21, policy: 22 })
})
