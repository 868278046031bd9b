/**
 * Export limits: five minutes per request, five requests an hour, a day's lock after three
 * failures.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '#test/support/app.ts'
import {
  assertionOf,
  beginExport,
  type Ceremony,
  type Holder,
  makeHolder,
  makeRecipientKeys,
  makeServerWallet,
  requestExport,
  type ServerWallet,
} from '#test/support/exports.ts'
import { createMovingClock } from '#test/support/moving-clock.ts'
import { liftOwnersRowSecurity, outcome, tally, times } from '#test/support/steps.ts'
import { expireExport } from '#wallets/end-export.ts'

const clock = createMovingClock()
let service: TestApp
let holder: Holder
let wallet: ServerWallet

beforeAll(async () => {
  service = await startTestApp({ replace: { clock } })
  await liftOwnersRowSecurity(service.database)
})
beforeEach(async () => {
  holder = await makeHolder(service)
  wallet = await makeServerWallet(service, holder)
})
afterAll(() => service.stop())

const FRESH = '403 fresh_authentication_required'
const UNUSABLE = '409 export_unusable'
const LOCKED = '429 rate_limited'
const MINUTE = 60
const HOUR = 60 * MINUTE

const begin = () => beginExport(service, holder, wallet)

const ask = (walletId = wallet.id) =>
  requestExport(service, holder, {
    walletId,
    recipientPublicKey: makeRecipientKeys().publicKey,
  })

/** Tokens last an hour. */
async function later(seconds: number): Promise<void> {
  clock.ahead(seconds)
  const { realm, subject } = holder
  holder.token = (await service.identity.issue({ realm, subject })).accessToken
}

const stateOf = async ({ requestId }: Ceremony) =>
  (await service.database.asOwner('select state from wallet_exports where id = $1', [requestId]))[0]
    ?.state

async function jobOf({ requestId }: Ceremony) {
  const [row] = await service.database.asOwner<{ accountId: string }>(
    'select account_id as "accountId" from wallet_exports where id = $1',
    [requestId],
  )
  return { accountId: row?.accountId ?? '', organizationId: null, requestId }
}

describe('the five-minute limit', () => {
  test('ends a request, even with a fresh assertion', async () => {
    const early = await begin()
    await later(5 * MINUTE - 30)
    expect(outcome(await early.complete())).toBe('200')
    const missed = await begin()
    await later(5 * MINUTE + 1)
    const mfaAssertion = await assertionOf(service, holder, { nonce: missed.requestId })
    expect(outcome(await missed.complete({ mfaAssertion }))).toBe(UNUSABLE)
  })

  test('applies to the age of an assertion too', async () => {
    const ceremony = await begin()
    const authTime = Math.floor(clock.now().getTime() / 1000) - 200
    const mfaAssertion = await assertionOf(service, holder, { nonce: ceremony.requestId, authTime })
    await later(110)
    expect(outcome(await ceremony.complete({ mfaAssertion }))).toBe(FRESH)
  })

  test('is enforced by a job that expires open requests, and not before', async () => {
    const ceremony = await begin()
    await expireExport(service.ctx, await jobOf(ceremony))
    expect(await stateOf(ceremony)).toBe('pending')
    await later(5 * MINUTE + 1)
    await expireExport(service.ctx, await jobOf(ceremony))
    expect(await stateOf(ceremony)).toBe('expired')
    await expireExport(service.ctx, await jobOf(ceremony))
    expect(outcome(await ceremony.cancel())).toBe('204')
    expect(await stateOf(ceremony)).toBe('expired')
  })

  test('expires a request whose completion broke off a minute later', async () => {
    const ceremony = await begin()
    await service.database.asOwner(`update wallet_exports set state = 'completing' where id = $1`, [
      ceremony.requestId,
    ])
    await later(5 * MINUTE + 30)
    await expireExport(service.ctx, await jobOf(ceremony))
    expect(await stateOf(ceremony)).toBe('completing')
    await later(MINUTE)
    await expireExport(service.ctx, await jobOf(ceremony))
    expect(await stateOf(ceremony)).toBe('expired')
  })
})

