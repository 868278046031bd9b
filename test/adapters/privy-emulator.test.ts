/**
 * The Privy emulator is as strict as the documented API; otherwise tests against it prove little.
 */
import { createPrivateKey, type KeyObject, randomUUID, sign } from 'node:crypto'
import canonicalize from 'canonicalize'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeRecipientKeys } from '#test/support/exports.ts'
import { type PrivyEmulator, startPrivyEmulator } from '#test/support/privy-emulator.ts'

let privy: PrivyEmulator
let ownerKey: KeyObject

beforeAll(async () => {
  privy = await startPrivyEmulator()
  const key = String(privy.env.PRIVY_AUTHORIZATION_KEY).replace('wallet-auth:', '')
  ownerKey = createPrivateKey({
    key: Buffer.from(key, 'base64'),
    format: 'der',
    type: 'pkcs8',
  })
})
afterAll(() => privy.stop())

const headers = (): Record<string, string> => {
  const { PRIVY_APP_ID: app = '', PRIVY_APP_SECRET: secret } = privy.env
  return {
    authorization: `Basic ${Buffer.from(`${app}:${secret}`).toString('base64')}`,
    'privy-app-id': app,
    'content-type': 'application/json',
  }
}

const post = (path: string, body: unknown, more: Record<string, string> = {}) =>
  fetch(`${privy.url}${path}`, {
    method: 'POST',
    headers: { ...headers(), ...more },
    body: JSON.stringify(body),
  })

const create = (body: unknown, more: Record<string, string> = {}) => post('/v1/wallets', body, more)

describe('a wallet', () => {
  test('rejects unknown fields and malformed values', async () => {
    const good = { chain_type: 'ethereum' }
    expect((await create(good)).status).toBe(200)
    const bodies = [
      { ...good, chainType: 'ethereum' },
      { ...good, external_id: 'with blank' },
      { ...good, external_id: 'x'.repeat(65) },
      { ...good, owner_id: 'quorum-2' },
      { ...good, display_name: 'x'.repeat(101) },
      { chain_type: 'dogecoin' },
      {},
    ]
    for (const body of bodies) expect((await create(body)).status).toBe(400)
  })

  test('repeats the answer for a key with the same body and rejects another body', async () => {
    const keyed = { 'privy-idempotency-key': randomUUID() }
    const first = await (await create({ chain_type: 'ethereum' }, keyed)).json()
    expect(await (await create({ chain_type: 'ethereum' }, keyed)).json()).toEqual(first)
    expect((await create({ chain_type: 'solana' }, keyed)).status).toBe(400)
  })

  test('accepts an external id once, also when the key is forgotten', async () => {
    const body = { chain_type: 'ethereum', external_id: randomUUID() }
    expect((await create(body)).status).toBe(200)
    privy.forgetKeys()
    expect((await create(body)).status).toBe(400)
  })

  test('rejects other credentials', async () => {
    const body = { chain_type: 'ethereum' }
    expect((await create(body, { authorization: 'Basic eDp5' })).status).toBe(401)
    expect((await create(body, { 'privy-app-id': 'another' })).status).toBe(400)
    expect((await create(body, { 'content-type': 'text/plain' })).status).toBe(415)
  })
})

describe('an export', () => {
  type Export = { body: object; path: string; signed?: object; more?: Record<string, string> }

  /** Signed over what is sent, unless stated otherwise. */
  async function send({ body, path, signed = {}, more = {} }: Export): Promise<number> {
    const covered = { 'privy-app-id': privy.env.PRIVY_APP_ID, ...more }
    const url = `${privy.url}${path}`
    const payload = { version: 1, method: 'POST', url, body, headers: covered, ...signed }
    const bytes = Buffer.from(canonicalize(payload) ?? '')
    const signature = sign('sha256', bytes, ownerKey).toString('base64')
    const sent = { 'privy-authorization-signature': signature, ...more }
    return (await post(path, body, sent)).status
  }

  const soon = () => ({ 'privy-request-expiry': String(Date.now() + 60_000) })

  async function prepared() {
    await create({ chain_type: 'ethereum', owner_id: privy.env.PRIVY_OWNER_ID })
    const { id } = privy.wallets.at(-1) ?? {}
    const { publicKey } = makeRecipientKeys()
    const body = { encryption_type: 'HPKE', recipient_public_key: publicKey }
    return { body, path: `/v1/wallets/${id}/export` }
  }

  test('is encrypted for a signature of the owner over all of it', async () => {
    const good = await prepared()
    expect(await send(good)).toBe(200)
    expect(await send({ ...good, more: soon() })).toBe(200)
  })

  test.each([
    ['another method', { method: 'GET' }],
    ['another URL', { url: 'https://api.privy.io/v1/wallets/x/export' }],
    ['another body', { body: {} }],
    ['other headers', { headers: {} }],
    ['another version', { version: 2 }],
  ])('with a signature over %s is 401', async (_what, signed) => {
    expect(await send({ ...(await prepared()), signed })).toBe(401)
  })

  test('is 401 without a signature and 400 past its expiry', async () => {
    const { path, body } = await prepared()
    expect((await post(path, body)).status).toBe(401)
    const past = { 'privy-request-expiry': String(Date.now() - 1_000) }
    expect(await send({ path, body, more: past })).toBe(400)
  })

  test('is 400 for a malformed body and 404 for an unknown wallet', async () => {
    const { path, body } = await prepared()
    const { rawPoint } = makeRecipientKeys()
    for (const changed of [
      { recipient_public_key: rawPoint },
      { encryption_type: 'RSA' },
      { x: 1 },
    ]) {
      expect(await send({ path, body: { ...body, ...changed } })).toBe(400)
    }
    expect(await send({ path: '/v1/wallets/nobody/export', body })).toBe(404)
  })
})
