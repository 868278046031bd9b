/** Circle wallets as executors: requests to Circle and the interpretation of its answers. */
import { randomBytes, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ProvisionedExecutor } from '#ports/executor-provider.ts'
import {
  type CircleEmulator,
  type Fault,
  fates,
  startCircleEmulator,
} from '#test/support/circle-emulator.ts'
import {
  anyCall,
  circleExecutor,
  delegate,
  hasty,
  pollReport,
  provisioned,
  provisioning,
  submit,
  unavailability,
} from './circle.ts'

let circle: CircleEmulator

beforeAll(async () => {
  circle = await startCircleEmulator()
})
afterAll(() => circle.stop())

describe('a wallet', () => {
  test('is created once for each provisioning, whatever happens to the answers', async () => {
    const executor = circleExecutor(circle)
    const asked = provisioning()
    const before = circle.wallets.length
    circle.fail('createWallet', 'lost before', 'lost after', { status: 503 })
    for (const _lost of [1, 2, 3]) await unavailability(executor.provision(asked))
    const made = await executor.provision(asked)
    expect(await executor.provision(asked)).toEqual(made)
    expect(circle.wallets.length - before).toBe(1)
    const [wallet] = circle.wallets.slice(-1)
    expect(Buffer.from(made.reference).toString()).toBe(wallet?.id)
    expect(wallet).toMatchObject({
      address: made.address.toLowerCase(),
      walletSetId: circle.env.CIRCLE_WALLET_SET_ID,
      accountType: 'EOA',
      refId: asked.organizationId,
    })
  })

  test('gets a new wallet set where none is configured', async () => {
    const executor = circleExecutor(circle, { CIRCLE_WALLET_SET_ID: '' })
    const asked = provisioning()
    circle.fail('createWalletSet', 'lost after')
    await unavailability(executor.provision(asked))
    await executor.provision(asked)
    const sets = circle.walletSets.filter(({ name }) => name === asked.organizationId)
    expect(sets).toHaveLength(1)
    expect(circle.wallets.at(-1)?.walletSetId).toBe(sets[0]?.id)
  })

  test('of another chain, type or format is rejected', async () => {
    const executor = circleExecutor(circle)
    const good = { id: randomUUID(), address: `0x${'ab'.repeat(20)}`, blockchain: 'ETH-SEPOLIA' }
    const live = { ...good, state: 'LIVE', accountType: 'EOA' }
    const answers = [
      { data: { wallets: [{ ...live, blockchain: 'ETH' }] } },
      { data: { wallets: [{ ...live, accountType: 'SCA' }] } },
      { data: { wallets: [{ ...live, state: 'FROZEN' }] } },
      { data: { wallets: [{ ...live, address: '0x12' }] } },
      { data: { wallets: [{ ...live, id: '../x' }] } },
      { data: { wallets: [live, live] } },
      { data: { wallets: [] } },
      { data: [] },
      {},
      'no JSON',
    ]
    for (const instead of answers) {
      circle.fail('createWallet', { instead })
      await unavailability(executor.provision(provisioning()))
    }
    circle.fail('createWallet', { instead: { data: { wallets: [live] } } })
    expect(await executor.provision(provisioning())).toMatchObject({ address: good.address })
  })

  test('is held as long as Circle has it live with that address', async () => {
    const executor = circleExecutor(circle)
    const { organizationId, provisioningId } = provisioning()
    const key = await executor.provision({ organizationId, provisioningId })
    const held = (change: Partial<ProvisionedExecutor> = {}) =>
      executor.holdsKey({ organizationId, ...key, ...change })
    expect(await held()).toBe(true)
    expect(await held({ address: anyCall().vaultAddress })).toBe(false)
    expect(await held({ reference: Buffer.from(randomUUID()) })).toBe(false)
    expect(await held({ reference: randomBytes(60) })).toBe(false)
    const wallet = circle.wallets.at(-1)
    if (wallet) wallet.state = 'FROZEN'
    expect(await held()).toBe(false)
    circle.fail('findWallet', { status: 401 })
    expect(await unavailability(held())).toBe('Circle rejects our credentials')
  })
})

describe("Circle's state", () => {
  test.each([
    ['INITIATED', 'accepted'],
    ['CLEARED', 'accepted'],
    ['QUEUED', 'accepted'],
    ['SENT', 'sent'],
    ['STUCK', 'stuck'],
    ['CONFIRMED', 'mined'],
    ['COMPLETE', 'mined'],
    ['DENIED', 'denied'],
    ['FAILED', 'failed'],
    ['CANCELLED', 'cancelled'],
    ['PENDING_RISK_SCREENING', 'accepted'],
    ['constructor', 'accepted'],
  ])('%s is read as %s', async (says, state) => {
    const of = await provisioned(circleExecutor(circle))
    circle.destine({ sends: 'never', says, reason: 'SOME_REASON' })
    const answer = await delegate(of, anyCall())
    expect(answer).toMatchObject({ state, transactionHash: null })
    const { code, ...looked } = await pollReport(of, answer.providerReference)
    expect(looked).toMatchObject({ state, providerReference: answer.providerReference })
    expect(code).toBe('some_reason')
  })

  test('that is unknown counts as in flight, or as sent where it has a hash', async () => {
    const of = await provisioned(circleExecutor(circle))
    circle.destine({ sends: 'never', says: 'ON_HOLIDAY', namesNothing: true })
    const { providerReference } = await delegate(of, anyCall())
    expect(await pollReport(of, providerReference)).toMatchObject({ state: 'sent' })
  })
})

