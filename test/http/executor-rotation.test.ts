/** A second executor is provisioned while the first one pays, and takes over. */
import { checksummed } from '@countersign/proof/values.ts'
import type { Hex } from 'viem'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { watchExecutor } from '#executor/watch-executor.ts'
import {
  ENGINE_PATH,
  type FaultyTreasury,
  startFaultyTreasury,
  withhold,
} from '#test/support/faulty-nodes.ts'
import {
  approve,
  awaitingApproval,
  CAPS,
  openPayingHouse,
  type PayingHouse,
  readPayment,
  renewPolicy,
  submitAutomatic,
  untilState,
} from '#test/support/payments.ts'
import { detailOf, follow, passTime, propose, untilFollowed } from '#test/support/proposals.ts'
import { freshKey, outcome } from '#test/support/steps.ts'
import { configurePolicy, deployVault, deposit, preparePolicy } from '#test/support/treasury.ts'

vi.setConfig({ testTimeout: 90_000, hookTimeout: 90_000 })

let treasury: FaultyTreasury

beforeAll(async () => {
  treasury = await startFaultyTreasury()
})
afterAll(() => treasury.stop())
afterEach(() => treasury.node.heal())

const open = (): Promise<PayingHouse> => openPayingHouse(treasury)

const provision = ({ path, owner }: PayingHouse) =>
  treasury.service.call('POST', `${path}/executor/provision`, {
    token: owner.token,
    headers: freshKey(),
  })

const statusOf = async ({ path, owner }: PayingHouse) =>
  (await treasury.service.call('GET', `${path}/executor`, { token: owner.token })).body

/** With gas; no policy names it yet. */
async function addNext(house: PayingHouse): Promise<string> {
  const asked = await provision(house)
  expect(asked.status).toBe(202)
  expect(asked.body.binding.address).toBe(house.executor)
  expect(asked.body.provisioning.state).toBe('requested')
  const next = await vi.waitFor(async () => {
    const { otherBindings } = await statusOf(house)
    expect(otherBindings).toMatchObject([{ state: 'next' }])
    return otherBindings[0]
  }, 20_000)
  await treasury.chain.request('hardhat_setBalance', next.address, '0xde0b6b3a7640000')
  return next.address
}

const pass = ({ id: organizationId }: PayingHouse) =>
  watchExecutor(treasury.service.ctx, { organizationId })

/** Of the executors that are not active. A pass takes a while, so there are few. */
const untilOthers = (house: PayingHouse, ...states: string[]) =>
  vi.waitFor(
    async () => {
      await pass(house)
      const status = await statusOf(house)
      expect(status.otherBindings.map(({ state }: { state: string }) => state)).toEqual(states)
      return status
    },
    { timeout: 40_000, interval: 250 },
  )

async function payerOf(house: PayingHouse, deadlineSeconds?: number): Promise<string> {
  const expense = await awaitingApproval(house)
  await approve(house, expense, undefined, deadlineSeconds ? { deadlineSeconds } : {})
  await untilState(house, expense.id, 'paid')
  return (await readPayment(house, expense.paymentId)).payment.executorAddress
}

test('the old executor pays until a policy names the new one, then it is retired', async () => {
  const house = await open()
  const next = await addNext(house)
  expect(outcome(await provision(house))).toBe('409 state_conflict')
  expect(await payerOf(house)).toBe(house.executor)
  const prepared = await preparePolicy(treasury, house, { vaultId: house.vault.id })
  expect(prepared.body).toMatchObject({ kind: 'policy', executorAddress: next })

  await renewPolicy(house)
  const { binding, otherBindings } = await untilOthers(house, 'disabled')
  expect(binding).toMatchObject({ address: next, status: 'active' })
  expect(otherBindings[0].address).toBe(house.executor)
  expect(BigInt(otherBindings[0].nativeBalanceWei)).toBeGreaterThan(0n)
  expect(await payerOf(house)).toBe(next)

  // Only now is there room for a third one.
  expect((await provision(house)).status).toBe(202)
  await untilOthers(house, 'next', 'disabled')
})

test('ten requests at once provision one executor', async () => {
  const house = await open()
  const answers = await Promise.all(Array.from({ length: 10 }, () => provision(house)))
  expect(answers.map(outcome).sort()).toEqual(['202', ...Array(9).fill('409 state_conflict')])
  await untilOthers(house, 'next')
})

test('a provider that fails leaves the executor in use, and reconcile tries again', async () => {
  const house = await open()
  const trouble = vi
    .spyOn(treasury.service.ctx.executor, 'provision')
    .mockImplementation(async () => {
      // As if it were the last of several attempts.
      await treasury.service.database.asOwner(
        'update executor_provisionings set attempts = 5 where organization_id = $1',
        [house.id],
      )
      throw new Error('out of order')
    })
  await provision(house)
  await vi.waitFor(async () => {
    expect((await statusOf(house)).provisioning.state).toBe('failed')
  }, 60_000)
  trouble.mockRestore()
  expect(await statusOf(house)).toMatchObject({
    binding: { address: house.executor },
    otherBindings: [],
  })
  expect(await payerOf(house)).toBe(house.executor)
  const { path, owner } = house
  await treasury.service.call('POST', `${path}/executor/reconcile`, { token: owner.token })
  await untilOthers(house, 'next')
})

