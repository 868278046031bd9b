/** Server wallets at Privy: one key creates one wallet there, whatever is lost on the way. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createPrivyWallets } from '#adapters/privy/privy-wallets.ts'
import { startTestApp, type TestApp } from '#test/support/app.ts'
import { type Holder, listWallets, makeHolder, postWallet } from '#test/support/exports.ts'
import { type PrivyEmulator, startPrivyEmulator } from '#test/support/privy-emulator.ts'
import { auditTrail, liftOwnersRowSecurity, outcome, tally, times } from '#test/support/steps.ts'
import { finishWallet } from '#wallets/provision-wallet.ts'

let privy: PrivyEmulator
let service: TestApp
let holder: Holder

beforeAll(async () => {
  privy = await startPrivyEmulator()
  service = await startTestApp({ env: privy.env })
  await liftOwnersRowSecurity(service.database)
})
beforeEach(async () => {
  holder = await makeHolder(service)
  privy.wallets.length = 0
  privy.seen.length = 0
})
afterAll(async () => {
  await service.stop()
  await privy.stop()
})

/** Runs a function with a client that differs in these options. */
async function through<T>(
  changed: Partial<Parameters<typeof createPrivyWallets>[0]>,
  work: () => Promise<T>,
): Promise<T> {
  const { wallets } = service.ctx.config
  if (wallets.provider !== 'privy') throw new Error('Privy is not configured')
  const right = service.ctx.walletProvider
  service.ctx.walletProvider = createPrivyWallets({ ...wallets, ...changed })
  try {
    return await work()
  } finally {
    service.ctx.walletProvider = right
  }
}

/** A client with a short time-out, for silent answers. */
const hastily = <T>(work: () => Promise<T>) => through({ timeoutMs: 200 }, work)

type Row = { id: string; account_id: string; state: string; attempts: number }

const rowsOf = (key: string): Promise<Row[]> =>
  service.database.asOwner<Row>(
    'select id, account_id, state, attempts from wallets where idempotency_key = $1 order by id',
    [key],
  )

const UNAVAILABLE = '503 dependency_unavailable'

describe('a wallet at Privy', () => {
  test.each(['ethereum', 'solana'] as const)(
    'on %s is created there for our owner',
    async (chain) => {
      const { status, body } = await postWallet(service, holder, { chainType: chain })
      expect(status).toBe(201)
      const [made] = privy.wallets
      expect(made).toMatchObject({
        chain_type: chain,
        external_id: body.id,
        owner_id: privy.env.PRIVY_OWNER_ID,
      })
      expect(chain === 'solana' ? body.nativeAddress : body.address).toBe(made?.address)
      expect(await listWallets(service, holder)).toEqual([body])
    },
  )

  test('is requested with exactly what Privy needs', async () => {
    const { body } = await postWallet(service, holder)
    const owner = privy.env.PRIVY_OWNER_ID
    const sent = { chain_type: 'ethereum', external_id: body.id, owner_id: owner }
    expect(privy.seen).toEqual([{ operation: 'create', status: 200, body: sent }])
  })

  test('is created once for twenty concurrent equal requests', async () => {
    const body = { idempotencyKey: randomUUID() }
    const answers = await Promise.all(times(20, () => postWallet(service, holder, body)))
    expect(tally(answers)).toEqual({ 201: 20 })
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
    expect(privy.wallets).toHaveLength(1)
    expect(privy.seen).toHaveLength(1)
  })
})

