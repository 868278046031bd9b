/** An API process in production whose realms are clients and APIs of a real OpenID provider. */
import { randomUUID } from 'node:crypto'
import { getAddress } from 'viem'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { production } from '#test/processes/environment.ts'
import {
  cleanUp,
  type Environment,
  freePort,
  onCleanUp,
  type Running,
  runScript,
} from '#test/processes/processes.ts'
import { ask } from '#test/processes/service.ts'
import { contractProblem } from '#test/support/contract.ts'
import { createTestDatabase } from '#test/support/database.ts'
import { type SignedIn, signInAt } from '#test/support/openid-client.ts'
import {
  CERTIFICATE_FILE,
  type OpenIdProvider,
  startOpenIdProvider,
} from '#test/support/openid-provider.ts'

vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 })

const CONSUMER_API = 'https://api.countersign.example/consumer'
const ADMIN_API = 'https://api.countersign.example/admin'
const OPERATOR = 'the-operator'

let provider: OpenIdProvider
let configured: Environment

beforeAll(async () => {
  provider = await startOpenIdProvider({
    clientIds: ['consumer-web', 'admin-console', 'another-app'],
    apis: [CONSUMER_API, ADMIN_API],
  })
  onCleanUp(() => provider.stop())
  const database = await createTestDatabase()
  onCleanUp(() => database.drop())
  configured = {
    ...production(database.url),
    LOG_LEVEL: 'info',
    NODE_EXTRA_CA_CERTS: CERTIFICATE_FILE,
    FIRST_OPERATOR: OPERATOR,
    CONSUMER_ISSUER: provider.issuer,
    CONSUMER_AUDIENCE: CONSUMER_API,
    CONSUMER_JWKS_URL: provider.jwksUrl,
    ADMIN_ISSUER: provider.issuer,
    ADMIN_AUDIENCE: ADMIN_API,
    ADMIN_JWKS_URL: provider.jwksUrl,
  }
})
afterAll(cleanUp)

type Api = { running: Running; url: string }

async function startApi(env: Environment = {}): Promise<Api> {
  const port = await freePort()
  const running = runScript('src/main.ts', { ...configured, ...env, PORT: String(port) })
  await running.says(/"msg":"api listening"/)
  return { running, url: `http://127.0.0.1:${port}` }
}

type Realm = 'consumer' | 'admin'

async function openSession(
  { url }: Api,
  realm: Realm,
  { accessToken: token, idToken: identityToken }: SignedIn,
) {
  const path = `/v1/${realm}/session`
  const headers = { 'x-request-id': randomUUID() }
  const asked = { token, body: { identityToken }, headers }
  const answer = await ask('PUT', `${url}${path}`, asked)
  const { status, body } = answer
  expect(contractProblem('PUT', path, { status, body, text: JSON.stringify(body) })).toBeUndefined()
  return { ...answer, requestId: headers['x-request-id'] }
}

/** The log line with the reason for refusing that request. */
async function refusalOf({ running }: Api, requestId: string): Promise<Record<string, unknown>> {
  const [line = ''] = await running.says(
    new RegExp(`^.*"requestId":"${requestId}".*"authentication failed".*$`, 'm'),
  )
  return JSON.parse(line)
}

const person = () => `person-${randomUUID()}`

const asConsumer = (subject: string, clientId = 'consumer-web') =>
  signInAt(provider, { clientId, api: CONSUMER_API, subject, nonce: randomUUID() })

const asOperator = (clientId = 'admin-console') =>
  signInAt(provider, { clientId, api: ADMIN_API, subject: OPERATOR, nonce: randomUUID() })