describe('the lane of the old executor', () => {
  test('settles what it has sent before it is retired', async () => {
    const house = await open()
    await addNext(house)
    const withheld = withhold(treasury)
    const expense = await awaitingApproval(house)
    await approve(house, expense)
    await vi.waitFor(async () => {
      const { payment } = await readPayment(house, expense.paymentId)
      expect(payment.state).toBe('broadcast')
    }, 20_000)
    await renewPolicy(house)
    await untilOthers(house, 'draining')
    await pass(house)
    expect((await untilOthers(house, 'draining')).binding.address).not.toBe(house.executor)

    // The vault refuses the old executor from now on: the transaction reverts.
    await withheld.deliver(withheld.raws[0])
    await untilOthers(house, 'disabled')
    const { payment } = await readPayment(house, expense.paymentId)
    expect(payment).toMatchObject({ executorAddress: house.executor, state: 'failed' })
  })

  test('gives automatic payments that it has not sent to the new one', async () => {
    const house = await open()
    const next = await addNext(house)
    await treasury.chain.request('hardhat_setBalance', house.executor, '0x0')
    const { id, paymentId } = await submitAutomatic(house)
    await vi.waitFor(async () => {
      expect((await readPayment(house, paymentId)).payment.state).toBe('queued')
    }, 20_000)
    await renewPolicy(house)
    await untilState(house, id, 'paid')
    expect((await readPayment(house, paymentId)).payment.executorAddress).toBe(next)
  })

  test('blocks none of them if it tries again before the new policy is read', async () => {
    const house = await open()
    const next = await addNext(house)
    await treasury.chain.request('hardhat_setBalance', house.executor, '0x0')
    const { id, paymentId } = await submitAutomatic(house)
    const triedTimes = async () => {
      const text = 'select postponed_times as times from payments where id = $1'
      const [row] = await treasury.service.database.asOwner<{ times: number }>(text, [paymentId])
      return row?.times ?? 0
    }
    await expect.poll(triedTimes).toBeGreaterThan(0)

    const { body } = await preparePolicy(treasury, house, { vaultId: house.vault.id, terms: CAPS })
    treasury.node.trouble = ({ path }) => (path === ENGINE_PATH ? undefined : 'hang up')
    await treasury.chain.mined(await house.ownerWallet.send(body.transaction))
    const before = await triedTimes()
    // Once more, because a pass may have begun before the policy was mined.
    await expect.poll(triedTimes).toBeGreaterThan(before + 1)
    treasury.node.heal()
    await untilState(house, id, 'paid')
    expect((await readPayment(house, paymentId)).payment.executorAddress).toBe(next)
  })

  test('goes on paying from a vault whose policy still names it', async () => {
    const house = await open()
    const vault = await deployVault(treasury, house, 'Second')
    const terms = { approvedCap: '50000000', automaticCap: '1', lifetimeCap: '90000000' }
    await configurePolicy(treasury, house, { vaultId: vault.id, terms })
    await deposit(treasury, house, { vault: vault.address, amount: 50_000_000n })
    const next = await addNext(house)
    await renewPolicy(house)
    await untilOthers(house, 'draining')
    expect(await payerOf(house)).toBe(next)
    expect(await payerOf({ ...house, vault })).toBe(house.executor)
  })
})

describe('in a vault with a change delay', () => {
  const DELAY_SECONDS = 86_400

  // Last, because the chain's clock is ahead afterwards.
  test('the old one pays until the new one has activated the policy that names it', async () => {
    const opened = await openPayingHouse(treasury, { changeDelaySeconds: DELAY_SECONDS })
    const house: PayingHouse & { executor: Hex } = opened
    const next = await addNext(house)
    await pass(house)
    const terms = { approvedCap: '50000000', automaticCap: '1', lifetimeCap: '90000000' }
    await propose(house, terms)
    expect(await payerOf(house)).toBe(house.executor)
    const waiting = await statusOf(house)
    expect(waiting.binding.address).toBe(house.executor)
    expect(waiting.otherBindings).toMatchObject([{ address: next, state: 'next' }])

    await passTime(house, DELAY_SECONDS + 1)
    await untilFollowed(house)
    await follow(house)
    const { binding, otherBindings } = await untilOthers(house, 'disabled')
    expect(binding.address).toBe(next)
    const { policy } = await detailOf(house)
    expect(policy).toMatchObject({ version: 2, executorAddress: next })
    const hash = policy.chainTransactionHash
    const { from } = await treasury.chain.client.getTransaction({ hash })
    expect(checksummed(from)).toBe(next)
    // What is left can be collected: it is what the chain says.
    const left = await treasury.chain.client.getBalance({ address: house.executor })
    expect(otherBindings[0]).toMatchObject({
      address: house.executor,
      nativeBalanceWei: left.toString(),
    })
    expect(left).toBeGreaterThan(0n)
    expect(await payerOf(house, 2 * DELAY_SECONDS)).toBe(next)
  })
})
