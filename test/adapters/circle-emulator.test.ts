/**
 * The Circle emulator is as strict as the documented API; otherwise tests against it prove little.
 */
import { constants, publicEncrypt, randomBytes, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type CircleEmulator, startCircleEmulator } from '#test/support/circle-emulator.ts'

let circle: CircleEmulator
let publicKey: string
let walletId: string

type Body = Record<string, unknown>

/** The `data` of an answer, typed as the test expects it. */
async function dataOf<T>(answer: Response | Promise<Response>): Promise<T> {
  return ((await (await answer).json()) as { data: T }).data
}

const get = (path: string, key = circle.env.CIRCLE_API_KEY) =>
  fetch(`${circle.url}${path}`, { headers: { authorization: `Bearer ${key}` } })

const post = (path: string, body: Body, more: Record<string, string> = {}) =>
  fetch(`${circle.url}/v1/w3s/developer/${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${circle.env.CIRCLE_API_KEY}`,
      'content-type': 'application/json',
      ...more,
    },
    body: JSON.stringify(body),
  })

const seal = (secret: Uint8Array, oaepHash = 'sha256') =>
  publicEncrypt(
    { key: publicKey, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash },
    secret,
  ).toString('base64')

const sealed = () => seal(Buffer.from(String(circle.env.CIRCLE_ENTITY_SECRET), 'hex'))

const fresh = (): Body => ({ idempotencyKey: randomUUID(), entitySecretCiphertext: sealed() })

const wallet = (): Body => ({
  ...fresh(),
  blockchains: ['ETH-SEPOLIA'],
  walletSetId: circle.env.CIRCLE_WALLET_SET_ID,
})

const execution = (): Body => ({
  ...fresh(),
  walletId,
  contractAddress: `0x${'ab'.repeat(20)}`,
  callData: '0x12345678',
  feeLevel: 'MEDIUM',
})

beforeAll(async () => {
  circle = await startCircleEmulator()
  const found = await dataOf<{ publicKey: string }>(get('/v1/w3s/config/entity/publicKey'))
  publicKey = found.publicKey
  const made = await dataOf<{ wallets: [{ id: string }] }>(post('wallets', wallet()))
  walletId = made.wallets[0].id
})
afterAll(() => circle.stop())

const statusOf = async (path: string, body: Body, more = {}) =>
  (await post(path, body, more)).status

describe('a caller', () => {
  test('needs the API key and the JSON content type', async () => {
    expect((await get('/v1/w3s/config/entity/publicKey', 'TEST_API_KEY:x:y')).status).toBe(401)
    expect(await statusOf('wallets', wallet(), { authorization: 'Bearer x' })).toBe(401)
    expect(await statusOf('wallets', wallet(), { 'content-type': 'text/plain' })).toBe(415)
    expect(circle.wallets).toHaveLength(1)
  })

  test('needs the entity secret, freshly encrypted for each request', async () => {
    const once = fresh()
    expect(await statusOf('walletSets', once)).toBe(201)
    const secret = Buffer.from(String(circle.env.CIRCLE_ENTITY_SECRET), 'hex')
    const others = [
      once.entitySecretCiphertext,
      seal(randomBytes(32)),
      seal(secret, 'sha1'),
      secret.toString('base64'),
      undefined,
    ]
    for (const entitySecretCiphertext of others) {
      const body = { idempotencyKey: randomUUID(), entitySecretCiphertext }
      expect(await statusOf('walletSets', body)).toBe(400)
    }
    expect(circle.walletSets).toHaveLength(2)
  })
})

describe('an execution', () => {
  test('rejects unknown fields and malformed values', async () => {
    expect(await statusOf('transactions/contractExecution', execution())).toBe(201)
    const { walletId: _wallet, ...nobody } = execution()
    const { feeLevel: _level, ...feeless } = execution()
    const bodies: Body[] = [
      { ...execution(), gasLimit: '21000' },
      { ...execution(), abiFunctionSignature: 'pay()' },
      { ...execution(), callData: '0x123' },
      { ...execution(), callData: '12345678' },
      { ...execution(), contractAddress: 'vault' },
      { ...execution(), feeLevel: 'medium' },
      { ...execution(), idempotencyKey: 'once' },
      { ...execution(), idempotencyKey: '0198c0de-0000-7000-8000-000000000001' },
      nobody,
      feeless,
    ]
    for (const body of bodies) {
      expect(await statusOf('transactions/contractExecution', body)).toBe(400)
    }
    const elsewhere = { ...execution(), walletId: randomUUID() }
    expect(await statusOf('transactions/contractExecution', elsewhere)).toBe(404)
    expect(circle.transactions).toHaveLength(1)
  })

  test('with the same key is the same one, and with another body is rejected', async () => {
    const body = execution()
    const answers = await Promise.all(
      [1, 2, 3].map(() =>
        post('transactions/contractExecution', { ...body, entitySecretCiphertext: sealed() }),
      ),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 201])
    const ids = await Promise.all(
      answers.map(async (each) => (await dataOf<{ id: string }>(each)).id),
    )
    expect(new Set(ids).size).toBe(1)
    const other = { ...body, callData: '0x87654321', entitySecretCiphertext: sealed() }
    expect(await statusOf('transactions/contractExecution', other)).toBe(400)
    const made = circle.transactions.filter((each) => each.idempotencyKey === body.idempotencyKey)
    expect(made.map(({ requests }) => requests)).toEqual([3])
  })

  test('is 404 for unknown ids and paths', async () => {
    expect((await get(`/v1/w3s/transactions/${randomUUID()}`)).status).toBe(404)
    expect((await get(`/v1/w3s/wallets/${randomUUID()}`)).status).toBe(404)
    expect((await get('/v1/w3s/anything')).status).toBe(404)
  })
})
