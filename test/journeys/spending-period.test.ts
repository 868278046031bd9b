/** Spending periods on a real chain: the service refuses what the vault would, and no sooner. */
import { vaultAbi } from '@countersign/proof/vault-artifact.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  approve,
  awaitingApproval,
  openPayingHouse,
  type PayingHouse,
  prepare,
  renewPolicy,
  untilState,
} from '#test/support/payments.ts'
import { outcome } from '#test/support/steps.ts'
import { startTreasury, type Treasury } from '#test/support/treasury.ts'

/** So long that no test runs across the end of one. */
const YEAR = 31_536_000

let treasury: Treasury
let house: PayingHouse

beforeAll(async () => {
  treasury = await startTreasury()
  house = await openPayingHouse(treasury, {
    policy: { periodSeconds: YEAR, periodCap: '5000000', automaticPeriodCap: '0' },
  })
})
afterAll(() => treasury.stop())

const detail = async () =>
  (
    await treasury.service.call('GET', `${house.path}/vaults/${house.vault.id}`, {
      token: house.owner.token,
    })
  ).body

const onChain = async () => {
  const [total, automatic, endsAt] = await treasury.chain.client.readContract({
    address: house.vault.address,
    abi: vaultAbi,
    functionName: 'spentInPeriod',
  })
  return {
    spentBaseUnits: total.toString(),
    automaticSpentBaseUnits: automatic.toString(),
    endsAt: new Date(Number(endsAt) * 1000).toISOString(),
  }
}

const signed = async (amountBaseUnits: string) => {
  const expense = await awaitingApproval(house, { amountBaseUnits })
  return { expense, answer: await approve(house, expense) }
}

async function refusal(amountBaseUnits: string): Promise<string> {
  const refused = await prepare(house, await awaitingApproval(house, { amountBaseUnits }))
  expect(outcome(refused)).toBe('409 policy_violation')
  return refused.body.error.message
}

test('a payment within the cap is paid, and the vault and the service count it alike', async () => {
  const { expense, answer } = await signed('3000000')
  expect(answer.status).toBe(202)
  await untilState(house, expense.id, 'paid')
  const { period } = await detail()
  expect(period).toMatchObject(await onChain())
  expect(period).toMatchObject({
    periodSeconds: YEAR,
    spentBaseUnits: '3000000',
    reservedBaseUnits: '0',
    remainingBaseUnits: '2000000',
    automaticRemainingBaseUnits: '0',
  })
}, 60_000)

test('one unit more than is left is refused, with the time from which it is possible', async () => {
  const { endsAt } = await onChain()
  const from = endsAt.replace('.000Z', 'Z')
  expect(await refusal('2000001')).toBe(
    `Only 2000000 of the period cap of 5000000 remains. Possible again from ${from}.`,
  )
  expect(await refusal('5000001')).toBe('The amount exceeds the period cap of 5000000.')
}, 60_000)

test.each([
  ['of another length', { periodSeconds: 20_000_000 }],
  ['of the first length again', { periodSeconds: YEAR }],
  ['like the one before', {}],
])(
  'a new policy with a period %s does not reset what was spent',
  async (_name, terms) => {
    await renewPolicy(house, terms)
    const { period } = await detail()
    expect(period).toMatchObject(await onChain())
    expect(period).toMatchObject({ spentBaseUnits: '3000000', remainingBaseUnits: '2000000' })
    expect(await refusal('2000001')).toMatch('Only 2000000 of the period cap of 5000000 remains.')
  },
  60_000,
)

test('what is left can be paid to the last unit, and then nothing', async () => {
  const { expense, answer } = await signed('2000000')
  expect(answer.status).toBe(202)
  await untilState(house, expense.id, 'paid')
  expect((await detail()).period).toMatchObject({ remainingBaseUnits: '0' })
  expect(await refusal('1')).toMatch('Only 0 of the period cap of 5000000 remains.')
}, 60_000)

test('a larger cap makes room at once, without a new period', async () => {
  await renewPolicy(house, { periodCap: '5000001' })
  const { expense, answer } = await signed('1')
  expect(answer.status).toBe(202)
  await untilState(house, expense.id, 'paid')
  expect(await onChain()).toMatchObject({ spentBaseUnits: '5000001' })
}, 60_000)
