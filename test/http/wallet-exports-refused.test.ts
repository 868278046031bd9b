/** Exports with the wrong request, proof or wallet. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createOrganization, startTestApp, type TestApp } from '#test/support/app.ts'
import {
  assertionOf,
  beginExport,
  begunExport,
  type Ceremony,
  exportState,
  type Holder,
  makeHolder,
  makeRecipientKeys,
  makeServerWallet,
  type Realm,
  requestExport,
  signPayload,
} from '#test/support/exports.ts'
import { liftOwnersRowSecurity, outcome, randomAddress } from '#test/support/steps.ts'
import { disableWallet } from '#wallets/disable-wallet.ts'

let service: TestApp

beforeAll(async () => {
  service = await startTestApp()
  await liftOwnersRowSecurity(service.database)
})
afterAll(() => service.stop())

const begin = (realm?: Realm) => begunExport(service, realm)
const stateOf = (ceremony: Ceremony) => exportState(service, ceremony)

const FRESH = '403 fresh_authentication_required'
const UNUSABLE = '409 export_unusable'

describe('an unusable export request', () => {
  let ceremony: Ceremony
  beforeEach(async () => {
    ceremony = await begin()
  })

  test('is cancelled with 204, also when repeated, and completing it is 409', async () => {
    expect(outcome(await ceremony.cancel())).toBe('204')
    expect(outcome(await ceremony.cancel())).toBe('204')
    expect(outcome(await ceremony.complete())).toBe(UNUSABLE)
  })

  test('is not affected by cancelling once it is completed', async () => {
    await ceremony.complete()
    expect(outcome(await ceremony.cancel())).toBe('204')
    expect(await stateOf(ceremony)).toBe('completed')
  })

  test('is superseded by a newer request for the wallet', async () => {
    const { holder, wallet } = ceremony
    const newer = await beginExport(service, holder, wallet)
    expect(outcome(await ceremony.complete())).toBe(UNUSABLE)
    expect(outcome(await newer.complete())).toBe('200')
  })

  test('is 409 with another recipient key, and the right key still works', async () => {
    const other = makeRecipientKeys()
    const swapped = {
      recipientPublicKey: other.publicKey,
      authorizationSignature: signPayload(
        {
          ...ceremony.payload,
          body: { encryption_type: 'HPKE', recipient_public_key: other.publicKey },
        },
        other.privateKey,
      ),
    }
    expect(outcome(await ceremony.complete(swapped))).toBe(UNUSABLE)
    expect(outcome(await ceremony.complete())).toBe('200')
  })

  test('is 403 for another wallet of the same holder', async () => {
    const { id: walletId } = await makeServerWallet(service, ceremony.holder)
    expect(outcome(await ceremony.complete({}, { walletId }))).toBe('403 forbidden')
    expect(outcome(await ceremony.cancel({ walletId }))).toBe('403 forbidden')
    expect(outcome(await ceremony.complete())).toBe('200')
  })

  test('is 403 for another account, which cannot cancel it either', async () => {
    const thief = await makeHolder(service)
    const mfaAssertion = await assertionOf(service, thief, { nonce: ceremony.requestId })
    expect(outcome(await ceremony.complete({}, thief))).toBe('403 forbidden')
    expect(outcome(await ceremony.complete({ mfaAssertion }, thief))).toBe('403 forbidden')
    expect(outcome(await ceremony.cancel(thief))).toBe('403 forbidden')
    const asked = await requestExport(service, thief, {
      walletId: ceremony.wallet.id,
      recipientPublicKey: makeRecipientKeys().publicKey,
    })
    expect(outcome(asked)).toBe('404 not_found')
    expect(outcome(await ceremony.complete())).toBe('200')
  })

  test('is 403 in the other realm, also for the same subject', async () => {
    const { subject } = ceremony.holder
    const operator: Holder = {
      realm: 'admin',
      subject,
      token: await service.operatorToken(subject),
    }
    expect(outcome(await ceremony.complete({}, operator))).toBe('403 forbidden')
    const crossed = { ...operator, realm: 'consumer' as const }
    expect(outcome(await ceremony.complete({}, crossed))).toBe('403 realm_mismatch')
  })

  test('is 403 when it does not exist', async () => {
    const { token } = ceremony.holder
    const url = `/v1/consumer/wallets/${ceremony.wallet.id}/export-requests/${randomUUID()}`
    const body = ceremony.proof
    expect(outcome(await service.call('POST', `${url}/complete`, { token, body }))).toBe(
      '403 forbidden',
    )
    expect(outcome(await service.call('POST', `${url}/cancel`, { token }))).toBe('403 forbidden')
  })
})

const withMethods =
  (...methods: string[]) =>
  async ({ holder, requestId: nonce }: Ceremony) => ({
    mfaAssertion: await assertionOf(service, holder, { nonce, methods }),
  })

describe('two factors', () => {
  test.each([
    ['mfa', ['mfa']],
    ['a password and a one-time password', ['pwd', 'otp']],
    ['a hardware key and its PIN', ['hwk', 'pin']],
  ])('proven by %s complete the export', async (_what, methods) => {
    const ceremony = await begin()
    const proof = await withMethods(...methods)(ceremony)
    expect(outcome(await ceremony.complete(proof))).toBe('200')
  })
})

describe('an invalid proof is 403, and a valid one still works afterwards', () => {
  const spoilt: [string, (ceremony: Ceremony) => Promise<object> | object][] = [
    [
      'a signature of another key',
      ({ payload }) => ({
        authorizationSignature: signPayload(payload, makeRecipientKeys().privateKey),
      }),
    ],
    [
      'a signature over another payload',
      ({ payload, keys }) => ({
        authorizationSignature: signPayload({ ...payload, version: 2 }, keys.privateKey),
      }),
    ],
    [
      'a signature over JSON that is not canonical',
      ({ payload, keys }) => ({
        authorizationSignature: signPayload(JSON.stringify(payload), keys.privateKey),
      }),
    ],
    ['no signature at all', () => ({ authorizationSignature: 'none' })],
    [
      'a signature that is not DER',
      () => ({
        authorizationSignature: Buffer.alloc(64, 1).toString('base64'),
      }),
    ],
    ['an access token for an assertion', ({ holder }) => ({ mfaAssertion: holder.token })],
    [
      'an identity token for an assertion',
      async ({ holder: { realm, subject } }) => ({
        mfaAssertion: (await service.identity.issue({ realm, subject })).identityToken,
      }),
    ],
    [
      'an assertion for another request',
      async ({ holder }) => ({
        mfaAssertion: await assertionOf(service, holder, { nonce: randomUUID() }),
      }),
    ],
    [
      'an assertion of somebody else',
      async ({ requestId: nonce }) => ({
        mfaAssertion: await assertionOf(service, await makeHolder(service), { nonce }),
      }),
    ],
    [
      'an assertion of the other realm',
      async ({ holder, requestId: nonce }) => ({
        mfaAssertion: await assertionOf(service, { ...holder, realm: 'admin' }, { nonce }),
      }),
    ],
    [
      'an assertion of 301 s ago',
      async ({ holder, requestId: nonce }) => ({
        mfaAssertion: await assertionOf(service, holder, {
          nonce,
          authTime: Math.floor(Date.now() / 1000) - 302,
        }),
      }),
    ],
    [
      'an assertion from the future',
      async ({ holder, requestId: nonce }) => ({
        mfaAssertion: await assertionOf(service, holder, {
          nonce,
          authTime: Math.floor(Date.now() / 1000) + 60,
        }),
      }),
    ],
    ['no token at all', () => ({ mfaAssertion: 'a.b.c' })],
    ['an assertion of a one-time password alone', withMethods('otp')],
    ['an assertion of a hardware key alone', withMethods('hwk')],
    ['an assertion of WebAuthn alone', withMethods('webauthn')],
    ['an assertion of one method twice', withMethods('otp', 'otp')],
    ['an assertion of two methods of the same kind', withMethods('pwd', 'pin')],
    ['an assertion of no method', withMethods()],
  ]

  test.each(spoilt)('for %s', async (_what, spoil) => {
    const ceremony = await begin()
    expect(outcome(await ceremony.complete(await spoil(ceremony)))).toBe(FRESH)
    expect(outcome(await ceremony.complete())).toBe('200')
  })

  test.each(['recipientPublicKey', 'authorizationSignature', 'mfaAssertion'])(
    'omitting %s is 400 and does not count as an attempt',
    async (name) => {
      const ceremony = await begin()
      for (const value of [undefined, '', null, 7]) {
        const changed = { [name]: value } as object
        expect(outcome(await ceremony.complete(changed))).toBe('400 validation_failed')
      }
      expect(outcome(await ceremony.complete())).toBe('200')
    },
  )
})

describe('exportable wallets', () => {
  const ask = async (holder: Holder, walletId: string, more = {}) =>
    outcome(
      await requestExport(service, holder, {
        walletId,
        recipientPublicKey: makeRecipientKeys().publicKey,
        ...more,
      }),
    )

  test('exclude linked wallets with 403 and unknown ones with 404', async () => {
    const wallets = [{ address: randomAddress(), kind: 'embedded' as const }]
    const person = await service.signIn(randomUUID(), wallets)
    const holder: Holder = { realm: 'consumer', ...person }
    expect(await ask(holder, person.walletIds[0] ?? '')).toBe('403 forbidden')
    expect(await ask(holder, randomUUID())).toBe('404 not_found')
  })

  test('exclude disabled ones with 403, and their open requests are 409', async () => {
    const ceremony = await begin()
    await disableWallet(service.ctx, ceremony.wallet.id)
    expect(await ask(ceremony.holder, ceremony.wallet.id)).toBe('403 forbidden')
    expect(outcome(await ceremony.complete())).toBe(UNUSABLE)
  })

  test('exclude those of another provider than the configured one with 503', async () => {
    const { holder, wallet, complete } = await begin()
    const { walletProvider: right } = service.ctx
    if (!right) throw new Error('There is no provider')
    const others = [undefined, { ...right, type: 'privy' as const }]
    for (const other of others) {
      service.ctx.walletProvider = other
      expect(await ask(holder, wallet.id)).toBe('503 dependency_unavailable')
      expect(outcome(await complete())).toBe('503 dependency_unavailable')
    }
    service.ctx.walletProvider = right
    expect(outcome(await complete())).toBe('200')
  })

  test('must belong to the organization when one is given', async () => {
    const { id: organizationId, owner } = await createOrganization(service)
    const other = await createOrganization(service, owner)
    const holder: Holder = { realm: 'consumer', ...owner }
    const { id } = await makeServerWallet(service, holder, { organizationId })
    expect(await ask(holder, id, { organizationId })).toBe('201')
    expect(await ask(holder, id, { organizationId: other.id })).toBe('404 not_found')
    expect(await ask(holder, id, { organizationId: randomUUID() })).toBe('403 forbidden')
  })
})
