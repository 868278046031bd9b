/** A service with customers whose money is stuck, each for a reason of its own. */
import { vaultAbi } from '@countersign/proof/vault-artifact.ts'
import { expect, vi } from 'vitest'
import { circleExecutor } from '#test/adapters/circle.ts'
import type { TestApp } from '#test/support/app.ts'
import { type CircleEmulator, fates, startCircleEmulator } from '#test/support/circle-emulator.ts'
import {
  ageAttempts,
  ENGINE_PATH,
  type FaultyTreasury,
  startFaultyTreasury,
  withhold,
} from '#test/support/faulty-nodes.ts'
import { look } from '#test/support/health.ts'
import { untilPayment } from '#test/support/paid-once.ts'
import {
  approve,
  awaitingApproval,
  openPayingHouse,
  type PayingHouse,
  type ReadExpense,
} from '#test/support/payments.ts'
import { overviewOf } from '#test/support/treasury.ts'
import { writeUnrecorded } from '#test/support/unrecorded-books.ts'

export type PlantedFaults = {
  service: TestApp
  /** Sent with the lower nonce, and never mined. */
  unmined: ReadExpense
  /** Sent after it, so it cannot be mined before. */
  behind: ReadExpense
  paused: ReadExpense
  denied: ReadExpense
  /** The transaction in which a vault paid what nobody asked for here. */
  unrecordedHash: string
  /** From now on no log is read, as long ago as this. */
  stopFollower(interval: string): Promise<void>
  stop(): Promise<void>
}

const rename = ({ service }: FaultyTreasury, { id }: PayingHouse, name: string) =>
  service.database.asOwner('update organizations set name = $2 where id = $1', [id, name])

async function approved(house: PayingHouse, purpose: string): Promise<ReadExpense> {
  const expense = await awaitingApproval(house, { purpose })
  expect((await approve(house, expense)).status).toBe(202)
  return expense
}

/** One provider for each organization, though a deployment has only one at a time. */
async function plantDenial(treasury: FaultyTreasury, circle: CircleEmulator) {
  const { ctx } = treasury.service
  const local = ctx.executor
  ctx.executor = circleExecutor(circle)
  const house = await openPayingHouse(treasury, { hasGas: false })
  await rename(treasury, house, 'Orbit Labs')
  circle.destine(fates.denied)
  const denied = await approved(house, 'Telescope mirrors')
  await untilPayment(house, denied.paymentId, 'blocked')
  ctx.executor = local
  return denied
}

/** The node takes both transactions and passes neither on, for ten minutes already. */
async function plantStuckNonce(treasury: FaultyTreasury, house: PayingHouse) {
  withhold(treasury)
  const sent: ReadExpense[] = []
  for (const purpose of ['Paper for the spring catalogue', 'Ink for the spring catalogue']) {
    const expense = await approved(house, purpose)
    await untilPayment(house, expense.paymentId, 'broadcast')
    sent.push(expense)
  }
  for (const { paymentId } of sent) await ageAttempts(house, paymentId, '10 minutes')
  const [unmined, behind] = sent as [ReadExpense, ReadExpense]
  return { unmined, behind }
}

/** The owner pauses the policy after the signature, before the payment is sent. */
async function plantPause(treasury: FaultyTreasury, house: PayingHouse): Promise<ReadExpense> {
  const { node, chain } = treasury
  const withheld = node.trouble
  const executor = house.executor.toLowerCase()
  node.trouble = (call) => {
    const isTrial = call.method === 'eth_call' && call.params[0]?.from?.toLowerCase() === executor
    return isTrial ? 'hang up' : withheld(call)
  }
  const paused = await approved(house, 'Glue for the spring catalogue')
  const brake = { abi: vaultAbi, functionName: 'emergencyPause', args: [] }
  await chain.mined(await house.ownerWallet.call({ address: house.vault.address, ...brake }))
  await vi.waitFor(async () => {
    expect((await overviewOf(treasury, house)).policy.paused).toBe(true)
  }, 20_000)
  node.trouble = withheld
  await untilPayment(house, paused.paymentId, 'blocked')
  return paused
}

/** The node answers everything but questions for logs, and the follower cannot go on. */
async function stopFollower({ node, chain, service }: FaultyTreasury, interval: string) {
  const { trouble } = node
  node.trouble = (call) =>
    call.method === 'eth_getLogs' && call.path !== ENGINE_PATH ? 'hang up' : trouble(call)
  await chain.request('evm_mine')
  const age = 'update chain_position set seen_at = seen_at - $1::interval'
  await service.database.asOwner(age, [interval])
  await look(service)
}

export async function plantFaults(): Promise<PlantedFaults> {
  const treasury = await startFaultyTreasury()
  const { service } = treasury
  Object.assign(service.ctx.config.streams, { lifetimeMs: 600_000 })
  const circle = await startCircleEmulator({ chain: treasury.chain, accountType: 'SCA' })
  const denied = await plantDenial(treasury, circle)
  const house = await openPayingHouse(treasury)
  await rename(treasury, house, 'Harbour Print')
  const { unmined, behind } = await plantStuckNonce(treasury, house)
  const paused = await plantPause(treasury, house)
  const vault = { organizationId: house.id, vaultId: house.vault.id }
  const { transactionHash: unrecordedHash } = await writeUnrecorded(service, vault)
  return {
    ...{ service, denied, unmined, behind, paused, unrecordedHash },
    stopFollower: (interval) => stopFollower(treasury, interval),
    async stop() {
      await treasury.stop()
      await circle.stop()
    },
  }
}
