import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createFingerprint, type Fingerprint } from '#test/security/dump.ts'
import { type House, house, randomAddress } from '#test/security/house.ts'
import { outside } from '#test/security/outside.ts'
import { prepared } from '#test/security/prepared.ts'
import { listen, rawRequest, sendRaw } from '#test/security/raw-http.ts'
import { documentPath, fill, type Route, routes } from '#test/security/routes.ts'
import { type Answer, startTestApp, type TestApp } from '#test/support/app.ts'
import { document } from '#test/support/contract.ts'
import { isProof } from '#test/support/figures.ts'

let service: TestApp
let port: number
let home: House
let operator: string
let fingerprint: () => Promise<Fingerprint>

beforeAll(async () => {
  service = await startTestApp()
  port = await listen(service)
  home = await house(service)
  operator = await service.operatorToken()
  fingerprint = await createFingerprint(service.database)
})
afterAll(() => service.stop())

type Operation = {
  requestBody?: { content: Record<string, { schema: { properties: object } }> }
}

const operationOf = ({ method, template }: Route) =>
  document.paths[documentPath(template)]?.[method.toLowerCase()] as Operation | undefined

const bodyProperties = (route: Route): string[] | undefined => {
  const schema = operationOf(route)?.requestBody?.content['application/json']?.schema
  return schema && Object.keys(schema.properties)
}

const withBody = routes.filter((route) => bodyProperties(route) !== undefined)
const withoutBody = routes.filter(
  (route) => route.method === 'POST' && bodyProperties(route) === undefined,
)

/** The caller is permitted: the manager's wallet is the approver. */
function tokenFor({ access }: Route): string {
  if (access.realm === 'admin') return operator
  const isApprovers = 'walletRole' in access && access.walletRole === 'approver'
  return isApprovers ? home.manager.token : home.organization.owner.token
}

function send(route: Route, change: Record<string, unknown>): Promise<Answer> {
  const { params = {}, body = outside[route.name]?.() } = prepared[route.name]?.(home) ?? {}
  const [walletId = ''] = home.organization.owner.walletIds
  const { caseId, proofId: id } = home
  const there = {
    caseId,
    id,
    walletId,
    requestId: randomUUID(),
    token: 'a-token',
    unsubscribeToken: 'a-token',
  }
  const values = { ...there, ...params, organizationId: home.organization.id }
  return service.call(route.method, fill(route.template, values), {
    token: tokenFor(route),
    body: { ...(body as object), ...change },
    headers: { 'idempotency-key': randomUUID() },
  })
}

const camelCase = (name: string) => name.replace(/_(\w)/g, (_match, letter) => letter.toUpperCase())

describe("fields that are not the caller's to set", () => {
  test('every route that takes a body is tried', () => {
    const known = [...Object.keys(prepared), ...Object.keys(outside)]
    for (const { name } of [...withBody, ...withoutBody]) expect(known).toContain(name)
    expect(withBody.length).toBeGreaterThan(SHARES)
  })

  /** Unknown names are all rejected alike, so each route is tried with a share of the list. */
  const [SHARES, LEAST] = isProof('PROVE_OUT') ? [6, 40] : [18, 20]
  let names: string[]
  beforeAll(async () => {
    const columns = await service.database.asOwner<{ name: string }>(
      `select distinct column_name as name from information_schema.columns
       where table_schema = 'countersign' order by 1`,
    )
    names = [...new Set(columns.flatMap(({ name }) => [name, camelCase(name)]))]
  })
  const dangerous = ['id', 'organizationId', 'accountId', 'state', 'role', 'status', 'createdAt']
  const odd = ['constructor', 'isAdmin', 'owner', 'toString', '']

  test.each(withBody.map((route, index) => [route.name, route, index] as const))(
    '%s refuses columns of the database, and stores nothing',
    async (_name, route, index) => {
      const share = names.filter((_name, n) => n % SHARES === index % SHARES)
      const fields = new Set([...share, ...dangerous])
      for (const own of bodyProperties(route) ?? []) fields.delete(own)
      expect(fields.size).toBeGreaterThan(LEAST)
      const before = await fingerprint()
      for (const field of [...fields, ...odd]) {
        const { status, body } = await send(route, { [field]: 'x' })
        expect([field, status, body.error.code]).toEqual([field, 400, 'validation_failed'])
      }
      expect(await fingerprint()).toEqual(before)
    },
  )

  test.each(withoutBody.map((route) => [route.name, route] as const))(
    '%s takes no JSON body at all',
    async (_name, route) => {
      const before = await fingerprint()
      for (const field of ['id', 'state', 'role', 'organizationId', 'accountId']) {
        const { status, body } = await send(route, { [field]: 'x' })
        // One takes a file, which is no JSON.
        const isFile = prepared[route.name]?.(home).raw !== undefined
        const refusal = isFile ? [415, 'unsupported_media_type'] : [400, 'validation_failed']
        expect([field, status, body.error.code]).toEqual([field, ...refusal])
      }
      expect(await fingerprint()).toEqual(before)
    },
  )
})

