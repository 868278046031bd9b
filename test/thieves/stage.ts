/**
 * A deployment as docs/OPERATIONS.md recommends it: an API process and a worker process, each with
 * its own database login and only the secrets that it needs, over a chain with a funded vault.
 */
import { randomBytes, randomUUID } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import pg from 'pg'
import { expect } from 'vitest'
import { devRealm } from '#dev/defaults.ts'
import { startHelperServer } from '#dev/helper-server.ts'
import { createDevIdentity, type DevIdentity } from '#dev/identity.ts'
import { createIds, systemClock } from '#platform/clock.ts'
import { onTestChain, withLogin } from '#test/processes/environment.ts'
import {
  type Environment,
  makeFolder,
  onCleanUp,
  type Running,
  runScript,
} from '#test/processes/processes.ts'
import { ask } from '#test/processes/service.ts'
import type { TestApp } from '#test/support/app.ts'
import { startTestChain, type TestChain } from '#test/support/chain.ts'
import { contractProblem } from '#test/support/contract.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'
import { openPayingHouse, type PayingHouse } from '#test/support/payments.ts'
import { liftOwnersRowSecurity } from '#test/support/steps.ts'
import { startTreasury } from '#test/support/treasury.ts'

export const USDC = 1_000_000n
/** Limits of the vault's policy. */
export const AUTOMATIC_CAP = 2n * USDC
const APPROVED_CAP = 50n * USDC
export const LIFETIME_CAP = 60n * USDC

const STAGE_CAPS = {
  automaticCap: String(AUTOMATIC_CAP),
  approvedCap: String(APPROVED_CAP),
  lifetimeCap: String(LIFETIME_CAP),
}

export const SECRETS = {
  SERVER_SECRET: 'what API processes and workers both hold',
  KEYSTORE_SECRET: 'what opens keys, and only workers hold it',
  WORKER_SECRET: 'what makes MACs, and only workers hold it',
}

export type Stage = {
  chain: TestChain
  database: TestDatabase
  worker: Running
  /** Connection strings of each process and of the schema's owner. */
  logins: { api: string; worker: string; owner: string }
  service: TestApp
  house: PayingHouse
}

/** The limits of automatic payments that README and docs/ANALYSIS.md describe. */
const DOCUMENTED_LIMITS = {
  AUTOMATIC_AFTER_DAYS: '7',
  AUTOMATIC_DAY_TIMES: '10',
  AUTOMATIC_WEEK_TIMES: '40',
  AUTOMATIC_RECIPIENT_PERCENT: '50',
}

export async function startStage(): Promise<Stage> {
  const chain = await startTestChain()
  onCleanUp(() => chain.stop())
  const database = await createTestDatabase()
  onCleanUp(() => database.drop())
  const logins = {
    api: await makeLogin(database, ['countersign_app', 'countersign_observer']),
    worker: await makeLogin(database, ['countersign_worker', 'countersign_observer']),
    owner: database.url,
  }
  const { identity, env: identityEnv } = await startIdentity()
  const { SERVER_SECRET } = SECRETS
  const more = { ...DOCUMENTED_LIMITS, ...identityEnv, RATE_LIMIT_PER_ADDRESS: '100000' }
  const envOf = (url: string) => ({ ...onTestChain(url, chain), ...more })
  const worker = runScript('src/worker.ts', { ...envOf(logins.worker), ...SECRETS })
  const api = runScript('src/main.ts', { ...envOf(logins.api), SERVER_SECRET })
  const [, url = ''] = await api.says(/"url":"([^"]+)","msg":"api listening"/)
  await worker.says(/"msg":"worker running"/)
  const service = overHttp(url, { identity, database })
  const treasury = { service, chain, stop: async () => {} }
  const house = await openPayingHouse(treasury, { policy: STAGE_CAPS })
  await liftOwnersRowSecurity(database)
  await makeMembersOld(database)
  return { chain, database, worker, logins, service, house }
}

export type StageHere = Pick<Stage, 'chain' | 'database' | 'logins' | 'service' | 'house'>

