import { randomUUID } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { buildApp } from '#app.ts'
import { closeContext, compose } from '#compose.ts'
import type { Context } from '#context.ts'
import {
  createOrganization,
  type Organization,
  startTestApp,
  type TestApp,
} from '#test/support/app.ts'
import { type Gate, openGate, throughGate } from '#test/support/gate.ts'

let service: TestApp
let organization: Organization

beforeAll(async () => {
  service = await startTestApp()
  organization = await createOrganization(service)
})
afterAll(() => service.stop())

const token = () => organization.owner.token
const countOf = async (table: string) =>
  (await service.database.asOwner(`select count(*)::int as n from ${table}`))[0]?.n

const invite = ({ call }: Pick<TestApp, 'call'>) =>
  call('POST', `${organization.path}/invitations`, {
    token: token(),
    body: { role: 'employee' },
    headers: { 'idempotency-key': randomUUID() },
  })

describe('an unexpected error', () => {
  const cause = 'secret cause in relation "countersign.invitations" at /srv/app.ts:1'

  test('is 500 internal, hides its cause and leaves nothing behind', async () => {
    const secrets: Context['secrets'] = {
      get invitationKey(): never {
        throw new Error(cause)
      },
      exchangeKey: service.ctx.secrets.exchangeKey,
      cursorKey: service.ctx.secrets.cursorKey,
      unsubscribeKey: service.ctx.secrets.unsubscribeKey,
    }
    const broken = await buildApp({ ...service.ctx, secrets })
    const before = await countOf('idempotency_keys')
    const answer = await broken.inject({
      method: 'POST',
      url: `${organization.path}/invitations`,
      headers: { authorization: `Bearer ${token()}`, 'idempotency-key': randomUUID() },
      payload: { role: 'employee' },
    })
    const { error } = answer.json()
    expect([answer.statusCode, error.code]).toEqual([500, 'internal'])
    expect(Object.keys(error).sort()).toEqual(['code', 'message', 'requestId'])
    expect(error.requestId).toBe(answer.headers['x-request-id'])
    expect(JSON.stringify([answer.payload, answer.headers])).not.toMatch(
      /secret|srv|relation|stack/,
    )
    expect(await countOf('idempotency_keys')).toBe(before)
    expect(await service.database.asOwner('select id from invitations')).toEqual([])
    await broken.close()
  })

  test.each([
    ['an error', new Error(cause)],
    ['a string', cause],
    ['nothing', undefined],
    ['an error that carries a status', Object.assign(new Error(cause), { statusCode: 599 })],
    ['a database error', Object.assign(new Error(cause), { code: '42P01', detail: cause })],
  ])('thrown as %s is 500 as well', async (_what, thrown) => {
    const db: Context['db'] = { ...service.api.db, query: () => Promise.reject(thrown) }
    const broken = await buildApp({ ...service.ctx, db })
    const answer = await broken.inject({
      url: '/v1/consumer/me',
      headers: { authorization: `Bearer ${token()}` },
    })
    expect([answer.statusCode, answer.json().error?.code]).toEqual([500, 'internal'])
    expect(answer.payload).not.toMatch(/secret|srv|relation/)
    await broken.close()
  })
})

describe('connections dropped by the database', () => {
  const dropAll = () =>
    service.database.asOwner(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and application_name = 'countersign'`,
    )

  test('between two requests go unnoticed', async () => {
    const me = () => service.call('GET', '/v1/consumer/me', { token: token() })
    await Promise.all(Array.from({ length: 10 }, me))
    expect((await dropAll()).length).toBeGreaterThan(1)
    await vi.waitFor(() => expect(service.api.db.pool.total).toBe(0), 30_000)
    expect((await me()).status).toBe(200)
  })

  test('during a request are 503, and nothing is half done', async () => {
    const blocker = new pg.Client(service.database.url)
    await blocker.connect()
    await blocker.query('begin; lock table countersign.invitations in access exclusive mode')
    const before = await countOf('idempotency_keys')
    const pending = invite(service)
    await vi.waitFor(async () => {
      const waiting = await service.database.asOwner(
        `select pid from pg_stat_activity where datname = current_database()
         and application_name = 'countersign' and wait_event_type = 'Lock'`,
      )
      expect(waiting).toHaveLength(1)
    }, 30_000)
    await dropAll()
    const { status, body, headers } = await pending
    expect([status, body.error.code]).toEqual([503, 'dependency_unavailable'])
    expect(Number(headers['retry-after'])).toBeGreaterThan(0)
    await blocker.query('rollback')
    await blocker.end()

    expect(await countOf('idempotency_keys')).toBe(before)
    expect((await invite(service)).status).toBe(201)
  })
})

describe('an unavailable database', () => {
  let gate: Gate
  let ctx: Context
  let app: FastifyInstance

  beforeAll(async () => {
    gate = await openGate(new URL(service.database.url))
    const databaseUrl = throughGate(service.database.url, gate)
    const { identity, clock, log } = service.ctx
    ctx = compose({ ...service.ctx.config, databaseUrl }, { identity, clock, log })
    app = await buildApp(ctx)
  })
  afterEach(() => gate.open())
  afterAll(async () => {
    await app.close()
    await closeContext(ctx)
    await gate.close()
  })

  const me = () =>
    app.inject({ url: '/v1/consumer/me', headers: { authorization: `Bearer ${token()}` } })

  test('is 503 with Retry-After, and requests succeed once it is back', async () => {
    expect((await me()).statusCode).toBe(200)
    await gate.shut()
    for (let turn = 0; turn < 3; turn += 1) {
      const answer = await me()
      expect([answer.statusCode, answer.json().error.code]).toEqual([503, 'dependency_unavailable'])
      expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0)
      expect(answer.payload).not.toMatch(/ECONN|127\.0\.0\.1/)
    }
    await gate.open()
    expect((await me()).statusCode).toBe(200)
  })

  test('that is reachable but silent is 503 soon', { timeout: 30_000 }, async () => {
    expect((await me()).statusCode).toBe(200)
    gate.silence()
    const answer = await me()
    expect([answer.statusCode, answer.json().error.code]).toEqual([503, 'dependency_unavailable'])
    gate.speak()
    await vi.waitFor(async () => expect((await me()).statusCode).toBe(200), { timeout: 20_000 })
  })

  test('does not affect the 401 of callers without a token', async () => {
    await gate.shut()
    const answer = await app.inject({ url: '/v1/consumer/me' })
    expect([answer.statusCode, answer.json().error.code]).toEqual([401, 'unauthenticated'])
    expect((await app.inject({ url: '/health/live' })).statusCode).toBe(200)
    expect((await app.inject({ url: '/health/ready' })).statusCode).toBe(503)
  })
})
