/** A deposit, or the token approval before it, that nobody mines: replaced at its nonce. */
import { type Hex, parseTransaction } from 'viem'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import {
  type FaultyTreasury,
  mine,
  startFaultyTreasury,
  untilLooked,
  type Withheld,
  withhold,
} from '#test/support/faulty-nodes.ts'
import {
  actionOf,
  attachControl,
  type FundingHouse,
  giveGas,
  openFundingHouse,
  readyToDeposit,
  replaceProvider,
  requestAction,
  signerOf,
  tokensOf,
  untilAction,
} from '#test/support/funding.ts'
import { auditTrail } from '#test/support/steps.ts'

type Signed = { raw: Hex; hash: Hex; outcome: string | null }

const CONFIRMATIONS = 3
let treasury: FaultyTreasury
let house: FundingHouse

beforeAll(async () => {
  treasury = await startFaultyTreasury({ confirmations: CONFIRMATIONS })
  giveGas(treasury)
  house = await openFundingHouse(treasury)
  await becomeReady(house)
})
afterEach(() => treasury.node.heal())
afterAll(() => treasury.stop())

/** A block comes only with a transaction, so finality has to be mined, the token approval's too. */
async function becomeReady(owner: FundingHouse): Promise<void> {
  const blocks = setInterval(() => void mine(treasury, 1), 200)
  const settled = async () => {
    await readyToDeposit(treasury, owner)
    const unsettled = 'select 1 from funding_transactions where outcome is null'
    await vi.waitFor(async () => expect(await rows(unsettled, [])).toEqual([]), 20_000)
  }
  await settled().finally(() => clearInterval(blocks))
}

const rows = <T extends object>(text: string, values: unknown[]) =>
  treasury.service.database.asOwner<T>(text, values)

const signedOf = (id: string) =>
  rows<Signed>(
    `select raw, transaction_hash as hash, outcome from funding_transactions
     where action_id = $1 or (action_id is null and control_id = $1) order by created_at, id`,
    [id],
  )

/** As if it had been signed and sent half a minute earlier. */
const waitLonger = (id: string) =>
  rows(
    `update funding_transactions set created_at = created_at - interval '31 seconds'
     where action_id = $1 or (action_id is null and control_id = $1)`,
    [id],
  )

const untilSigned = (id: string, count: number) =>
  vi.waitFor(
    async () => {
      const signed = await signedOf(id)
      expect(signed).toHaveLength(count)
      return signed
    },
    { timeout: 60_000, interval: 100 },
  )

/** Signed, taken by the node, and never mined. */
async function stuck(): Promise<{ id: string; withheld: Withheld }> {
  const withheld = withhold(treasury)
  // The deposit before is confirmed a moment before its wallet is free.
  const { id } = await vi.waitFor(async () => {
    const asked = await requestAction(treasury, house, { amountBaseUnits: '100' })
    expect(asked.status, asked.text).toBe(202)
    return asked.body
  }, 30_000)
  await untilSigned(id, 1)
  await untilAction(treasury, house, id, 'broadcast')
  return { id, withheld }
}

const placeOf = ({ raw }: Signed) => {
  const { nonce, to, data, value, gas } = parseTransaction(raw)
  return { nonce, to, data, value, gas }
}

/** The same place and call, with a fee that is an eighth higher at least. */
function expectReplaced(first: Signed | undefined, second: Signed | undefined): void {
  if (!first || !second) throw new Error('Nothing was signed')
  expect(placeOf(second)).toEqual(placeOf(first))
  const [before = 0n, after = 0n] = [first, second].map(
    ({ raw }) => parseTransaction(raw).maxFeePerGas ?? 0n,
  )
  expect(after * 8n).toBeGreaterThanOrEqual(before * 9n)
}

const becomeFinal = () => mine(treasury, CONFIRMATIONS)

