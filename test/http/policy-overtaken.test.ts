/** The follower reads the block that superseded a policy while its outcome is being settled. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { followStep } from '#chain/follower.ts'
import { beforeQuestion } from '#test/support/between-questions.ts'
import { type FaultyTreasury, startFaultyTreasury } from '#test/support/faulty-nodes.ts'
import { liftOwnersRowSecurity } from '#test/support/steps.ts'
import {
  deployVault,
  type House,
  openHouse,
  preparePolicy,
  provisionExecutor,
  type VaultRecord,
} from '#test/support/treasury.ts'
import { treasuryLogHandlers } from '#treasury/apply-log.ts'
import { settleIntent } from '#treasury/settle-intent.ts'

let treasury: FaultyTreasury
let house: House
let vault: VaultRecord

beforeAll(async () => {
  treasury = await startFaultyTreasury()
  house = await openHouse(treasury)
  vault = await deployVault(treasury, house)
  await provisionExecutor(treasury, house)
  await liftOwnersRowSecurity(treasury.service.database)
  await treasury.worker.stop()
})
afterAll(() => treasury.stop())

async function follow(): Promise<void> {
  const { ctx } = treasury.service
  while ((await followStep(ctx, treasuryLogHandlers(ctx))) !== 'idle');
}

/** A policy transaction that reverted because another came first; the follower has read neither. */
async function overtaken(): Promise<string> {
  const prepare = () => preparePolicy(treasury, house, { vaultId: vault.id })
  const [first, late] = [(await prepare()).body, (await prepare()).body]
  await treasury.chain.mined(await house.ownerWallet.send(first.transaction))
  const transactionHash = await house.ownerWallet.send(late.transaction)
  expect(await treasury.chain.mined(transactionHash)).toBe('reverted')
  const url = `${house.path}/vaults/${vault.id}/policy-intents/${late.id}/confirm`
  const call = { token: house.owner.token, body: { transactionHash } }
  const { body } = await treasury.service.call('POST', url, call)
  expect(body).toMatchObject({ state: 'submitted', failureCode: null })
  return late.id
}

test.each([1, 2, 3, 4, 5])(
  'records superseded, never just reverted, when the follower runs before query %i',
  async (place) => {
    const { ctx, database } = treasury.service
    const intentId = await overtaken()
    const payload = { organizationId: house.id, intentId, kind: 'policy' as const }
    const { db, hasHappened } = beforeQuestion(ctx.db, place, follow)
    await settleIntent({ ...ctx, db }, payload)
    expect(hasHappened()).toBe(true)
    await follow()
    await settleIntent(ctx, payload)
    const [row] = await database.asOwner(
      'select state, failure_code as code from policy_intents where id = $1',
      [intentId],
    )
    expect(row).toEqual({ state: 'failed', code: 'superseded' })
  },
)
