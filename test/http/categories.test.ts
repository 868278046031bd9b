/** The organization's expense categories. */
import { beforeAll, describe, expect, test } from 'vitest'
import {
  createOrganization,
  joinOrganization,
  type Organization,
  type Person,
  type TestApp,
} from '#test/support/app.ts'
import { auditOf } from '#test/support/attachments.ts'
import { sharedTestApp } from '#test/support/shared-app.ts'
import { outcome, times } from '#test/support/steps.ts'

let service: TestApp
let acme: Organization
let manager: Person
let employee: Person

beforeAll(async () => {
  service = await sharedTestApp()
  acme = await createOrganization(service)
  manager = await joinOrganization(service, acme, { role: 'manager' })
  employee = await joinOrganization(service, acme, { role: 'employee' })
})

const put = (categories: unknown, { person = manager, path = acme.path } = {}) =>
  service.call('PUT', `${path}/categories`, { token: person.token, body: { categories } })
const read = (person = employee, path = acme.path) =>
  service.call('GET', `${path}/categories`, { token: person.token })

const travel = { code: '6670', name: 'Travel' }
const software = { code: 'SW', name: 'Software & tools' }

describe('categories', () => {
  test('are empty at first', async () => {
    const other = await createOrganization(service)
    const { status, body } = await read(other.owner, other.path)
    expect([status, body]).toEqual([200, { categories: [] }])
  })

  test('are replaced as a list, in its order, and shown to every member', async () => {
    expect((await put([travel, software])).body).toEqual({ categories: [travel, software] })
    expect((await read()).body).toEqual({ categories: [travel, software] })
    const renamed = { ...travel, name: 'Travel and hotels' }
    expect((await put([software, renamed], { person: acme.owner })).status).toBe(200)
    expect((await read()).body).toEqual({ categories: [software, renamed] })
    expect((await put([])).status).toBe(200)
    expect((await read()).body).toEqual({ categories: [] })
  })

  test('are audited when they change, and only then', async () => {
    const other = await createOrganization(service)
    const { owner: person, path } = other
    await put([travel], { person, path })
    await put([travel], { person, path })
    await put([software], { person, path })
    const trail = (await auditOf(service, other.id)).filter(
      ({ action }) => action === 'categories.replaced',
    )
    expect(trail.map(({ data }) => data)).toEqual([
      { before: [], categories: [travel] },
      { before: ['6670'], categories: [software] },
    ])
  })

  test('belong to one organization', async () => {
    const other = await createOrganization(service)
    await put([travel])
    expect((await read(other.owner, other.path)).body).toEqual({ categories: [] })
    expect(outcome(await read(other.owner))).toBe('403 forbidden')
    expect(outcome(await put([], { person: other.owner }))).toBe('403 forbidden')
  })

  test('are replaced by owners and managers only', async () => {
    expect(outcome(await put([travel], { person: employee }))).toBe('403 role_required')
  })

  test('may be 200, with the longest names in any script', async () => {
    const many = times(200, (n) => ({ code: `${n}`.padStart(40, '0'), name: '費'.repeat(100) }))
    expect((await put(many)).status).toBe(200)
    expect((await read()).body.categories).toHaveLength(200)
    expect(outcome(await put([...many, travel]))).toBe('400 validation_failed')
  })

  test.each([
    ['a repeated code', [travel, { ...software, code: '6670' }], 'categories[1].code'],
    ['a code with a space', [{ code: 'a b', name: 'A' }], 'categories[0].code'],
    ['a code of 41 characters', [{ code: 'a'.repeat(41), name: 'A' }], 'categories[0].code'],
    ['an empty code', [{ code: '', name: 'A' }], 'categories[0].code'],
    ['a name of 101 characters', [{ code: 'a', name: 'a'.repeat(101) }], 'categories[0].name'],
    ['an invisible name', [{ code: 'a', name: '\u200b' }], 'categories[0].name'],
    ['an unknown field', [{ ...travel, colour: 'red' }], 'categories[0].colour'],
    ['no list', 'travel', 'categories'],
  ])('are refused with %s', async (_name, categories, field) => {
    const answer = await put(categories)
    expect(outcome(answer)).toBe('400 validation_failed')
    expect(answer.body.error.message).toContain(`\`${field}\``)
  })

  test('do not mix when two lists are put at once', async () => {
    const lists = [[travel, software], [{ code: 'X', name: 'Other' }]]
    await Promise.all([...lists, ...lists].map((list) => put(list)))
    expect(lists).toContainEqual((await read()).body.categories)
  })
})
