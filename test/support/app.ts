/** The application over a real database and the real token verifier, called through `inject`. */
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { expect } from 'vitest'
import { createPostgresAttachments } from '#adapters/postgres/postgres-attachments.ts'
import { buildApp } from '#app.ts'
import { closeContext, compose } from '#compose.ts'
import type { Context } from '#context.ts'
import { devRealm } from '#dev/defaults.ts'
import { startHelperServer } from '#dev/helper-server.ts'
import { createDevIdentity, type DevIdentity, type TokenRequest } from '#dev/identity.ts'
import { grantOperator } from '#identity/operators.ts'
import { createIds, systemClock } from '#platform/clock.ts'
import { type Config, type Environment, readConfig } from '#platform/config/config.ts'
import { openDatabase } from '#platform/database/database.ts'
import { createOutcomes } from '#platform/jobs/await-outcome.ts'
import { publishSealingKey } from '#webhooks/webhook-secrets.ts'
import { answeringJobs } from './answering-jobs.ts'
import { contractProblem } from './contract.ts'
import { createTestDatabase, type TestDatabase } from './database.ts'

export type Call = {
  token?: string
  body?: unknown
  /** Sent as it is, instead of `body`. */
  raw?: string | Buffer
  headers?: Record<string, string>
}

// biome-ignore lint/suspicious/noExplicitAny: tests read answers whose shape the contract checks
export type Answer = { status: number; body: any; text: string; headers: Record<string, unknown> }

export type TestApp = {
  app: FastifyInstance
  /** A worker's context, which jobs run with. */
  ctx: Context
  /** An API process's context with the lesser database role, which requests run with. */
  api: Context
  database: TestDatabase
  identity: DevIdentity
  /** Every answer is validated against the OpenAPI document. */
  call(method: string, url: string, options?: Call): Promise<Answer>
  /** Opens a consumer session and returns the access token and account. */
  signIn(subject?: string, wallets?: TokenRequest['wallets']): Promise<Person>
  operatorToken(subject?: string): Promise<string>
  stop(): Promise<void>
}

export type Person = { token: string; accountId: string; subject: string; walletIds: string[] }

const freshKey = () => ({ 'idempotency-key': randomUUID() })

type TestAppOptions = {
  env?: Environment
  replace?: Partial<Context>
  /** A migrated database; by default the application gets its own. */
  database?: TestDatabase
  /** `inject` returns a stream only when it has ended: by default it ends immediately. */
  streams?: Partial<Config['streams']>
  /** The caller starts a worker that requests wait for. Otherwise answering jobs run here. */
  hasWorker?: boolean
  /** Requests and streams go through this pooler in transaction mode; jobs do not. */
  poolerUrl?: string
  /** PostgreSQL plans as in production, for tests of many rows or of time. */
  plansByValues?: boolean
}

export async function startTestApp({
  env = {},
  replace = {},
  database: given,
  streams = {},
  hasWorker = false,
  poolerUrl,
  plansByValues = false,
}: TestAppOptions = {}): Promise<TestApp> {
  const database = given ?? (await createTestDatabase({ plansByValues }))
  const folder = await mkdtemp(join(tmpdir(), 'countersign-identity-'))
  const clock = replace.clock ?? systemClock
  const named = { consumer: devRealm('consumer', 0), admin: devRealm('admin', 0) }
  const identity = await createDevIdentity({ folder, realms: named, clock })
  await rm(folder, { recursive: true })
  const helper = await startHelperServer({
    port: 0,
    identity,
    ids: createIds(),
    about: () => undefined,
    faucet: () => undefined,
  })
  const { port } = helper.server.address() as AddressInfo
  const config = testConfig({ databaseUrl: database.url, devPort: port, env })
  Object.assign(config.streams, { lifetimeMs: 0, ...streams })
  config.workerWaitMs = hasWorker ? 20_000 : 0
  const answering = answeringJobs(() => ctx, createOutcomes({ url: database.url }))
  const outcomes = hasWorker ? {} : { outcomes: answering.outcomes }
  const ctx: Context = compose(config, { ...outcomes, ...replace }, 'worker')
  const url = poolerUrl ?? database.url
  const api = asApi(ctx, replace, { url, isPooled: poolerUrl !== undefined })
  const app = await startApi(ctx, api)
  const call = caller(app)

  return {
    app,
    ctx,
    api,
    database,
    identity,
    call,
    async signIn(subject = `person-${randomUUID()}`, wallets = []) {
      const issued = await identity.issue({ realm: 'consumer', subject, wallets })
      const { accessToken: token, identityToken } = issued
      const session = await call('PUT', '/v1/consumer/session', { token, body: { identityToken } })
      expect(session.status).toBe(200)
      const walletIds = session.body.wallets.map(({ id }: { id: string }) => id)
      return { token, accountId: session.body.account.id, subject, walletIds }
    },
    async operatorToken(subject = `operator-${randomUUID()}`) {
      await grantOperator(ctx, subject)
      return (await identity.issue({ realm: 'admin', subject })).accessToken
    },
    async stop() {
      await app.close()
      await answering.stop()
      await closeContext(ctx)
      await api.db.close()
      if (poolerUrl) await Promise.all([api.observerDb.close(), api.tailDb.close()])
      await helper.close()
      await database.drop()
    },
  }
}