describe('a deposit that nobody mines', () => {
  test('is replaced with the same call and a higher fee, and is in the vault once', async () => {
    const before = await tokensOf(treasury, house.vault.address)
    const { id, withheld } = await stuck()
    await waitLonger(id)
    const [first, second] = await untilSigned(id, 2)
    expectReplaced(first, second)
    await vi.waitFor(() => expect(withheld.raws).toContain(second?.raw), 10_000)
    await withheld.deliver(second?.raw)
    await becomeFinal()
    const done = await untilAction(treasury, house, id, 'confirmed')
    expect(done.transactionHash).toBe(second?.hash)
    expect((await signedOf(id)).map((one) => one.outcome)).toEqual(['lost', 'succeeded'])
    expect(await tokensOf(treasury, house.vault.address)).toBe(before + 100n)
    const trail = await auditTrail(treasury.service.database, house.id)
    const own = trail.filter(({ aggregateId }) => aggregateId === id)
    expect(own.map(({ action }) => action.replace('funding_action.', ''))).toEqual([
      'requested',
      'broadcast',
      'confirmed',
    ])
  })

  test('is confirmed with whichever bytes were mined, replaced or not', async () => {
    const before = await tokensOf(treasury, house.vault.address)
    const { id, withheld } = await stuck()
    await waitLonger(id)
    const [first, second] = await untilSigned(id, 2)
    await withheld.deliver(first?.raw)
    // It is at the head, and not final: nothing is decided.
    await untilLooked(treasury.node)
    expect(await actionOf(treasury, house, id)).toMatchObject({ state: 'broadcast' })
    await becomeFinal()
    const done = await untilAction(treasury, house, id, 'confirmed')
    expect(done.transactionHash).toBe(first?.hash)
    expect((await signedOf(id)).map((one) => one.outcome)).toEqual(['succeeded', 'lost'])
    await expect(withheld.deliver(second?.raw)).rejects.toThrow(/nonce/i)
    expect(await tokensOf(treasury, house.vault.address)).toBe(before + 100n)
  })

  test('is not replaced when the policy allows it no more: the same bytes go out', async () => {
    const { id, withheld } = await stuck()
    const restore = replaceProvider(treasury, () => ({
      sign: async () => ({ outcome: 'denied', code: 'policy_expired' }) as const,
    }))
    // A pass that began before still signs with the earlier provider.
    for (let pass = 0; pass < 3; pass += 1) await untilLooked(treasury.node)
    await waitLonger(id)
    const sent = withheld.raws.length
    await vi.waitFor(() => expect(withheld.raws.length).toBeGreaterThan(sent), 20_000)
    const [first, ...others] = await signedOf(id)
    expect(others).toEqual([])
    expect(new Set(withheld.raws)).toEqual(new Set([first?.raw]))
    await withheld.deliver(first?.raw)
    await becomeFinal()
    await untilAction(treasury, house, id, 'confirmed')
    restore()
  })
})

test('a deposit that the vault would refuse fails with the reason, unsigned', async () => {
  const { ctx } = treasury.service
  const { paymentChain } = ctx
  ctx.paymentChain = {
    ...paymentChain,
    preflight: async () => ({ outcome: 'reverts', code: 'token_refused' }),
  }
  const { body } = await requestAction(treasury, house, { amountBaseUnits: '1' })
  const done = await untilAction(treasury, house, body.id, 'failed')
  ctx.paymentChain = paymentChain
  expect(done).toMatchObject({ failureCode: 'token_refused', transactionHash: null })
  expect(await signedOf(body.id)).toEqual([])
})

test('a token approval that nobody mines is replaced, too', async () => {
  const other = await openFundingHouse(treasury)
  const withheld = withhold(treasury)
  const { body } = await attachControl(treasury, other)
  await untilSigned(body.id, 1)
  await waitLonger(body.id)
  const [first, second] = await untilSigned(body.id, 2)
  expectReplaced(first, second)
  await withheld.deliver(second?.raw)
  treasury.node.heal()
  await becomeFinal()
  await vi.waitFor(
    async () => {
      expect((await signerOf(treasury, other)).blockers).toEqual([])
      const outcomes = (await signedOf(body.id)).map((one) => one.outcome)
      expect(outcomes).toEqual(['lost', 'succeeded'])
    },
    { timeout: 40_000, interval: 200 },
  )
})
