/** A journey from vault to payment: every address in the audit trails is checksummed. */
import { vaultAbi } from '@countersign/proof/vault-artifact.ts'
import { getAddress } from 'viem'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { signInOperator } from '#test/support/operators.ts'
import {
  approve,
  awaitingApproval,
  openPayingHouse,
  type PayingHouse,
  step,
  untilState,
} from '#test/support/payments.ts'
import { auditTrail, liftOwnersRowSecurity } from '#test/support/steps.ts'
import { startTreasury, type Treasury } from '#test/support/treasury.ts'
import { writeUnrecorded } from '#test/support/unrecorded-books.ts'

vi.setConfig({ testTimeout: 120_000 })

let treasury: Treasury
let house: PayingHouse

beforeAll(async () => {
  treasury = await startTreasury()
  await liftOwnersRowSecurity(treasury.service.database)
  house = await openPayingHouse(treasury)
})
afterAll(() => treasury.stop())

const addressesIn = (data: unknown): string[] =>
  JSON.stringify(data).match(/0x[0-9a-fA-F]{40}(?![0-9a-fA-F])/g) ?? []

const untilRecorded = (action: string) =>
  vi.waitFor(
    async () => {
      const trail = await auditTrail(treasury.service.database, house.id)
      expect(trail.map((event) => event.action)).toContain(action)
    },
    { timeout: 45_000, interval: 50 },
  )

/** Actions whose audit events name an address, besides those from opening the house. */
async function journey(): Promise<void> {
  const { service, chain } = treasury
  const expense = await awaitingApproval(house)
  expect((await approve(house, expense)).status).toBe(202)
  await untilState(house, expense.id, 'paid')
  await writeUnrecorded(service, { organizationId: house.id, vaultId: house.vault.id })
  const pause = { address: house.vault.address, abi: vaultAbi, functionName: 'emergencyPause' }
  await chain.mined(await house.ownerWallet.call({ ...pause, args: [] }))
  await untilRecorded('policy.paused')
  await step(house, `recipients/${house.recipientId}/deactivate`, undefined)
  const { token } = await signInOperator(service)
  const q = house.vault.address.toLowerCase()
  expect((await service.call('GET', `/v1/admin/organizations?q=${q}`, { token })).status).toBe(200)
}

test('writes only checksummed addresses into the audit trails', async () => {
  await journey()
  const { database } = treasury.service
  const trails = [await auditTrail(database, house.id), await auditTrail(database, null)]
  const wrong = trails
    .flat()
    .flatMap(({ action, data }) =>
      addressesIn(data).flatMap((address) =>
        address === getAddress(address.toLowerCase()) ? [] : [`${action}: ${address}`],
      ),
    )
  expect(wrong).toEqual([])
  const named = trails.flat().filter(({ data }) => addressesIn(data).length > 0)
  // Ensures that the check above covers these actions.
  expect([...new Set(named.map(({ action }) => action))]).toEqual(
    expect.arrayContaining([
      ...['approval.prepared', 'executor.provisioned', 'operator.read', 'policy.paused'],
      ...['policy_intent.prepared', 'recipient.added', 'recipient.deactivated'],
      ...['unrecorded_payment.found', 'vault_deployment.prepared', 'wallet.linked'],
      ...['wallet_role.assigned', 'vault.verified'],
    ]),
  )
})
