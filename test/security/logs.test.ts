import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { buildApp } from '#app.ts'
import type { Context } from '#context.ts'
import { createLog } from '#platform/log.ts'
import { createDump } from '#test/security/dump.ts'
import { listen, openSocket, rawRequest, sendRaw } from '#test/security/raw-http.ts'
import { routes } from '#test/security/routes.ts'
import {
  type Call,
  createOrganization,
  type Organization,
  type Person,
  startTestApp,
  type TestApp,
} from '#test/support/app.ts'

type Line = Record<string, unknown>
type Sent = { requestId: string; method: string; route: string; status: number }

const lines: string[] = []
const sent: Sent[] = []
/** Everything that must never be logged, by name. */
const canaries = new Map<string, string>()

const canary = (what: string): string => {
  const value = `canary${randomUUID().replaceAll('-', '')}`
  canaries.set(`${what} ${canaries.size}`, value)
  return value
}

/** Each part of a token is searched for by itself: half a token is a leak too. */
function watchToken(what: string, token: string): string {
  const [, payload = '', signature = ''] = token.split('.')
  canaries.set(`${what}, payload ${canaries.size}`, payload)
  canaries.set(`${what}, signature ${canaries.size}`, signature)
  return token
}

let service: TestApp
let port: number
let person: Person
let organization: Organization

beforeAll(async () => {
  const log = createLog({ level: 'trace', destination: { write: (line) => lines.push(line) } })
  service = await startTestApp({
    env: { SERVER_SECRET: canary('server secret').padEnd(40, 'x'), RATE_LIMIT_PER_ADDRESS: '200' },
    replace: { log },
  })
  canaries.set('database password', new URL(service.database.url).password)
  port = await listen(service)
  person = await service.signIn()
  watchToken('access token', person.token)
  organization = await createOrganization(service, person)
})
afterAll(() => service.stop())

/** Sends a request under its own id and remembers what its log line must contain. */
async function ask(method: string, url: string, route: string, call: Call = {}) {
  const requestId = randomUUID()
  const headers = { 'x-request-id': requestId, ...call.headers }
  const answer = await service.call(method, url, { ...call, headers })
  sent.push({ requestId, method, route, status: answer.status })
  return answer
}

const org = '/v1/consumer/organizations/:organizationId'
const accept = '/v1/consumer/invitations/:token/accept'

describe('valid requests', () => {
  test('open sessions', async () => {
    const subject = `person-${randomUUID()}`
    for (const realm of ['consumer', 'admin'] as const) {
      const issued = await service.identity.issue({ realm, subject })
      if (realm === 'admin') await service.operatorToken(subject)
      const { status } = await ask('PUT', `/v1/${realm}/session`, `/v1/${realm}/session`, {
        token: watchToken(`${realm} access token`, issued.accessToken),
        body: { identityToken: watchToken(`${realm} identity token`, issued.identityToken) },
      })
      expect(status).toBe(200)
    }
  })

  test('create, replay and accept an invitation', async () => {
    const headers = { 'idempotency-key': canary('idempotency key') }
    const call = { token: person.token, body: { role: 'employee' }, headers }
    for (let turn = 0; turn < 2; turn += 1) {
      const made = await ask('POST', `${organization.path}/invitations`, `${org}/invitations`, call)
      expect(made.status).toBe(201)
      canaries.set('invitation token', made.body.inviteToken)
    }
    const { token } = await service.signIn()
    const url = `/v1/consumer/invitations/${canaries.get('invitation token')}/accept`
    for (const status of [200, 409]) {
      expect((await ask('POST', url, accept, { token })).status).toBe(status)
    }
  })

  test('send a body under an Idempotency-Key', async () => {
    const call = {
      token: person.token,
      body: { label: canary('label'), address: `0x${'a'.repeat(40)}`, chainId: 31_337 },
      headers: { 'idempotency-key': canary('idempotency key') },
    }
    const made = await ask('POST', `${organization.path}/recipients`, `${org}/recipients`, call)
    expect(made.status).toBe(201)
    const other = { ...call, body: { ...call.body, label: canary('another label') } }
    const reused = await ask('POST', `${organization.path}/recipients`, `${org}/recipients`, other)
    expect(reused.status).toBe(409)
  })
})