describe('the limit of five requests an hour', () => {
  test('makes the sixth 429 with Retry-After, across all wallets of the account', async () => {
    const other = await makeServerWallet(service, holder)
    for (const _n of [1, 2, 3, 4, 5]) {
      expect(outcome(await ask())).toBe('201')
      await later(MINUTE)
    }
    for (const walletId of [wallet.id, other.id]) {
      const refused = await ask(walletId)
      expect(outcome(refused)).toBe('429 rate_limited')
      const wait = Number(refused.headers['retry-after'])
      expect(wait).toBeGreaterThan(54 * MINUTE)
      expect(wait).toBeLessThanOrEqual(55 * MINUTE)
    }
    await later(55 * MINUTE)
    expect(outcome(await ask())).toBe('201')
    expect(outcome(await ask())).toBe('429 rate_limited')
  })

  test('admits five of ten concurrent requests and leaves one open', async () => {
    const answers = await Promise.all(times(10, () => ask()))
    expect(tally(answers)).toEqual({ 201: 5, '429 rate_limited': 5 })
    const open = await service.database.asOwner(
      `select 1 from wallet_exports where wallet_id = $1 and state = 'pending'`,
      [wallet.id],
    )
    expect(open).toHaveLength(1)
  })

  test('admits five of ten concurrent requests for different wallets', async () => {
    const others = await Promise.all(times(10, () => makeServerWallet(service, holder)))
    const answers = await Promise.all(others.map(({ id }) => ask(id)))
    expect(tally(answers)).toEqual({ 201: 5, '429 rate_limited': 5 })
  })

  test('does not count requests of other accounts', async () => {
    for (const _n of [1, 2, 3, 4, 5, 6]) await ask()
    holder = await makeHolder(service)
    wallet = await makeServerWallet(service, holder)
    expect(outcome(await ask())).toBe('201')
  })
})

describe('three failed attempts', () => {
  const wrong = (ceremony: Ceremony) => ceremony.complete({ authorizationSignature: 'wrong' })

  test('lock exports of the wallet for a day with 429, including an open request', async () => {
    const ceremony = await begin()
    for (const _n of [1, 2, 3]) expect(outcome(await wrong(ceremony))).toBe(FRESH)
    for (const refused of [await ceremony.complete(), await ask()]) {
      expect(outcome(refused)).toBe(LOCKED)
      expect(Number(refused.headers['retry-after'])).toBeGreaterThan(23 * HOUR)
      expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(24 * HOUR)
    }
    await later(24 * HOUR - MINUTE)
    expect(outcome(await ask())).toBe(LOCKED)
    const late = await ceremony.complete()
    expect(outcome(late)).toBe(LOCKED)
    expect(Number(late.headers['retry-after'])).toBeLessThanOrEqual(MINUTE)
    await later(2 * MINUTE)
    expect(outcome(await ceremony.complete())).toBe(UNUSABLE)
    expect(outcome(await (await begin()).complete())).toBe('200')
  })

  test('count per wallet, across requests and kinds of failure', async () => {
    expect(outcome(await wrong(await begin()))).toBe(FRESH)
    const second = await begin()
    expect(outcome(await second.complete({ mfaAssertion: 'wrong' }))).toBe(FRESH)
    expect(outcome(await wrong(await begin()))).toBe(FRESH)
    expect(outcome(await ask())).toBe('429 rate_limited')
  })

  test('count exactly three of ten concurrent attempts, and lock the rest out', async () => {
    const ceremony = await begin()
    const answers = await Promise.all(times(10, () => wrong(ceremony)))
    expect(tally(answers)).toEqual({ [FRESH]: 3, [LOCKED]: 7 })
    expect(outcome(await ceremony.complete())).toBe(LOCKED)
  })

  test('are not reached when an attempt succeeds after two failures', async () => {
    for (const _round of [1, 2]) {
      const ceremony = await begin()
      for (const _n of [1, 2]) expect(outcome(await wrong(ceremony))).toBe(FRESH)
      expect(outcome(await ceremony.complete())).toBe('200')
    }
  })

  test('do not include a wrong recipient key or an ended request', async () => {
    const ceremony = await begin()
    const { publicKey: recipientPublicKey } = makeRecipientKeys()
    for (const _n of [1, 2, 3, 4]) {
      expect(outcome(await ceremony.complete({ recipientPublicKey }))).toBe(UNUSABLE)
    }
    expect(outcome(await ceremony.complete())).toBe('200')
    for (const _n of [1, 2, 3, 4]) expect(outcome(await wrong(ceremony))).toBe(UNUSABLE)
    expect(outcome(await ask())).toBe('201')
  })

  test('leave other wallets of the account unaffected', async () => {
    const ceremony = await begin()
    for (const _n of [1, 2, 3]) await wrong(ceremony)
    wallet = await makeServerWallet(service, holder)
    expect(outcome(await (await begin()).complete())).toBe('200')
  })
})
