/** Evidence names the log that allowed the recipient in the vault that pays. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findEvidence } from '#payments/evidence/evidence.store.ts'
import { startTestApp, type TestApp } from '#test/support/app.ts'
import { expenseIn } from '#test/support/expense-states.ts'
import { openSigningHouse, signAs } from '#test/support/signing.ts'
import { liftOwnersRowSecurity } from '#test/support/steps.ts'

let service: TestApp
let key: { organizationId: string; paymentId: string }

const hash = (digit: string) => `0x${digit.repeat(64)}`

beforeAll(async () => {
  service = await startTestApp()
  await liftOwnersRowSecurity(service.database)
  const house = await openSigningHouse(service)
  const expense = await expenseIn(service, house, 'awaiting_approval')
  expect((await signAs(service, house, expense, house.signer)).status).toBe(202)
  key = { organizationId: house.organization.id, paymentId: expense.paymentId }
})
afterAll(() => service.stop())

/** The recipient is added to a vault in this block, with the block's number as the version. */
async function allow(vaultId: string, block: number): Promise<void> {
  await service.database.asOwner(
    `insert into vault_recipient_logs (organization_id, vault_id, address, block_number, log_index,
       kind, allowed_from, recipients_version, transaction_hash, block_time)
     select p.organization_id, $2, p.recipient_address, $3, 0, 'added', now(), $3, $4, now()
     from payments p where p.id = $1`,
    [key.paymentId, vaultId, block, hash(String(block % 10))],
  )
}

test('a later log of another vault does not take its place', async () => {
  const { asOwner } = service.database
  const [own] = await asOwner<{ id: string }>('select id from vaults')
  const other = { id: randomUUID(), address: `0x${'3c'.repeat(20)}`, is_default: false }
  await asOwner(
    `insert into vaults
     select (jsonb_populate_record(v, $1::jsonb)).* from vaults v`,
    [JSON.stringify({ ...other, label: 'Other' })],
  )
  await allow(own?.id ?? '', 1_001)
  await allow(other.id, 1_002)
  const { organizationId } = key
  const evidence = await service.ctx.db.transaction({ organizationId }, (tx) =>
    findEvidence(tx, key),
  )
  expect(evidence?.recipient).toMatchObject({
    recipientsVersion: 1_001,
    transactionHash: hash('1'),
  })
})