describe('refused requests', () => {
  const me = '/v1/consumer/me'
  const create = '/v1/consumer/organizations'

  test('send invalid authorization of every kind', async () => {
    const secret = canary('credentials')
    const broken = watchToken('tampered token', person.token.replace('.', '.A'))
    const authorizations = [`Basic ${secret}`, `Bearer ${secret}`, secret, `Bearer ${broken}`]
    for (const authorization of authorizations) {
      expect((await ask('GET', me, me, { headers: { authorization } })).status).toBe(401)
    }
    const headers = { cookie: `session=${canary('cookie')}`, 'x-api-key': canary('api key') }
    expect((await ask('GET', me, me, { headers })).status).toBe(401)
  })

  test('send tokens in the query', async () => {
    const { token } = person
    const query = `access_token=${canary('query token')}&cursor=${canary('cursor')}`
    expect((await ask('GET', `${me}?${query}`, me, { token })).status).toBe(400)
    expect((await ask('GET', `${create}?${query}`, create, { token })).status).toBe(400)
    expect((await ask('GET', `/nowhere?${query}`, 'unmatched')).status).toBe(404)
  })

  test('send invalid bodies of every kind', async () => {
    const { token } = person
    const wrong: [number, Call][] = [
      [400, { raw: `{"name":"${canary('broken body')}` }],
      [400, { body: { name: 'Acme', [canary('field name')]: canary('field') } }],
      [400, { body: { name: canary('long').repeat(9) } }],
      [413, { raw: JSON.stringify({ name: canary('large body').repeat(2000) }) }],
      [415, { raw: canary('text'), headers: { 'content-type': `text/${canary('type')}` } }],
    ]
    for (const [status, call] of wrong) {
      expect((await ask('POST', create, create, { token, ...call })).status).toBe(status)
    }
    const identityToken = canary('identity token')
    const session = '/v1/consumer/session'
    const refused = await ask('PUT', session, session, { token, body: { identityToken } })
    expect(refused.status).toBe(401)
  })

  test('send unknown paths', async () => {
    const { token } = person
    expect((await ask('GET', `/v1/${canary('path')}`, 'unmatched')).status).toBe(404)
    expect((await ask('DELETE', `/v1/x/${canary('path')}`, 'unmatched')).status).toBe(404)
    const guess = `/v1/consumer/invitations/${canary('guessed token')}/accept`
    expect((await ask('POST', guess, accept, { token })).status).toBe(409)
    expect((await ask('POST', guess, accept)).status).toBe(401)
    const odd = `/v1/consumer/organizations/${canary('id')}/members`
    expect((await ask('GET', odd, `${org}/members`, { token })).status).toBe(400)
    const foreign = `/v1/consumer/organizations/${randomUUID()}/members`
    expect((await ask('GET', foreign, `${org}/members`, { token })).status).toBe(403)
  })

  test('are not HTTP or break off', async () => {
    const secret = canary('raw')
    const requests = [
      `${secret}\r\n\r\n`,
      rawRequest({ method: 'GET', path: `/v1/${secret}%zz` }),
      rawRequest({ method: 'GET', path: '/', lines: [`X: ${secret.repeat(1000)}`] }),
      rawRequest({ path: '/', lines: [`Authorization: ${secret}`, 'Content-Length: x'] }),
    ]
    for (const request of requests) expect((await sendRaw(port, request)).status).toBe(400)
    const socket = await openSocket(port)
    socket.write(`POST /v1/${secret} HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n${secret}`)
    socket.destroy()
    await vi.waitFor(async () => {
      const open = await new Promise((resolve) =>
        service.app.server.getConnections((_error, count) => resolve(count)),
      )
      expect(open).toBe(0)
    }, 30_000)
  })

  test('exceed the rate limit', async () => {
    const secret = canary('flood')
    const flood = () => ask('GET', `/v1/${secret}`, 'unmatched')
    const statuses: number[] = []
    for (let turn = 0; turn < 201; turn += 1) statuses.push((await flood()).status)
    expect(statuses.at(-1)).toBe(429)
  })
})