describe('an inconclusive answer', () => {
  const sent = { id: randomUUID(), state: 'SENT' }
  const unsure: [string, Fault][] = [
    ['another API key, 401', { status: 401, body: '{"message":"canary"}' }],
    ['no permission, 403', { status: 403 }],
    ['a time-out of its own, 408', { status: 408 }],
    ['a conflict, 409', { status: 409 }],
    ['rate limiting, 429', { status: 429, headers: { 'retry-after': '7' } }],
    ['a failure, 502', { status: 502, body: '<html>canary' }],
    ['a redirect, 302', { status: 302, headers: { location: 'http://127.0.0.1:9/' } }],
    ['invalid JSON', { instead: 'canary' }],
    ['no data', { instead: { id: randomUUID(), state: 'COMPLETE' } }],
    ['no state', { instead: { data: { id: randomUUID() } } }],
    ['another id', { instead: { data: { id: 'a b', state: 'COMPLETE' } } }],
    ['no hash', { instead: { data: { id: randomUUID(), state: 'SENT', txHash: '0x12' } } }],
    ['an oversized body', { instead: { data: { ...sent, x: 'x'.repeat(300_000) } } }],
  ]
  test.each(unsure)('such as %s is not a refusal', async (_what, fault) => {
    const of = await provisioned(circleExecutor(circle))
    circle.fail('execute', fault)
    const reason = await unavailability(submit(of, anyCall()))
    expect(reason).toMatch(/^Circle [a-z0-9 ]+$/)
  })

  test('to a status query is reported in the same way, also for another transaction', async () => {
    const of = await provisioned(circleExecutor(circle))
    circle.destine(fates.held)
    const { providerReference } = await delegate(of, anyCall())
    const other = { transaction: { id: randomUUID(), state: 'COMPLETE' } }
    const answers: Fault[] = ['lost before', { status: 401 }, { status: 500 }]
    const wrong: Fault[] = [{ instead: { data: other } }, { instead: { data: {} } }]
    for (const fault of [...answers, ...wrong]) {
      circle.fail('look', fault)
      await unavailability(pollReport(of, providerReference))
    }
    circle.fail('look', 'silent')
    await unavailability(pollReport(hasty(circle, of), providerReference))
    circle.letGo()
    const unknown = await unavailability(pollReport(of, randomUUID()))
    expect(unknown).toBe('Circle refused to report a transaction, 404 circle_156002')
  })

  test('because we abort is not a refusal either', async () => {
    const of = await provisioned(circleExecutor(circle))
    const ends = new AbortController()
    circle.fail('execute', 'silent')
    const lost = unavailability(submit(of, anyCall(), { signal: ends.signal }))
    await expect.poll(circle.waiting).toBe(1)
    ends.abort()
    expect(await lost).toBe('Circle gave no answer')
    circle.letGo()
  })
})

describe('a refusal', () => {
  test('is a request that is invalid in itself and creates nothing', async () => {
    const of = await provisioned(circleExecutor(circle))
    const call = anyCall()
    const count = circle.transactions.length
    const idempotencyKey = randomUUID()
    const nobody = { ...of, key: { ...of.key, reference: Buffer.from(randomUUID()) } }
    expect(await submit(nobody, call, { idempotencyKey })).toEqual({
      outcome: 'refused',
      code: 'circle_156001',
    })
    expect(circle.transactions).toHaveLength(count)
    circle.fail('execute', { status: 400, body: JSON.stringify({ code: 'Say: hello!' }) })
    expect(await submit(of, call)).toEqual({ outcome: 'refused', code: 'unknown' })
  })

  test('for an outdated public key makes the executor fetch the new one', async () => {
    const of = await provisioned(circleExecutor(circle))
    const asked = () => circle.seen.filter(({ operation }) => operation === 'publicKey').length
    const before = asked()
    await delegate(of, anyCall())
    expect(asked()).toBe(before)
    circle.fail('execute', { status: 400, body: '{"code":156013}' })
    await submit(of, anyCall())
    await delegate(of, anyCall())
    expect(asked()).toBe(before + 1)
  })
})

describe('the health check', () => {
  test('reports ready or rejects_credentials, and throws if Circle is unavailable', async () => {
    const executor = circleExecutor(circle)
    expect(await executor.check()).toBe('ready')
    const stranger = circleExecutor(circle, { CIRCLE_API_KEY: 'TEST_API_KEY:a:b' })
    expect(await stranger.check()).toBe('rejects_credentials')
    circle.setDown(true)
    expect(await unavailability(executor.check())).toBe('Circle gave no answer')
    circle.setDown(false)
  })

  test.each([
    ['an invalid value', { instead: { data: { publicKey: 'none' } } }],
    ['no value', { instead: { data: {} } }],
    ['no answer', 'lost before'],
  ] as [string, Fault][])(
    '%s for the public key means that nothing is encrypted',
    async (_what, fault) => {
      const executor = circleExecutor(circle)
      const before = circle.ciphertexts.size
      circle.fail('publicKey', fault)
      await unavailability(executor.provision(provisioning()))
      expect(circle.ciphertexts.size).toBe(before)
      await executor.provision(provisioning())
      expect(circle.ciphertexts.size).toBe(before + 1)
    },
  )
})