/**
 * The same with the API and the worker in the test's own process, for thieves who have what a
 * process stores or holds, but not the process.
 */
export async function startStageHere({
  policy = {},
}: {
  policy?: Record<string, unknown>
} = {}): Promise<StageHere> {
  const treasury = await startTreasury({ env: { ...DOCUMENTED_LIMITS, ...SECRETS } })
  onCleanUp(() => treasury.stop())
  const { chain, service } = treasury
  const { database } = service
  const api = await makeLogin(database, ['countersign_app', 'countersign_observer'])
  const worker = await makeLogin(database, ['countersign_worker', 'countersign_observer'])
  const house = await openPayingHouse(treasury, { policy: { ...STAGE_CAPS, ...policy } })
  await liftOwnersRowSecurity(database)
  await makeMembersOld(database)
  return { chain, database, logins: { api, worker, owner: database.url }, service, house }
}

/** A login that is a member of these roles only. */
async function makeLogin({ url, asOwner }: TestDatabase, roles: string[]): Promise<string> {
  const user = `login_${randomBytes(6).toString('hex')}`
  const password = randomBytes(12).toString('hex')
  await asOwner(`create role ${user} login password '${password}' in role ${roles.join(', ')}`)
  onCleanUp(() => asOwner(`drop role ${user}`))
  return withLogin(url, { user, password })
}

async function startIdentity(): Promise<{ identity: DevIdentity; env: Environment }> {
  const named = { consumer: devRealm('consumer', 0), admin: devRealm('admin', 0) }
  const folder = await makeFolder()
  const identity = await createDevIdentity({ folder, realms: named, clock: systemClock })
  const helper = await startHelperServer({
    port: 0,
    identity,
    ids: createIds(),
    about: () => undefined,
    faucet: () => undefined,
  })
  onCleanUp(() => helper.close())
  const { port } = helper.server.address() as AddressInfo
  const env: Environment = {}
  for (const realm of ['consumer', 'admin'] as const) {
    const { issuer, audience, jwksUrl } = devRealm(realm, port)
    const prefix = realm.toUpperCase()
    env[`${prefix}_ISSUER`] = issuer
    env[`${prefix}_AUDIENCE`] = audience
    env[`${prefix}_JWKS_URL`] = jwksUrl
  }
  return { identity, env }
}

/** The helpers' test app, over HTTP to a process; answers must match the contract. */
function overHttp(
  url: string,
  { identity, database }: Pick<TestApp, 'identity' | 'database'>,
): TestApp {
  const call: TestApp['call'] = async (method, path, options = {}) => {
    const { status, body, headers } = await ask(method, `${url}${path}`, options)
    const text = body === '' ? '' : JSON.stringify(body)
    expect(contractProblem(method, path, { status, body, text })).toBeUndefined()
    return { status, body, text, headers: Object.fromEntries(headers) }
  }
  const signIn: TestApp['signIn'] = async (subject = `person-${randomUUID()}`, wallets = []) => {
    const issued = await identity.issue({ realm: 'consumer', subject, wallets })
    const { accessToken: token, identityToken } = issued
    const session = await call('PUT', '/v1/consumer/session', { token, body: { identityToken } })
    expect(session.status).toBe(200)
    const walletIds = session.body.wallets.map(({ id }: { id: string }) => id)
    return { token, accountId: session.body.account.id, subject, walletIds }
  }
  // The rest of a TestApp is inside the processes, out of reach of tests.
  return { call, signIn, identity, database } as TestApp
}

/** Backdates all memberships by a month, which only the schema's owner can do. */
const makeMembersOld = ({ asOwner }: TestDatabase) =>
  asOwner(`update memberships set recorded_at = recorded_at - interval '30 days'`)

type Role = 'countersign_app' | 'countersign_worker' | 'countersign_observer'

/** A connection with the stolen login, in the role that the process would use. */
export async function connect(url: string, role?: Role): Promise<pg.Client> {
  const options = `-c search_path=countersign${role ? ` -c role=${role}` : ''}`
  const client = new pg.Client({ connectionString: url, options })
  await client.connect()
  onCleanUp(() => client.end())
  return client
}
