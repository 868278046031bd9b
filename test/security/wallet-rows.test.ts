/** Row-level security on the wallets of a member who left. */
import { randomUUID } from 'node:crypto'
import sql from 'sql-template-tag'
import { beforeAll, expect, test } from 'vitest'
import { type House, house as openHouse } from '#test/security/house.ts'
import type { TestApp } from '#test/support/app.ts'
import { sharedTestApp } from '#test/support/shared-app.ts'

let service: TestApp
let house: House

beforeAll(async () => {
  service = await sharedTestApp()
  house = await openHouse(service)
})

test('of a member who left, wallets made after that instant are invisible', async () => {
  const { accountId } = house.revoked
  const id = { before: randomUUID(), at: randomUUID(), after: randomUUID() }
  const insert = (walletId: string, later: string, digit: string) =>
    service.database.asOwner(
      `insert into wallets (id, account_id, kind, chain_type, address, created_at)
       select $1, m.account_id, 'external', 'ethereum', $2, m.revoked_at + $3::interval
       from memberships m where m.organization_id = $4 and m.account_id = $5`,
      [walletId, `0x${digit.repeat(40)}`, later, house.organization.id, accountId],
    )
  await insert(id.before, '-1 microsecond', '5')
  await insert(id.at, '0', '6')
  await insert(id.after, '1 microsecond', '7')
  const own = `select id from wallets where account_id = '${accountId}' order by created_at`
  const seen = async (scope: { organizationId?: string; accountId?: string }) =>
    (await service.api.db.transaction(scope, (tx) => tx.query<{ id: string }>(sql([own]))))
      .map((row) => row.id)
      .filter((one) => ids.includes(one))
  const ids: string[] = Object.values(id)
  expect(await seen({ organizationId: house.organization.id })).toEqual([id.before, id.at])
  expect(await seen({ accountId })).toEqual([id.before, id.at, id.after])
})
