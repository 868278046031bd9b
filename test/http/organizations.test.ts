import { beforeAll, describe, expect, test } from 'vitest'
import {
  createOrganization,
  joinOrganization,
  type Person,
  type TestApp,
} from '#test/support/app.ts'
import { sharedTestApp } from '#test/support/shared-app.ts'
import { membershipOf, outcome, revokeMember } from '#test/support/steps.ts'

let service: TestApp

beforeAll(async () => {
  service = await sharedTestApp()
})

const PATH = '/v1/consumer/organizations'

const create = ({ token }: Person, body: unknown, path = PATH) =>
  service.call('POST', path, { token, body })

const list = ({ token }: Person, query = '') => service.call('GET', `${PATH}${query}`, { token })

type Summary = { id: string; name: string; role: string }

async function listAll(person: Person, limit?: number): Promise<Summary[][]> {
  const pages: Summary[][] = []
  let cursor: string | null = null
  for (let turn = 0; turn < 20; turn += 1) {
    const query = new URLSearchParams()
    if (limit !== undefined) query.set('limit', String(limit))
    if (cursor !== null) query.set('cursor', cursor)
    const { status, body } = await list(person, `?${query}`)
    expect(status).toBe(200)
    pages.push(body.organizations)
    cursor = body.nextCursor
    if (cursor === null) return pages
  }
  throw new Error('The list has no end')
}

describe('POST /v1/consumer/organizations', () => {
  test('creates an organization owned by the caller', async () => {
    const person = await service.signIn()
    const { status, body } = await create(person, { name: 'Acme' })
    expect(status).toBe(201)
    expect(body).toEqual({ id: expect.any(String), name: 'Acme', role: 'owner' })
    expect((await list(person)).body).toEqual({ organizations: [body], nextCursor: null })
    const me = await service.call('GET', '/v1/consumer/me', { token: person.token })
    expect(me.body.memberships).toEqual([
      {
        id: expect.any(String),
        organizationId: body.id,
        organizationName: 'Acme',
        role: 'owner',
        status: 'active',
      },
    ])
  })

  test('creates two organizations for two requests with the same name', async () => {
    const person = await service.signIn()
    const [one, two] = [
      await create(person, { name: 'Acme' }),
      await create(person, { name: 'Acme' }),
    ]
    expect(one.body.id).not.toBe(two.body.id)
  })

  const good: [string, string][] = [
    ['2 characters', 'ab'],
    ['100 characters', 'a'.repeat(100)],
    ['2 code points outside the basic plane', '🦊🦊'],
    ['100 code points outside the basic plane', '🦊'.repeat(100)],
    ['combining marks and text from right to left', 'e\u0301 שלום'],
    ['quotes, markup and SQL', `'"; drop table organizations; --<b>`],
    ['blanks around it', ' Acme '],
  ]
  test.each(good)('stores a name of %s unchanged', async (_name, name) => {
    const person = await service.signIn()
    const { status, body } = await create(person, { name })
    expect(status).toBe(201)
    expect(body.name).toBe(name)
    expect((await list(person)).body.organizations).toEqual([body])
  })

  const bad: [string, unknown][] = [
    ['no name', {}],
    ['a name of 0 characters', { name: '' }],
    ['a name of 1 character', { name: 'a' }],
    ['a name of 1 code point', { name: '🦊' }],
    ['a name of 101 characters', { name: 'a'.repeat(101) }],
    ['a name of 101 code points', { name: '🦊'.repeat(101) }],
    ['a name of blanks only', { name: '    ' }],
    ['a name of wide and no-break spaces only', { name: '\u3000\u00a0\u2003' }],
    ['a tab in the name', { name: 'Ac\tme' }],
    ['a new line in the name', { name: 'Ac\nme' }],
    ['a NUL in the name', { name: 'Ac\u0000me' }],
    ['a C1 control character in the name', { name: 'Ac\u0085me' }],
    ['a DEL in the name', { name: 'Ac\u007fme' }],
    ['half a surrogate pair in the name', { name: 'Ac\ud83eme' }],
    ['a number for a name', { name: 12 }],
    ['null for a name', { name: null }],
    ['a list for a name', { name: ['Acme'] }],
    ['an extra property', { name: 'Acme', role: 'owner' }],
    ['an id of the caller', { name: 'Acme', id: '00000000-0000-0000-0000-000000000000' }],
    ['a list', [{ name: 'Acme' }]],
    ['no body', undefined],
  ]
  test.each(bad)('rejects %s with 400 and creates nothing', async (_name, body) => {
    const person = await service.signIn()
    expect(outcome(await create(person, body))).toBe('400 validation_failed')
    expect((await list(person)).body.organizations).toEqual([])
  })

  test.each([
    ['malformed JSON', '{"name":"Acme"'],
    ['a duplicate key', '{"name":"Acme","name":"Other"}'],
    ['a __proto__ key', '{"name":"Acme","__proto__":{}}'],
    ['invalid UTF-8', Buffer.from([...Buffer.from('{"name":"Acm'), 0xff, 0x22, 0x7d])],
  ])('rejects %s with 400 malformed_json and creates nothing', async (_name, raw) => {
    const person = await service.signIn()
    const answer = await service.call('POST', PATH, { token: person.token, raw })
    expect(outcome(answer)).toBe('400 malformed_json')
    expect((await list(person)).body.organizations).toEqual([])
  })

  test('is 401 without a token', async () => {
    const answer = await service.call('POST', PATH, { body: { name: 'Acme' } })
    expect(outcome(answer)).toBe('401 unauthenticated')
  })

  test('is 401 for an operator, because the operation declares no 403', async () => {
    const token = await service.operatorToken()
    const answer = await service.call('POST', PATH, { token, body: { name: 'Acme' } })
    expect(outcome(answer)).toBe('401 unauthenticated')
  })
})

