/** Uses a listening server: every request has a socket of its own. */
import { randomUUID } from 'node:crypto'
import { connect } from 'node:net'
import { beforeAll, describe, expect, test } from 'vitest'
import { house, policyBody, termsOf } from '#test/security/house.ts'
import {
  type Answer,
  createOrganization,
  type Organization,
  type TestApp,
} from '#test/support/app.ts'
import { contractProblem } from '#test/support/contract.ts'
import { percentile, reportFigures, sizeOf } from '#test/support/figures.ts'
import { sharedTestApp } from '#test/support/shared-app.ts'
import { auditTrail, CHAIN_ID, randomAddress, tally, times } from '#test/support/steps.ts'

const KEYS = sizeOf('PROVE_KEYS', 1)
const REQUESTS = sizeOf('PROVE_REQUESTS', 20)
const RETRIES_MAX = 20

let service: TestApp
let url: string

beforeAll(async () => {
  service = await sharedTestApp()
  url = await service.app.listen({ host: '127.0.0.1', port: 0 })
})

type Sent = Answer & { replayed: boolean }
/** The key is in the header, except for wallets, where it is a field of the body. */
type Request = { path: string; token: string; key?: string; body?: unknown }

/** Milliseconds of each request, and how many were asked to retry. */
const met = { ms: [] as number[], conflicts: 0 }

