/** Exports at Privy: its ciphertext is passed through unchanged, at most once. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createPrivyWallets } from '#adapters/privy/privy-wallets.ts'
import { startTestApp, type TestApp } from '#test/support/app.ts'
import {
  beginExport,
  controls,
  type Holder,
  makeHolder,
  makeServerWallet,
  openExport,
  requestExport,
} from '#test/support/exports.ts'
import { type PrivyEmulator, startPrivyEmulator } from '#test/support/privy-emulator.ts'
import { outcome, tally, times } from '#test/support/steps.ts'

let privy: PrivyEmulator
let service: TestApp
let holder: Holder

beforeAll(async () => {
  privy = await startPrivyEmulator()
  service = await startTestApp({ env: privy.env })
})
beforeEach(async () => {
  holder = await makeHolder(service)
  privy.exports.length = 0
  privy.seen.length = 0
})
afterAll(async () => {
  await service.stop()
  await privy.stop()
})

const begin = async () => beginExport(service, holder, await makeServerWallet(service, holder))

const UNUSABLE = '409 export_unusable'
const UNAVAILABLE = '503 dependency_unavailable'

describe('a key that Privy holds', () => {
  test.each(['ethereum', 'solana'] as const)(
    'on %s arrives unchanged and controls the address',
    async (chainType) => {
      for (const realm of ['consumer', 'admin'] as const) {
        holder = await makeHolder(service, realm)
        const wallet = await makeServerWallet(service, holder, { chainType })
        const ceremony = await beginExport(service, holder, wallet)
        const { status, body } = await ceremony.complete()
        expect(status).toBe(200)
        expect(body.ciphertext).toBe(privy.exports.at(-1)?.ciphertext)
        const key = await openExport(ceremony.keys, body)
        expect(await controls(key, wallet)).toBe(true)
        expect(key).toBe(privy.wallets.at(-1)?.privateKey)
      }
      expect(privy.exports).toHaveLength(2)
    },
  )

  test('has a payload equal to the request to Privy, including its expiry', async () => {
    const { payload } = await begin()
    expect(payload).toMatchObject({
      url: `${privy.url}/v1/wallets/${privy.wallets.at(-1)?.id}/export`,
      headers: {
        'privy-app-id': privy.env.PRIVY_APP_ID,
        'privy-request-expiry': String(Date.parse(String(payload.expiresAt))),
      },
    })
    expect(JSON.stringify(payload)).not.toContain(privy.env.PRIVY_APP_SECRET)
  })

  test('is exported once despite ten concurrent completions and later ones', async () => {
    const ceremony = await begin()
    const answers = await Promise.all(times(10, () => ceremony.complete()))
    expect(tally(answers)).toEqual({ 200: 1, [UNUSABLE]: 9 })
    expect(outcome(await ceremony.complete())).toBe(UNUSABLE)
    expect(privy.exports).toHaveLength(1)
  })

  test('is not requested before everything is proven', async () => {
    const ceremony = await begin()
    for (const _n of [1, 2, 3]) await ceremony.complete({ mfaAssertion: 'wrong' })
    await ceremony.complete()
    expect(privy.seen.filter(({ operation }) => operation === 'export')).toEqual([])
  })
})

describe('during failures of Privy', () => {
  const troubles: [string, Parameters<PrivyEmulator['fail']>[1], number][] = [
    ['a request lost before it took effect', 'lost before', 0],
    ['an answer lost after it took effect', 'lost after', 1],
    ['a 429', { status: 429 }, 0],
    ['a 500', { status: 500 }, 0],
    ['an unexpected answer', { instead: { encryption_type: 'HPKE', ciphertext: 'x' } }, 1],
    ['a key in plain text', { instead: { private_key: '0x1234' } }, 1],
  ]
  test.each(troubles)(
    '%s ends the request with 503, and a new request exports the key',
    async (_w, fault, sealed) => {
      const ceremony = await begin()
      privy.fail('export', fault)
      const refused = await ceremony.complete()
      expect(outcome(refused)).toBe(UNAVAILABLE)
      expect(outcome(await ceremony.complete())).toBe(UNUSABLE)
      expect(privy.exports).toHaveLength(sealed)
      const next = await beginExport(service, holder, ceremony.wallet)
      const { body } = await next.complete()
      expect(await controls(await openExport(next.keys, body), next.wallet)).toBe(true)
    },
  )

  test('a time-out ends the request with 503', async () => {
    const ceremony = await begin()
    const right = service.ctx.walletProvider
    const { wallets } = service.ctx.config
    if (wallets.provider !== 'privy') throw new Error('Privy is not configured')
    service.ctx.walletProvider = createPrivyWallets({ ...wallets, timeoutMs: 200 })
    privy.fail('export', 'silent')
    expect(outcome(await ceremony.complete())).toBe(UNAVAILABLE)
    service.ctx.walletProvider = right
    privy.letGo()
    // Privy exports it late, and nobody gets it.
    await expect.poll(() => privy.exports).toHaveLength(1)
    expect(outcome(await ceremony.complete())).toBe(UNUSABLE)
  })

  test("a denial by Privy's policy ends the request with 409 and no export", async () => {
    const ceremony = await begin()
    privy.denyExports(true)
    expect(outcome(await ceremony.complete())).toBe(UNUSABLE)
    privy.denyExports(false)
    expect(outcome(await ceremony.complete())).toBe(UNUSABLE)
    expect(privy.exports).toEqual([])
  })

  test("an authorization key that is not the owner's is 409, and nothing is exported", async () => {
    const ceremony = await begin()
    const other = await startPrivyEmulator()
    const right = service.ctx.walletProvider
    const { wallets } = service.ctx.config
    if (wallets.provider !== 'privy') throw new Error('Privy is not configured')
    const authorizationKey = String(other.env.PRIVY_AUTHORIZATION_KEY).replace('wallet-auth:', '')
    service.ctx.walletProvider = createPrivyWallets({ ...wallets, authorizationKey })
    expect(outcome(await ceremony.complete())).toBe(UNUSABLE)
    service.ctx.walletProvider = right
    await other.stop()
    expect(privy.exports).toEqual([])
  })

  test('an outage does not prevent new requests, which do not call Privy', async () => {
    const wallet = await makeServerWallet(service, holder)
    privy.setDown(true)
    const ceremony = await beginExport(service, holder, wallet)
    expect(outcome(await ceremony.complete())).toBe(UNAVAILABLE)
    privy.setDown(false)
    const asked = await requestExport(service, holder, {
      walletId: wallet.id,
      recipientPublicKey: ceremony.keys.publicKey,
    })
    expect(outcome(asked)).toBe('201')
  })
})