async function startApi(ctx: Context, api: Context): Promise<FastifyInstance> {
  // As a worker does when it starts.
  await publishSealingKey({ ...ctx, db: ctx.ownerDb })
  const app = await buildApp(api)
  await app.ready()
  return app
}

/**
 * Requests run with the role of an API process, everything else with a worker's. What tests replace
 * in `ctx` later is replaced for requests, too.
 */
function asApi(
  ctx: Context,
  { db: given, attachmentStore: hasOwnStore }: Partial<Context>,
  { url, isPooled }: { url: string; isPooled: boolean },
): Context {
  const { databasePoolSize: poolSize } = ctx.config
  const db = given ?? openDatabase({ url, isPooled, poolSize })
  const attachmentStore = hasOwnStore ? ctx.attachmentStore : createPostgresAttachments({ db })
  const own = { db: { value: db }, attachmentStore: { value: attachmentStore } }
  if (!isPooled) return Object.create(ctx, own)
  const observer = () => openDatabase({ url, isPooled, poolSize: 4, as: 'observer' })
  const pooled = { observerDb: { value: observer() }, tailDb: { value: observer() } }
  return Object.create(ctx, { ...own, ...pooled })
}

/** Most tests do not concern the limits on insiders. */
export const WIDE_LIMITS = {
  AUTOMATIC_AFTER_DAYS: '0',
  AUTOMATIC_DAY_TIMES: '1000000',
  AUTOMATIC_WEEK_TIMES: '1000000',
  AUTOMATIC_RECIPIENT_PERCENT: '100',
  ORGANIZATIONS_PER_ACCOUNT: '1000000',
  SERVER_WALLETS_PER_ACCOUNT: '1000000',
  SERVER_WALLETS_PER_ORGANIZATION: '1000000',
}

export function testConfig({
  databaseUrl,
  devPort,
  env = {},
}: {
  databaseUrl: string
  devPort: number
  env?: Environment
}): Config {
  const realmEnv = (realm: 'consumer' | 'admin') => {
    const { issuer, audience, jwksUrl } = devRealm(realm, devPort)
    const prefix = realm.toUpperCase()
    return {
      [`${prefix}_ISSUER`]: issuer,
      [`${prefix}_AUDIENCE`]: audience,
      [`${prefix}_JWKS_URL`]: jwksUrl,
    }
  }
  return readConfig({
    DATABASE_URL: databaseUrl,
    SERVER_SECRET: '8Jm2pQxV0tYwLr5cN1hZbK7uGd3eSfA9iRoT6yWnXqE=',
    LOG_LEVEL: 'silent',
    API_DOCS: 'false',
    RPC_URLS: 'http://127.0.0.1:1',
    TOKEN_ADDRESS: `0x${'00'.repeat(19)}01`,
    RATE_LIMIT_PER_ACCOUNT: '1000000',
    RATE_LIMIT_PER_ADDRESS: '1000000',
    ...WIDE_LIMITS,
    ...realmEnv('consumer'),
    ...realmEnv('admin'),
    ...env,
  })
}

function caller(app: FastifyInstance): TestApp['call'] {
  return async (method, url, { token, body, raw, headers = {} } = {}) => {
    const payload = raw ?? (body === undefined ? undefined : JSON.stringify(body))
    const response = await app.inject({
      method: method as 'GET',
      url,
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(payload === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(payload === undefined ? {} : { payload }),
    })
    const text = response.payload
    const answer = {
      status: response.statusCode,
      text,
      body: parse(text),
      headers: response.headers,
    }
    expect(contractProblem(method, url, answer)).toBeUndefined()
    expect(answer.headers['x-request-id']).toBeTruthy()
    return answer
  }
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export type Organization = { id: string; path: string; owner: Person; ownerMembershipId: string }

/** An organization with its owner. */
export async function createOrganization(
  { call, signIn }: Pick<TestApp, 'call' | 'signIn'>,
  owner?: Person,
): Promise<Organization> {
  const person = owner ?? (await signIn())
  const { token } = person
  const made = await call('POST', '/v1/consumer/organizations', { token, body: { name: 'Acme' } })
  expect(made.status).toBe(201)
  const path = `/v1/consumer/organizations/${made.body.id}`
  const members = await call('GET', `${path}/members`, { token })
  const ownerMembershipId = members.body.members[0].membershipId
  return { id: made.body.id, path, owner: person, ownerMembershipId }
}

/** Invites and accepts: a new person, or the given one, joins in that role. */
export async function joinOrganization(
  { call, signIn }: Pick<TestApp, 'call' | 'signIn'>,
  organization: Organization,
  { role, person }: { role: 'manager' | 'employee'; person?: Person },
): Promise<Person> {
  const joiner = person ?? (await signIn())
  const invited = await call('POST', `${organization.path}/invitations`, {
    token: organization.owner.token,
    body: { role },
    headers: freshKey(),
  })
  expect(invited.status).toBe(201)
  const accepted = await call(
    'POST',
    `/v1/consumer/invitations/${invited.body.inviteToken}/accept`,
    { token: joiner.token },
  )
  expect(accepted.status).toBe(200)
  return joiner
}
