/** Who must not get at a funding wallet: an owner elsewhere, and whoever writes in the database. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { AppError } from '#platform/errors.ts'
import { joinOrganization } from '#test/support/app.ts'
import { makeServerWallet } from '#test/support/exports.ts'
import {
  attachControl,
  type FundingHouse,
  giveGas,
  openFundingHouse,
  readyToDeposit,
  replaceProvider,
  signerOf,
} from '#test/support/funding.ts'
import { liftOwnersRowSecurity, outcome } from '#test/support/steps.ts'
import { startTreasury, type Treasury } from '#test/support/treasury.ts'

const MAX = 3_000n
let treasury: Treasury
let house: FundingHouse

beforeAll(async () => {
  treasury = await startTreasury({ env: { FUNDING_MAX_BASE_UNITS: String(MAX) } })
  giveGas(treasury)
  await liftOwnersRowSecurity(treasury.service.database)
  house = await openFundingHouse(treasury)
  await readyToDeposit(treasury, house)
})
afterAll(() => treasury.stop())

const silence = async () => {
  throw new AppError('dependency_unavailable', { retryAfterSeconds: 1 })
}

/** As whoever has got hold of the database, and of nothing else. */
const tamper = (statement: string, values: unknown[]) =>
  treasury.service.database.asOwner<Record<string, string>>(statement, values)

test("an owner cannot have a member's own wallet deposit, not even by a role from before", async () => {
  const { service } = treasury
  const thief = await openFundingHouse(treasury, { role: false, baseUnits: 0n })
  const victim = await joinOrganization(service, thief, { role: 'employee' })
  const wallet = await makeServerWallet(service, { realm: 'consumer', ...victim })
  const { token } = thief.owner
  const { body } = await service.call('GET', `${thief.path}/members`, { token })
  const { membershipId } = body.members.find(({ role }: { role: string }) => role === 'employee')
  const role = { membershipId, walletId: wallet.id, role: 'treasury_owner' }
  const given = await service.call('POST', `${thief.path}/wallet-roles`, { token, body: role })
  expect(outcome(given)).toBe('403 forbidden')
  await tamper(
    `insert into wallet_roles (id, organization_id, membership_id, account_id, wallet_id, role,
       state, created_at)
     select $4, $1, $2, account_id, id, 'treasury_owner', 'active', now() from wallets where id = $3`,
    [thief.id, membershipId, wallet.id, service.ctx.ids.next()],
  )
  expect(outcome(await attachControl(treasury, thief))).toBe('409 treasury_owner_required')
  expect((await signerOf(treasury, thief)).walletRoles).toEqual([])
})