describe('strings that would do something elsewhere', () => {
  const payloads = [
    "'; drop table countersign.recipients; --",
    "' or '1'='1",
    '"; select pg_sleep(10); --',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: meant as it stands
    '$1 $$ ${1} %s %n %_\\',
    '\\x00 \\u0000 \\\\',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: meant as it stands
    '${jndi:ldap://127.0.0.1/x}',
    '{{7*7}} <%= 7*7 %> #{7*7}',
    '<script>alert(1)</script><img src=x onerror=alert(1)>',
    '=HYPERLINK("http://example.test")',
    '../../../../etc/passwd',
    '$(touch /tmp/x) `touch /tmp/x` | touch /tmp/x',
    'constructor',
    '__proto__',
    'null',
    'مرحبا 你好 🧾 e\u0301',
  ]

  test('are kept as they are in a name and in a label', async () => {
    const { token } = home.organization.owner
    for (const text of payloads) {
      const made = await service.call('POST', '/v1/consumer/organizations', {
        token,
        body: { name: text },
      })
      expect([text, made.status]).toEqual([text, 201])
      const [row] = await service.database.asOwner('select name from organizations where id = $1', [
        made.body.id,
      ])
      expect([made.body.name, row?.name]).toEqual([text, text])

      const path = `${home.organization.path}/recipients`
      const added = await service.call('POST', path, {
        token,
        body: { label: text, address: randomAddress(), chainId: 31_337 },
        headers: { 'idempotency-key': `key-'"%_$1;--${randomUUID()}` },
      })
      expect([text, added.status]).toEqual([text, 201])
      const { body } = await service.call('GET', path, { token })
      expect(body.recipients[0].label).toBe(text)
    }
  })

  test('find nothing as a token, an id or a cursor', async () => {
    const { token } = home.organization.owner
    const { path } = home.organization
    const before = await fingerprint()
    for (const text of payloads) {
      const value = encodeURIComponent(text)
      const asId = await service.call('POST', `${path}/recipients/${value}/deactivate`, { token })
      expect([text, asId.status, asId.body.error.code]).toEqual([text, 400, 'validation_failed'])
      for (const query of [`cursor=${value}`, `limit=${value}`]) {
        const asQuery = await service.call('GET', `${path}/members?${query}`, { token })
        expect([query, asQuery.status]).toEqual([query, 400])
      }
    }
    // As many as one account may try in a minute.
    for (const text of payloads.slice(0, 10)) {
      const url = `/v1/consumer/invitations/${encodeURIComponent(text)}/accept`
      const { status, body } = await service.call('POST', url, { token })
      expect([text, status, body.error.code]).toEqual([text, 409, 'invitation_unusable'])
    }
    expect(await fingerprint()).toEqual(before)
  })
})

describe('paths', () => {
  const expectEnvelope = (
    { status, body, headers }: { status: number; body: Answer['body']; headers: object },
    expected: [number, string],
  ) => {
    expect([status, body?.error?.code]).toEqual(expected)
    expect(Object.keys(body)).toEqual(['error'])
    expect(Object.keys(body.error).sort()).toEqual(['code', 'message', 'requestId'])
    expect(body.error.requestId).toBe((headers as Record<string, string>)['x-request-id'])
  }

  test.each([
    '/v1/consumer/organizations/%zz/members',
    '/v1/consumer/invitations/%/accept',
    '/v1/consumer/invitations/%c3%28/accept',
    '/%',
    '/%E0%A4%A',
  ])('%s is 400 in the envelope and is not repeated', async (path) => {
    for (const method of ['GET', 'POST']) {
      const answer = await sendRaw(port, rawRequest({ method, path }))
      expectEnvelope(answer, [400, 'validation_failed'])
      expect(answer.text).not.toContain(path)
    }
  })

  test.each([
    ['GET', '/'],
    ['GET', '/v1'],
    ['GET', '/v2/consumer/me'],
    ['GET', '/v1/consumer/me/more'],
    ['GET', '//v1/consumer/me'],
    ['GET', '/v1/consumer/../admin/me'],
    ['GET', '/V1/consumer/me'],
    ['GET', '/v1/consumer%2Fme'],
    ['GET', '/docs'],
    ['DELETE', '/v1/consumer/me'],
    ['POST', '/v1/consumer/me'],
    ['OPTIONS', '/v1/consumer/me'],
    ['PATCH', '/v1/consumer/organizations'],
    ['PUT', '/health/live'],
    ['TRACE', '/health/live'],
    ['PROPFIND', '/v1/consumer/me'],
  ])('%s %s is 404 in the envelope', async (method, path) => {
    const answer = await sendRaw(port, rawRequest({ method, path }))
    expectEnvelope(answer, [404, 'not_found'])
  })
})

describe('X-Request-Id', () => {
  const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-7/

  test.each(['a', 'A.b_c-9', 'x'.repeat(128)])('%s is kept', async (id) => {
    for (const url of ['/health/live', '/v1/consumer/me', '/nowhere']) {
      const { headers, body } = await service.call('GET', url, { headers: { 'x-request-id': id } })
      expect(headers['x-request-id']).toBe(id)
      if (body.error) expect(body.error.requestId).toBe(id)
    }
  })

  test.each(['', ' ', 'a b', 'ü', 'a/b', '<x>', 'a,b', '{}', 'x'.repeat(129)])(
    '"%s" is replaced by a UUID',
    async (id) => {
      for (const url of ['/health/live', '/v1/consumer/me', '/nowhere']) {
        const { headers, body } = await service.call('GET', url, {
          headers: { 'x-request-id': id },
        })
        expect(headers['x-request-id']).toMatch(UUID)
        if (body.error) expect(body.error.requestId).toBe(headers['x-request-id'])
      }
    },
  )

  test('two headers are replaced by one id', async () => {
    const lines = ['X-Request-Id: one', 'X-Request-Id: two']
    const answer = await sendRaw(port, rawRequest({ method: 'GET', path: '/nowhere', lines }))
    expect(answer.headers['x-request-id']).toMatch(UUID)
    expect(answer.body.error.requestId).toBe(answer.headers['x-request-id'])
  })
})