describe('during failures of Privy', () => {
  const troubles: [string, Parameters<PrivyEmulator['fail']>[1]][] = [
    ['a request lost before it took effect', 'lost before'],
    ['an answer lost after it took effect', 'lost after'],
    ['a time-out', 'silent'],
    ['a 429', { status: 429, headers: { 'retry-after': '17' } }],
    ['a 500', { status: 500 }],
    ['a 503 with an HTML page', { status: 503, body: '<html>' }],
    ['a 200 with unexpected content', { instead: '"hello"' }],
    ['a 200 without a wallet', { instead: {} }],
    ['a 200 with a wallet of another chain', { instead: otherWallet('solana') }],
    ["a 200 with somebody else's wallet", { instead: otherWallet('ethereum') }],
    ['a redirect', { status: 302, headers: { location: 'http://127.0.0.1:1/' } }],
  ]

  test.each(troubles)(
    '%s is answered with 503, and repeating the key creates one wallet',
    async (_w, fault) => {
      const key = randomUUID()
      const body = { idempotencyKey: key }
      privy.fail('create', fault)
      const ask = () => postWallet(service, holder, body)
      const refused = await (fault === 'silent' ? hastily(ask) : ask())
      expect(outcome(refused)).toBe(UNAVAILABLE)
      expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
      privy.letGo()
      expect(await listWallets(service, holder)).toEqual([])
      expect(await rowsOf(key)).toMatchObject([{ state: 'provisioning', attempts: 1 }])

      const made = await postWallet(service, holder, body)
      expect(outcome(made)).toBe('201')
      expect(made.headers['idempotent-replayed']).toBeUndefined()
      expect(privy.wallets).toHaveLength(1)
      expect(privy.wallets[0]?.address).toBe(made.body.address)
      expect(await listWallets(service, holder)).toEqual([made.body])
      expect((await postWallet(service, holder, body)).body).toEqual(made.body)
      expect(privy.wallets).toHaveLength(1)
    },
  )

  test("Privy's Retry-After is passed on", async () => {
    privy.fail('create', { status: 429, headers: { 'retry-after': '17' } })
    expect((await postWallet(service, holder)).headers['retry-after']).toBe('17')
  })

  test('repeatedly lost answers and a forgotten key still create one wallet', async () => {
    const body = { idempotencyKey: randomUUID() }
    privy.fail('create', 'lost after')
    privy.fail('find', 'lost after', { status: 500 }, 'lost before')
    for (const _try of [1, 2, 3, 4]) {
      expect(outcome(await postWallet(service, holder, body))).toBe(UNAVAILABLE)
      privy.forgetKeys()
    }
    expect(outcome(await postWallet(service, holder, body))).toBe('201')
    expect(privy.wallets).toHaveLength(1)
  })

  test('an outage makes twenty equal requests 503, and repeating them creates one', async () => {
    const body = { idempotencyKey: randomUUID() }
    privy.setDown(true)
    const away = await Promise.all(times(20, () => postWallet(service, holder, body)))
    expect(tally(away)).toEqual({ [UNAVAILABLE]: 20 })
    privy.setDown(false)
    expect(await listWallets(service, holder)).toEqual([])
    const back = await Promise.all(times(20, () => postWallet(service, holder, body)))
    expect(tally(back)).toEqual({ 201: 20 })
    expect(privy.wallets).toHaveLength(1)
  })

  test('another body under an open key is 400', async () => {
    const key = randomUUID()
    privy.fail('create', 'lost after')
    await postWallet(service, holder, { idempotencyKey: key })
    const other = { idempotencyKey: key, purpose: 'Something else' }
    expect(outcome(await postWallet(service, holder, other))).toBe('400 idempotency_key_reused')
  })

  test('the job completes an abandoned request, once', async () => {
    const key = randomUUID()
    privy.fail('create', 'lost after')
    await postWallet(service, holder, { idempotencyKey: key })
    const [row] = await rowsOf(key)
    const accountId = row?.account_id ?? ''
    const job = { accountId, organizationId: null, walletId: row?.id ?? '' }
    const queued = await service.database.asOwner(
      `select 1 from graphile_worker.jobs where key = $1`,
      [`finish_wallet:${row?.id}`],
    )
    expect(queued).toHaveLength(1)
    privy.fail('find', { status: 502 })
    await expect(finishWallet(service.ctx, job)).rejects.toMatchObject({
      code: 'dependency_unavailable',
    })
    await finishWallet(service.ctx, job)
    await finishWallet(service.ctx, job)
    expect(await listWallets(service, holder)).toMatchObject([{ id: row?.id }])
    expect(privy.wallets).toHaveLength(1)
    const trail = await auditTrail(service.database, null)
    const told = trail.filter(({ aggregateId }) => aggregateId === row?.id)
    expect(told.map(({ action, actorRealm }) => `${action} ${actorRealm}`)).toEqual([
      'wallet.requested consumer',
      'wallet.created system',
    ])
  })

  test('an equal request gives up after 5 s while the first is still waiting', async () => {
    const body = { idempotencyKey: randomUUID() }
    privy.fail('create', 'silent')
    const first = postWallet(service, holder, body)
    await expect.poll(() => rowsOf(body.idempotencyKey)).toHaveLength(1)
    const second = await postWallet(service, holder, body)
    expect([outcome(second), second.headers['retry-after']]).toEqual([UNAVAILABLE, '1'])
    privy.letGo()
    expect(outcome(await first)).toBe('201')
    expect(outcome(await postWallet(service, holder, body))).toBe('201')
    expect(privy.wallets).toHaveLength(1)
  }, 15_000)
})

