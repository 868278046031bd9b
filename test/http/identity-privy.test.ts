/** Privy as identity provider by configuration alone, with tokens in Privy's format. */
import { randomBytes, randomUUID } from 'node:crypto'
import { getAddress } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '#test/support/app.ts'
import { beginExport, type Holder, makeServerWallet } from '#test/support/exports.ts'
import { outcome, randomAddress } from '#test/support/steps.ts'
import { type KeyServer, makeTokenKey, signToken, startKeyServer } from '#test/support/tokens.ts'

const ZERO = '0x0000000000000000000000000000000000000000'
/** Two apps are two realms: the issuer is the same, the audience is the app. */
const APPS = { consumer: 'clpispdty00ycl80fpueukbhl', admin: 'cm0operators00ycl80fpueuk' }
const key = makeTokenKey({ kid: 'privy-consumer' })
const adminKey = makeTokenKey({ kid: 'privy-admin' })
/** Privy asserts nothing about second factors, so another issuer does. */
const STEP_UP = 'https://second-factor.example'
const stepUpKey = makeTokenKey({ kid: 'second-factor' })

let keys: Record<'consumer' | 'admin' | 'stepUp', KeyServer>
let service: TestApp

beforeAll(async () => {
  keys = {
    consumer: await startKeyServer([key.published]),
    admin: await startKeyServer([adminKey.published]),
    stepUp: await startKeyServer([stepUpKey.published]),
  }
  service = await startTestApp({
    env: {
      CONSUMER_ISSUER: 'privy.io',
      CONSUMER_AUDIENCE: APPS.consumer,
      CONSUMER_JWKS_URL: keys.consumer.url,
      CONSUMER_ASSERTION_ISSUER: STEP_UP,
      CONSUMER_ASSERTION_JWKS_URL: keys.stepUp.url,
      ADMIN_ISSUER: 'privy.io',
      ADMIN_AUDIENCE: APPS.admin,
      ADMIN_JWKS_URL: keys.admin.url,
    },
  })
})
afterAll(async () => {
  await service.stop()
  await keys.consumer.stop()
  await keys.admin.stop()
  await keys.stepUp.stop()
})

const did = () => `did:privy:cl${randomBytes(12).toString('hex')}`
const nowSeconds = () => Math.floor(Date.now() / 1000)

const accessToken = (sub: string, more: Record<string, unknown> = {}) => {
  const iat = nowSeconds()
  const sid = `cl${randomBytes(12).toString('hex')}`
  const claims = { sid, iss: 'privy.io', iat, aud: APPS.consumer, sub, exp: iat + 3600 }
  return signToken({ key, claims: { ...claims, ...more } })
}

type Linked = Record<string, unknown>

const identityToken = (sub: string, accounts: Linked[], more: Record<string, unknown> = {}) => {
  const iat = nowSeconds()
  const claims = {
    cr: String(iat - 86_400),
    linked_accounts: JSON.stringify(accounts),
    iss: 'privy.io',
    iat,
    aud: APPS.consumer,
    sub,
    exp: iat + 36_000,
  }
  return signToken({ key, claims: { ...claims, ...more } })
}

const wallet = (address: string, client: string, more: Linked = {}): Linked => ({
  type: 'wallet',
  address,
  chain_type: 'ethereum',
  wallet_client_type: client,
  lv: nowSeconds() - 60,
  ...more,
})

const open = (sub: string, accounts: Linked[], more: Record<string, unknown> = {}) =>
  service.call('PUT', '/v1/consumer/session', {
    token: accessToken(sub),
    body: { identityToken: identityToken(sub, accounts, more) },
  })

type Shown = { address: string; kind: string; chainType: string; nativeAddress?: string }

const shown = ({ body }: { body: { wallets: Shown[] } }) =>
  body.wallets
    .map(({ address, kind, nativeAddress }) => `${kind} ${nativeAddress ?? address}`)
    .sort()

const SOLANA = '7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU'

