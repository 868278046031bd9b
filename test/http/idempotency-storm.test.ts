/** Through a server that really listens: every request has a socket of its own. */
import { randomUUID } from 'node:crypto'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type Answer,
  createOrganization,
  type Organization,
  startTestApp,
  type TestApp,
} from '#test/support/app.ts'
import { contractProblem } from '#test/support/contract.ts'
import { auditTrail, CHAIN_ID, randomAddress, tally, times } from '#test/support/steps.ts'

const REQUESTS = 200
const RETRIES_MAX = 20

let service: TestApp
let url: string

beforeAll(async () => {
  service = await startTestApp()
  url = await service.app.listen({ host: '127.0.0.1', port: 0 })
})
afterAll(() => service.stop())

type Sent = Answer & { replayed: boolean }
type Request = { room: string; key: string; body: unknown }

async function send({ path, owner }: Organization, { room, key, body }: Request): Promise<Sent> {
  const response = await fetch(`${url}${path}/${room}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${owner.token}`,
      'content-type': 'application/json',
      'idempotency-key': key,
    },
    body: JSON.stringify(body),
  })
  const { status } = response
  const text = await response.text()
  const headers = Object.fromEntries(response.headers)
  const answer = { status, text, body: JSON.parse(text), headers }
  expect(contractProblem('POST', `${path}/${room}`, answer)).toBeUndefined()
  return { ...answer, replayed: headers['idempotent-replayed'] === 'true' }
}

/** Where the machine is too slow to serve everybody in 5 s, the client does as it is told. */
async function post(organization: Organization, request: Request): Promise<Sent> {
  for (let attempt = 1; ; attempt += 1) {
    const answer = await send(organization, request)
    if (attempt === RETRIES_MAX || answer.headers['retry-after'] === undefined) return answer
  }
}

const actionsOf = async ({ id }: Organization, action: string) =>
  (await auditTrail(service.database, id)).filter((event) => event.action === action)

const listed = async ({ path, owner }: Organization, room: string): Promise<unknown[]> =>
  (await service.call('GET', `${path}/${room}`, { token: owner.token })).body[room]

const recipient = () => ({ label: 'Acme', address: randomAddress(), chainId: CHAIN_ID })

describe(`${REQUESTS} concurrent equal requests with one key`, { timeout: 120_000 }, () => {
  const rooms = [
    ['recipients', 'recipient.added', recipient],
    ['invitations', 'invitation.created', () => ({ role: 'employee' })],
  ] as const

  test.each(rooms)('%s: one effect and as many equal answers', async (room, action, make) => {
    const organization = await createOrganization(service)
    const request = { room, key: randomUUID(), body: make() }
    const answers = await Promise.all(times(REQUESTS, () => post(organization, request)))
    expect(tally(answers)).toEqual({ 201: REQUESTS })
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
    expect(answers.filter(({ replayed }) => !replayed)).toHaveLength(1)
    expect(await listed(organization, room)).toHaveLength(1)
    expect(await actionsOf(organization, action)).toHaveLength(1)
    const keys = await service.database.asOwner('select from idempotency_keys where key = $1', [
      request.key,
    ])
    expect(keys).toHaveLength(1)
  })
})

describe('concurrent requests with one key', () => {
  test('and two bodies: one of the two is done, the other is refused', async () => {
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

  test('that is refused: each of them is refused, and none is remembered', async () => {
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

  test('and many keys beside each other: one effect each', async () => {
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

describe('a key that breaks the line', () => {
  /** A client library would refuse to send these. */
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
    ['by a bare CR', 'Idempotency-Key: a\rb'],
    ['by a bare LF', 'Idempotency-Key: a\nb'],
    ['by folding', 'Idempotency-Key: a\r\n b'],
    ['with a NUL', 'Idempotency-Key: a\0b'],
    ['given twice', 'Idempotency-Key: a\r\nIdempotency-Key: b'],
    ['that is UTF-8', 'Idempotency-Key: ключ'],
  ])('%s is 400, and nothing is made', async (_name, header) => {
    const organization = await createOrganization(service)
    const answer = await sendRaw(organization, header)
    expect(answer).toMatch(/^HTTP\/1\.1 400 /)
    expect(answer).toMatch(/"code":"(idempotency_key_required|validation_failed)"/)
    expect(await listed(organization, 'recipients')).toEqual([])
  })

  test('a good one passes the same way', async () => {
    const organization = await createOrganization(service)
    const answer = await sendRaw(organization, 'Idempotency-Key: a')
    expect(answer).toMatch(/^HTTP\/1\.1 201 /)
  })
})