async function send({ path, token, key, body }: Request): Promise<Sent> {
  const begun = performance.now()
  const response = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(key !== undefined && { 'idempotency-key': key }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const { status } = response
  const text = await response.text()
  met.ms.push(performance.now() - begun)
  if (status === 409) met.conflicts += 1
  const headers = Object.fromEntries(response.headers)
  const answer = { status, text, body: JSON.parse(text), headers }
  expect(contractProblem('POST', path, answer)).toBeUndefined()
  return { ...answer, replayed: headers['idempotent-replayed'] === 'true' }
}

/** On a machine too slow to serve all in 5 s, the client retries as Retry-After says. */
async function untilAnswered(request: Request): Promise<Sent> {
  for (let attempt = 1; ; attempt += 1) {
    const answer = await send(request)
    if (attempt === RETRIES_MAX || answer.headers['retry-after'] === undefined) return answer
  }
}

type InRoom = { room: string; key: string; body: unknown }

const post = ({ path, owner }: Organization, { room, key, body }: InRoom): Promise<Sent> =>
  untilAnswered({ path: `${path}/${room}`, token: owner.token, key, body })

const listed = async ({ path, owner }: Organization, room: string): Promise<unknown[]> =>
  (await service.call('GET', `${path}/${room}`, { token: owner.token })).body[room]

const recipient = () => ({ label: 'Acme', address: randomAddress(), chainId: CHAIN_ID })

type Storm = { organizationId: string; request: Request }

/** One request for every route that takes a key, in new organizations. */
async function everyRoute(): Promise<Record<string, Storm>> {
  const place = await house(service)
  const { id: organizationId, path, owner } = place.organization
  const empty = await createOrganization(service)
  const operator = await service.operatorToken()
  const inHouse = (room: string, body: unknown, token = owner.token): Storm => ({
    organizationId,
    request: { path: `${path}/${room}`, token, key: randomUUID(), body },
  })
  const wallet = (realm: string, token: string): Storm => ({
    organizationId,
    request: {
      path: `/v1/${realm}/wallets/`,
      token,
      body: { purpose: 'At once', organizationId, idempotencyKey: randomUUID() },
    },
  })
  const provision = { path: `${empty.path}/executor/provision`, token: empty.owner.token }
  return {
    recipients: inHouse('recipients', recipient()),
    invitations: inHouse('invitations', { role: 'employee' }),
    expenses: inHouse('expenses', termsOf(place), place.employee.token),
    deployments: inHouse('vault-deployments/prepare', { label: 'Once' }),
    policies: inHouse(`vaults/${place.vaultId}/policy-intents/prepare`, policyBody()),
    executor: { organizationId: empty.id, request: { ...provision, key: randomUUID() } },
    wallets: wallet('consumer', owner.token),
    'wallets of operators': wallet('admin', operator),
  }
}

/** Every effect is in the audit trail, some as two events; distinct subjects are counted. */
async function aboutIn(organizationId: string): Promise<Set<string>> {
  const trail = await auditTrail(service.database, organizationId)
  return new Set(trail.map(({ aggregateId }) => aggregateId))
}

/** Sends all requests concurrently and counts the effects. */
async function storm({ organizationId, request }: Storm) {
  const before = await aboutIn(organizationId)
  const answers = await Promise.all(times(REQUESTS, () => untilAnswered(request)))
  return {
    effects: (await aboutIn(organizationId)).difference(before).size,
    answers: new Set(answers.map(({ status, text }) => `${status} ${text}`)).size,
    isDone: answers.every(({ status }) => status === 201 || status === 202),
    originals: answers.filter(({ replayed }) => !replayed).length,
  }
}

test(`${REQUESTS} concurrent equal requests, ${KEYS} times at every route: one effect each`, {
  timeout: 120_000 * KEYS,
}, async () => {
  const storms: ({ route: string } & Awaited<ReturnType<typeof storm>>)[] = []
  for (let n = 0; n < KEYS; n += 1) {
    for (const [route, one] of Object.entries(await everyRoute())) {
      storms.push({ route, ...(await storm(one)) })
    }
  }
  const clean = { effects: 1, answers: 1, isDone: true, originals: 1 }
  const most = Math.max(...storms.map(({ effects }) => effects))
  const divergent = storms.filter(({ answers }) => answers > 1).length
  const requests = storms.length * REQUESTS
  const figures = { keys: storms.length, requests, effectsMax: most, divergent }
  const routes = new Set(storms.map(({ route }) => route)).size
  const conflictPercent = Number(((100 * met.conflicts) / met.ms.length).toFixed(2))
  const p99 = percentile(met.ms, 0.99)
  reportFigures({ storm: { routes, ...figures, conflictPercent, p99 } })
  expect(storms).toEqual(storms.map(({ route }) => ({ route, ...clean })))
})

describe('concurrent requests with one key', () => {
  test('and two bodies execute one body and refuse the other', async () => {
    const organization = await createOrganization(service)
    const key = randomUUID()
    const bodies = [recipient(), recipient()]
    const answers = await Promise.all(
      times(60, (index) =>
        post(organization, { room: 'recipients', key, body: bodies[index % 2] }),
      ),
    )
    expect(tally(answers)).toEqual({ 201: 30, '409 idempotency_key_reused': 30 })
    const done = answers.filter(({ status }) => status === 201)
    expect(new Set(done.map(({ text }) => text)).size).toBe(1)
    expect(await listed(organization, 'recipients')).toHaveLength(1)
  })

  test('that are refused are all refused, and no answer is stored', async () => {
    const organization = await createOrganization(service)
    const body = recipient()
    await post(organization, { room: 'recipients', key: randomUUID(), body })
    const key = randomUUID()
    const answers = await Promise.all(
      times(30, () => post(organization, { room: 'recipients', key, body })),
    )
    expect(tally(answers)).toEqual({ '409 duplicate': 30 })
    expect(await listed(organization, 'recipients')).toHaveLength(1)
  })

  test('do not interfere with requests under other keys', async () => {
    const organization = await createOrganization(service)
    const requests = times(15, () => ({ room: 'recipients', key: randomUUID(), body: recipient() }))
    const answers = await Promise.all(
      times(8, () => requests.map((request) => post(organization, request))).flat(),
    )
    expect(tally(answers)).toEqual({ 201: 15 * 8 })
    expect(new Set(answers.map(({ text }) => text)).size).toBe(15)
    expect(await listed(organization, 'recipients')).toHaveLength(15)
  })
})

describe('a malformed key header', () => {
  /** Client libraries refuse to send these. */
  async function sendRaw({ path, owner }: Organization, header: string): Promise<string> {
    const body = JSON.stringify(recipient())
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    socket.write(
      `POST ${path}/recipients HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n` +
        `Authorization: Bearer ${owner.token}\r\nContent-Type: application/json\r\n` +
        `Content-Length: ${Buffer.byteLength(body)}\r\n${header}\r\n\r\n${body}`,
    )
    return Buffer.concat(await socket.toArray()).toString()
  }

  test.each([
    ['with a bare CR', 'Idempotency-Key: a\rb'],
    ['with a bare LF', 'Idempotency-Key: a\nb'],
    ['with a folded line', 'Idempotency-Key: a\r\n b'],
    ['with a NUL', 'Idempotency-Key: a\0b'],
    ['given twice', 'Idempotency-Key: a\r\nIdempotency-Key: b'],
    ['in UTF-8', 'Idempotency-Key: ключ'],
  ])('%s is 400 and creates nothing', async (_name, header) => {
    const organization = await createOrganization(service)
    const answer = await sendRaw(organization, header)
    expect(answer).toMatch(/^HTTP\/1\.1 400 /)
    expect(answer).toMatch(/"code":"(idempotency_key_required|validation_failed)"/)
    expect(await listed(organization, 'recipients')).toEqual([])
  })

  test('control: a valid key is accepted the same way', async () => {
    const organization = await createOrganization(service)
    const answer = await sendRaw(organization, 'Idempotency-Key: a')
    expect(answer).toMatch(/^HTTP\/1\.1 201 /)
  })
})