describe('an identity token of Privy', () => {
  test('brings every linked wallet and ignores other linked accounts', async () => {
    const [inside, tee, outside] = [randomAddress(), randomAddress(), randomAddress()]
    const smart = randomAddress()
    const answer = await open(did(), [
      { type: 'email', address: 'ann@example.com', lv: nowSeconds() },
      { type: 'phone', phone_number: '+15551234567', lv: nowSeconds() },
      { type: 'google_oauth', subject: '114', email: 'ann@example.com', name: 'Ann', lv: 1 },
      { type: 'passkey', credential_id: 'x', lv: 1 },
      { type: 'farcaster', fid: 7, owner_address: randomAddress(), lv: 1 },
      { type: 'custom_auth', custom_user_id: 'ann', lv: 1 },
      { type: 'smart_wallet', address: smart, smart_wallet_type: 'kernel', lv: 1 },
      wallet(getAddress(inside), 'privy'),
      wallet(getAddress(tee), 'privy', { id: 'cmtee000000000000000000001' }),
      wallet(SOLANA, 'privy', { chain_type: 'solana', id: 'cmtee000000000000000000002' }),
      wallet(outside, 'metamask'),
      wallet('bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq', 'privy', {
        chain_type: 'bitcoin-segwit',
      }),
    ])
    expect(answer.status).toBe(200)
    expect(shown(answer)).toEqual(
      [
        `embedded ${getAddress(inside)}`,
        `embedded ${getAddress(tee)}`,
        `embedded ${SOLANA}`,
        `external ${getAddress(outside)}`,
        `external ${getAddress(smart)}`,
      ].sort(),
    )
    const solana = answer.body.wallets.find(({ chainType }: Shown) => chainType === 'solana')
    expect(solana).toMatchObject({ address: ZERO, nativeAddress: SOLANA, kind: 'embedded' })
  })

  test('with the client privy-v2 brings an embedded wallet too', async () => {
    const address = randomAddress()
    const linked = wallet(address, 'privy-v2', { id: 'cmtee000000000000000000003' })
    expect(shown(await open(did(), [linked]))).toEqual([`embedded ${getAddress(address)}`])
  })

  test('with other clients brings external wallets, also unnamed or on Solana', async () => {
    const [unnamed, rainbow] = [randomAddress(), randomAddress()]
    const phantom = 'So11111111111111111111111111111111111111112'
    const { wallet_client_type: _none, ...bare } = wallet(unnamed, '')
    const answer = await open(did(), [
      bare,
      wallet(rainbow, 'rainbow'),
      wallet(phantom, 'phantom', { chain_type: 'solana' }),
    ])
    expect(shown(answer)).toEqual(
      [unnamed, rainbow]
        .map((address) => `external ${getAddress(address)}`)
        .concat(`external ${phantom}`)
        .sort(),
    )
  })

  test('that omits wallets for lack of space unlinks none', async () => {
    const sub = did()
    const [first, second] = [randomAddress(), randomAddress()]
    await open(sub, [wallet(first, 'privy'), wallet(second, 'metamask')])
    for (const accounts of [[], [wallet(first, 'privy')]]) {
      const { body } = await open(sub, accounts)
      expect(body.wallets).toHaveLength(2)
    }
    const bare = await service.call('PUT', '/v1/consumer/session', {
      token: accessToken(sub),
      body: { identityToken: identityToken(sub, [], { linked_accounts: undefined }) },
    })
    expect(bare.body.wallets).toHaveLength(2)
  })

  test('of a guest, or with app metadata, opens a session', async () => {
    const more = { guest: 't', custom_metadata: JSON.stringify({ plan: 'team' }) }
    expect(outcome(await open(did(), [], more))).toBe('200')
  })

  test('of another person or of the other app is 401', async () => {
    const sub = did()
    const put = (identity: string) =>
      service.call('PUT', '/v1/consumer/session', {
        token: accessToken(sub),
        body: { identityToken: identity },
      })
    expect(outcome(await put(identityToken(did(), [])))).toBe('401 unauthenticated')
    expect(outcome(await put(identityToken(sub, [], { aud: APPS.admin })))).toBe(
      '401 unauthenticated',
    )
    expect(outcome(await put(identityToken(sub, [], { iss: 'privy.example' })))).toBe(
      '401 unauthenticated',
    )
    expect(outcome(await put(identityToken(sub, [], { exp: nowSeconds() - 60 })))).toBe(
      '401 unauthenticated',
    )
  })

  test('is not accepted as an access token', async () => {
    const sub = did()
    await open(sub, [])
    const token = identityToken(sub, [wallet(randomAddress(), 'privy')])
    expect(outcome(await service.call('GET', '/v1/consumer/me', { token }))).toBe(
      '401 unauthenticated',
    )
  })

  test('with a wallet of somebody else is 409 and links nothing', async () => {
    const taken = randomAddress()
    await open(did(), [wallet(taken, 'privy')])
    const sub = did()
    const answer = await open(sub, [wallet(randomAddress(), 'privy'), wallet(taken, 'metamask')])
    expect(outcome(answer)).toBe('409 wallet_conflict')
  })
})