describe('a refusal by Privy', () => {
  test('that is immediate and final is 503 and failed, and the same key starts again', async () => {
    const key = randomUUID()
    privy.fail('create', { status: 400, body: '{"code":"invalid_data","error":"no"}' })
    expect(outcome(await postWallet(service, holder, { idempotencyKey: key }))).toBe(UNAVAILABLE)
    expect(await rowsOf(key)).toMatchObject([{ state: 'failed' }])
    expect(await listWallets(service, holder)).toEqual([])
    expect(outcome(await postWallet(service, holder, { idempotencyKey: key }))).toBe('201')
    expect(await rowsOf(key)).toMatchObject([{ state: 'failed' }, { state: 'active' }])
    expect(privy.wallets).toHaveLength(1)
  })

  test('after a lost answer is inconclusive: the wallet neither fails nor is doubled', async () => {
    const key = randomUUID()
    const body = { idempotencyKey: key }
    privy.fail('create', 'lost after')
    await postWallet(service, holder, body)
    privy.fail('find', { status: 401, body: '{"code":"unauthorized"}' })
    expect(outcome(await postWallet(service, holder, body))).toBe(UNAVAILABLE)
    expect(await rowsOf(key)).toMatchObject([{ state: 'provisioning' }])
    expect(outcome(await postWallet(service, holder, body))).toBe('201')
    expect(privy.wallets).toHaveLength(1)
  })

  test.each([
    ['app secret', { appSecret: 'wrong' }],
    ['app id', { appId: 'wrong' }],
    ['owner', { ownerId: 'quorum-2' }],
  ])('because of a wrong %s is 503 and creates nothing', async (_what, changed) => {
    const body = { idempotencyKey: randomUUID() }
    const refused = await through(changed, () => postWallet(service, holder, body))
    expect(outcome(refused)).toBe(UNAVAILABLE)
    expect(privy.wallets).toHaveLength(0)
    expect(outcome(await postWallet(service, holder, body))).toBe('201')
    expect(privy.wallets).toHaveLength(1)
  })
})

describe("the provider's health check", () => {
  const check = () => service.ctx.walletProvider?.check()

  test('reports ready, rejects_credentials, or throws when Privy is unavailable', async () => {
    expect(await check()).toBe('ready')
    expect(await through({ appSecret: 'wrong' }, async () => check())).toBe('rejects_credentials')
    privy.setDown(true)
    await expect(check()).rejects.toMatchObject({ code: 'dependency_unavailable' })
    privy.setDown(false)
    privy.fail('find', { status: 503 })
    await expect(check()).rejects.toMatchObject({ code: 'dependency_unavailable' })
  })
})

function otherWallet(chainType: string) {
  return {
    id: 'somebody-elses',
    address: `0x${'ab'.repeat(20)}`,
    chain_type: chainType,
    external_id: 'of-somebody-else',
  }
}