describe('failures', () => {
  const failing: [string, number, () => unknown][] = [
    ['a bug', 500, () => new Error('a bug')],
    [
      'a driver error that contains the row',
      500,
      () =>
        Object.assign(new Error('duplicate key'), {
          code: '23505',
          detail: `Key (token)=(${canary('detail')}) already exists.`,
          where: canary('where'),
          parameters: [canary('parameter')],
          token: canary('field of an error'),
        }),
    ],
    ['an outage', 503, () => Object.assign(new Error('gone'), { code: 'ECONNRESET' })],
  ]

  test.each(failing)('of %s are answered with %s', async (_what, status, makeError) => {
    const db: Context['db'] = {
      ...service.api.db,
      query: () => Promise.reject(makeError()),
    }
    const broken = await buildApp({ ...service.ctx, db })
    const requestId = randomUUID()
    const answer = await broken.inject({
      url: `/v1/consumer/me?token=${canary('query of a failure')}`,
      headers: { authorization: `Bearer ${person.token}`, 'x-request-id': requestId },
    })
    expect(answer.statusCode).toBe(status)
    sent.push({ requestId, method: 'GET', route: '/v1/consumer/me', status })
    for (const [what, value] of canaries) expect(answer.payload, what).not.toContain(value)
    const failed = lines.map(parse).filter((line) => line.requestId === requestId)
    expect(failed.map(({ msg }) => msg)).toEqual(['failed', 'request'])
    await broken.close()
  })
})

const parse = (line: string): Line => JSON.parse(line)

describe('a careless log line', () => {
  test('is redacted by field name', () => {
    const fields = ['authorization', 'accessToken', 'identityToken', 'inviteToken', 'token']
    const more = ['mfaAssertion', 'secret', 'password', 'privateKey', 'databaseUrl', 'ciphertext']
    for (const field of [...fields, ...more]) {
      const value = canary(field)
      service.ctx.log.info({ [field]: value }, 'careless')
      service.ctx.log.info({ headers: { [field]: value } }, 'careless')
      service.ctx.log.info({ req: { headers: { [field]: value } } }, 'careless')
      service.ctx.log.child({ [field]: value }).info('careless')
    }
    expect(lines.filter((line) => line.includes('careless'))).toHaveLength(44)
  })
})

describe('afterwards', () => {
  test('no log line contains any canary', () => {
    expect(canaries.size).toBeGreaterThan(40)
    expect(lines.length).toBeGreaterThan(200)
    for (const [what, value] of canaries) {
      expect(value.length, what).toBeGreaterThan(15)
      expect(
        lines.filter((line) => line.includes(value)),
        what,
      ).toEqual([])
    }
  })

  test('the database holds no token and no secret', async () => {
    const dump = JSON.stringify(await (await createDump(service.database))())
    const secrets = [...canaries].filter(([what]) => /token|secret|password/.test(what))
    expect(secrets.length).toBeGreaterThan(15)
    for (const [what, value] of secrets) expect(dump.includes(value), what).toBe(false)
  })

  test('every request has one line with its route template', () => {
    const requests = lines.map(parse).filter(({ msg }) => msg === 'request')
    for (const { requestId, ...expected } of sent) {
      const found = requests.filter((line) => line.requestId === requestId)
      expect(found).toEqual([expect.objectContaining(expected)])
    }
    const templates = new Set([...routes.map(({ template }) => template), 'unmatched'])
    for (const line of requests) {
      expect(templates).toContain(line.route)
      expect(line).toMatchObject({ requestId: expect.any(String), method: expect.any(String) })
      expect(line.status).toBeGreaterThanOrEqual(200)
    }
  })

  test('the metrics contain route templates only, and no canary', async () => {
    const text = await service.ctx.metrics.registry.metrics()
    for (const [what, value] of canaries) expect(text.includes(value), what).toBe(false)
    const named = new Set([...text.matchAll(/route="([^"]*)"/g)].map(([, route = '']) => route))
    const templates = [...routes.map(({ template }) => template), 'unmatched']
    expect(templates).toEqual(expect.arrayContaining([...named]))
    expect([...named]).toEqual(expect.arrayContaining([accept, `${org}/members`, 'unmatched']))
  })
})