describe('an access token of Privy', () => {
  test('is valid for the account that the session opened', async () => {
    const sub = did()
    await open(sub, [])
    const me = await service.call('GET', '/v1/consumer/me', { token: accessToken(sub) })
    expect(outcome(me)).toBe('200')
  })

  test('of the other app belongs to the other realm, with its own keys', async () => {
    const sub = did()
    const iat = nowSeconds()
    const claims = { sid: randomUUID(), iss: 'privy.io', iat, sub, exp: iat + 3600 }
    const admin = signToken({ key: adminKey, claims: { ...claims, aud: APPS.admin } })
    const consumer = await service.call('GET', '/v1/consumer/wallets/', { token: admin })
    expect(outcome(consumer)).toBe('403 realm_mismatch')
    const forged = signToken({ key, claims: { ...claims, aud: APPS.admin } })
    expect(outcome(await service.call('GET', '/v1/admin/me', { token: forged }))).toBe(
      '401 unauthenticated',
    )
    await service.operatorToken(sub)
    expect(outcome(await service.call('GET', '/v1/admin/me', { token: admin }))).toBe('200')
  })
})

describe('an MFA assertion issuer beside Privy', () => {
  const assertion = (sub: string, nonce: string, changed: object = {}, signedBy = stepUpKey) => {
    const iat = nowSeconds()
    const times = { iat, exp: iat + 300, auth_time: iat }
    const claims = {
      iss: STEP_UP,
      aud: APPS.consumer,
      sub,
      nonce,
      amr: ['webauthn', 'pin'],
      ...times,
    }
    return signToken({ key: signedBy, claims: { ...claims, ...changed } })
  }

  test('is accepted for the right person and app only', async () => {
    const subject = did()
    await open(subject, [])
    const holder: Holder = { realm: 'consumer', subject, token: accessToken(subject) }
    const wallet = await makeServerWallet(service, holder)
    const first = await beginExport(service, holder, wallet)
    const wrong = [
      assertion(did(), first.requestId),
      assertion(subject, first.requestId, { iss: 'privy.io' }, key),
    ]
    for (const mfaAssertion of wrong) {
      expect(outcome(await first.complete({ mfaAssertion }))).toBe(
        '403 fresh_authentication_required',
      )
    }
    const mfaAssertion = assertion(subject, first.requestId)
    expect(outcome(await first.complete({ mfaAssertion }))).toBe('200')
    const second = await beginExport(service, holder, wallet)
    const foreign = assertion(subject, second.requestId, { aud: APPS.admin })
    expect(outcome(await second.complete({ mfaAssertion: foreign }))).toBe(
      '403 fresh_authentication_required',
    )
  })

  test('cannot issue access tokens', async () => {
    const subject = did()
    await open(subject, [])
    const token = assertion(subject, randomUUID(), { nonce: undefined })
    expect(outcome(await service.call('GET', '/v1/consumer/me', { token }))).toBe(
      '401 unauthenticated',
    )
  })
})