describe('with the client ids of both realms', () => {
  let api: Api
  beforeAll(async () => {
    api = await startApi({
      CONSUMER_ID_AUDIENCE: 'consumer-mobile, consumer-web',
      ADMIN_ID_AUDIENCE: 'admin-console',
    })
  })

  test('opens a consumer session and links the wallets of the ID token', async () => {
    const subject = person()
    const address = `0x${randomUUID().replaceAll('-', '').padEnd(40, 'a')}`
    provider.wallets.set(subject, [{ address, kind: 'external' }])
    const { status, body } = await openSession(api, 'consumer', await asConsumer(subject))
    expect([status, body.account?.status]).toEqual([200, 'active'])
    expect(body.wallets).toMatchObject([{ address: getAddress(address), kind: 'external' }])
  })

  test('opens an administrator session of the first operator', async () => {
    const { status, body } = await openSession(api, 'admin', await asOperator())
    expect([status, body.account?.subject, body.active]).toEqual([200, OPERATOR, true])
  })

  test("refuses the other realm's access token", async () => {
    const { status, requestId } = await openSession(api, 'consumer', await asOperator())
    expect(status).toBe(401)
    expect(await refusalOf(api, requestId)).toMatchObject({
      credential: 'access_token',
      claim: 'realm',
      expected: 'consumer',
      found: 'admin',
    })
  })

  test.each(['admin-console', 'another-app'])(
    'refuses an ID token of client %s',
    async (client) => {
      const subject = person()
      const { accessToken } = await asConsumer(subject)
      const { idToken } = await asConsumer(subject, client)
      const tokens = { accessToken, idToken }
      const { status, requestId } = await openSession(api, 'consumer', tokens)
      expect(status).toBe(401)
      expect(await refusalOf(api, requestId)).toMatchObject({
        credential: 'identity_token',
        claim: 'aud',
        expected: 'consumer-mobile or consumer-web',
        found: client,
      })
    },
  )

  test("refuses another person's ID token", async () => {
    const [ann, bob] = [person(), person()]
    const { accessToken } = await asConsumer(ann)
    const { idToken } = await asConsumer(bob)
    const tokens = { accessToken, idToken }
    const { status, requestId } = await openSession(api, 'consumer', tokens)
    expect(status).toBe(401)
    expect(await refusalOf(api, requestId)).toMatchObject({
      credential: 'identity_token',
      claim: 'sub',
      expected: expect.stringContaining(ann),
      found: bob,
    })
  })

  test('refuses an ID token in place of an access token', async () => {
    const { idToken } = await asConsumer(person())
    const tokens = { accessToken: idToken, idToken }
    const { status, requestId } = await openSession(api, 'consumer', tokens)
    expect(status).toBe(401)
    expect(await refusalOf(api, requestId)).toMatchObject({
      credential: 'access_token',
      claim: 'aud',
      expected: CONSUMER_API,
      found: 'consumer-web',
    })
  })

  test('refuses an access token in place of an ID token', async () => {
    const { accessToken } = await asConsumer(person())
    const tokens = { accessToken, idToken: accessToken }
    const { status, requestId } = await openSession(api, 'consumer', tokens)
    expect(status).toBe(401)
    expect(await refusalOf(api, requestId)).toMatchObject({
      credential: 'identity_token',
      claim: 'aud',
      found: CONSUMER_API,
    })
  })
})

describe('without client ids', () => {
  let api: Api
  beforeAll(async () => {
    api = await startApi()
  })

  test('refuses the ID token and logs audience, expected and found', async () => {
    const tokens = await asConsumer(person())
    const { status, body, requestId } = await openSession(api, 'consumer', tokens)
    expect([status, body.error.code]).toEqual([401, 'unauthenticated'])
    expect(await refusalOf(api, requestId)).toMatchObject({
      level: 'info',
      credential: 'identity_token',
      claim: 'aud',
      expected: CONSUMER_API,
      found: 'consumer-web',
    })
    const log = api.running.stdout() + api.running.stderr()
    for (const token of [tokens.accessToken, tokens.idToken]) {
      for (const part of token.split('.').slice(1)) expect(log).not.toContain(part)
    }
  })
})

test('does not trust a key set whose certificate has an unknown issuer', async () => {
  const api = await startApi({ NODE_EXTRA_CA_CERTS: '' })
  const { status } = await openSession(api, 'consumer', await asConsumer(person()))
  expect(status).toBe(503)
})