describe('GET /v1/consumer/organizations', () => {
  test("lists only the caller's organizations, with the role in each", async () => {
    const own = await createOrganization(service)
    const other = await createOrganization(service)
    await createOrganization(service)
    await joinOrganization(service, other, { role: 'manager', person: own.owner })
    expect((await list(own.owner)).body.organizations).toEqual([
      { id: other.id, name: 'Acme', role: 'manager' },
      { id: own.id, name: 'Acme', role: 'owner' },
    ])
  })

  test('omits an organization that the caller was removed from', async () => {
    const organization = await createOrganization(service)
    const person = await joinOrganization(service, organization, { role: 'employee' })
    const { membershipId } = await membershipOf(service, organization, person)
    await revokeMember(service, organization, membershipId)
    expect((await list(person)).body).toEqual({ organizations: [], nextCursor: null })
  })

  test('pages over 250 memberships, newest first, each exactly once', async () => {
    const person = await service.signIn()
    const made: string[] = []
    for (let count = 0; count < 250; count += 1) {
      made.unshift((await create(person, { name: `Acme ${count}` })).body.id)
    }
    for (const [limit, sizes] of [
      [undefined, [100, 100, 50]],
      [200, [200, 50]],
      [125, [125, 125]],
    ] as const) {
      const pages = await listAll(person, limit)
      expect(pages.map((page) => page.length)).toEqual(sizes)
      expect(pages.flat().map(({ id }) => id)).toEqual(made)
    }
    const one = await list(person, '?limit=1')
    expect(one.body.organizations.map(({ id }: Summary) => id)).toEqual([made[0]])
  })

  const badQueries = [
    'limit=0',
    'limit=201',
    'limit=-1',
    'limit=1.5',
    'limit=ten',
    'limit=',
    'limit=1&limit=2',
    'cursor=',
    'cursor=short',
    `cursor=${'A'.repeat(23)}`,
    `cursor=${'*'.repeat(22)}`,
    // 22 characters of the cursor alphabet that do not encode a UUID.
    `cursor=${'z'.repeat(22)}`,
  ]
  test.each(badQueries)('?%s is 400', async (query) => {
    const person = await service.signIn()
    expect(outcome(await list(person, `?${query}`))).toBe('400 validation_failed')
  })

  test("reveals nothing through a cursor from another account's list", async () => {
    const [person, other] = [await service.signIn(), await service.signIn()]
    const [first] = [(await create(other, { name: 'One' })).body]
    await create(other, { name: 'Two' })
    const { nextCursor } = (await list(other, '?limit=1')).body
    expect((await list(other, `?cursor=${nextCursor}`)).body.organizations).toEqual([first])
    expect((await list(person, `?cursor=${nextCursor}`)).body.organizations).toEqual([])
  })

  test('accepts a trailing slash in the path', async () => {
    const person = await service.signIn()
    const made = await create(person, { name: 'Acme' }, `${PATH}/`)
    expect(outcome(made)).toBe('201')
    expect((await list(person, '/')).body.organizations).toEqual([made.body])
  })
})

describe('PATCH {org}', () => {
  const rename = (path: string, { token }: Person, body: unknown) =>
    service.call('PATCH', path, { token, body })

  test('renames the organization for everybody, and is audited', async () => {
    const acme = await createOrganization(service)
    const employee = await joinOrganization(service, acme, { role: 'employee' })
    const { status, body } = await rename(acme.path, acme.owner, { name: 'Acme & Co' })
    expect(status).toBe(200)
    expect(body).toEqual({ id: acme.id, name: 'Acme & Co', role: 'owner' })
    const [listed] = (await list(employee)).body.organizations
    expect(listed).toEqual({ id: acme.id, name: 'Acme & Co', role: 'employee' })
    const token = await service.operatorToken()
    const detail = await service.call('GET', `/v1/admin/organizations/${acme.id}`, { token })
    expect(detail.body.organization.name).toBe('Acme & Co')
    expect(detail.body.auditEvents[0]).toMatchObject({
      action: 'organization.renamed',
      actorAccountId: acme.owner.accountId,
      data: { name: 'Acme & Co', from: 'Acme' },
    })
  })

  test('is for owners only', async () => {
    const acme = await createOrganization(service)
    const manager = await joinOrganization(service, acme, { role: 'manager' })
    const other = await createOrganization(service)
    const body = { name: 'Mine' }
    expect(outcome(await rename(acme.path, manager, body))).toBe('403 role_required')
    expect(outcome(await rename(acme.path, other.owner, body))).toBe('403 forbidden')
    const anonymous = await service.call('PATCH', acme.path, { body })
    expect(outcome(anonymous)).toBe('401 unauthenticated')
  })

  test.each([
    [{ name: 'x' }],
    [{ name: 'x'.repeat(101) }],
    [{ name: '\u200b\u200b' }],
    [{ name: 'a\nb' }],
    [{}],
    [{ name: 'Acme', id: 'x' }],
  ])('refuses %j', async (body) => {
    const acme = await createOrganization(service)
    expect(outcome(await rename(acme.path, acme.owner, body))).toBe('400 validation_failed')
  })
})
