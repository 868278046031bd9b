/** A query parameter that a route does not have is refused, on every route but health. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { permissions } from '#access/permissions.ts'
import { type House, house } from '#test/security/house.ts'
import { prepared } from '#test/security/prepared.ts'
import { documentPath, routes } from '#test/security/routes.ts'
import { startTestApp, type TestApp } from '#test/support/app.ts'
import { document } from '#test/support/contract.ts'
import { outcome } from '#test/support/steps.ts'

let service: TestApp
let home: House
let operatorToken: string

beforeAll(async () => {
  service = await startTestApp({ env: { API_DOCS: 'true' } })
  home = await house(service)
  operatorToken = await service.operatorToken()
})
afterAll(() => service.stop())

const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
)

const NOBODYS = '00000000-0000-7000-8000-000000000000'

/** Somebody whom the guard admits: the manager has an approver wallet. */
function tokenFor(name: string): string | undefined {
  const access = permissions[name]
  if (access?.realm === 'admin') return operatorToken
  if (access?.realm !== 'consumer') return undefined
  const isOwners = 'roles' in access && !access.walletRole
  return isOwners ? home.organization.owner.token : home.manager.token
}

/** Ids need not exist: parameters are checked before anything is looked up. */
function urlOf(name: string, template: string): string {
  const { params = {} } = prepared[name]?.(home) ?? {}
  const known: Record<string, string> = { organizationId: home.organization.id, ...params }
  return template.replace(/:(\w+)/g, (_match, part: string) => known[part] ?? NOBODYS)
}

const checked = routes.filter(({ template }) => !template.startsWith('/health/'))

describe('a query parameter that does not exist', () => {
  test('is tried on every operation of the document', () => {
    const documented = routes.map(({ method, template }) => `${method} ${documentPath(template)}`)
    expect(operations.filter((name) => !documented.includes(name))).toEqual([])
    expect(checked.length).toBeGreaterThan(80)
  })

  test.each(checked.map(({ name, ...route }) => [name, route] as const))(
    'is 400 on %s',
    async (name, { method, template }) => {
      const { body, raw, headers } = prepared[name]?.(home) ?? {}
      const token = tokenFor(name)
      const answer = await service.call(method, `${urlOf(name, template)}?colour=blue`, {
        ...(token !== undefined && { token }),
        ...(body !== undefined && { body }),
        ...(raw !== undefined && { raw }),
        headers: { 'idempotency-key': 'colour', ...headers },
      })
      expect(outcome(answer)).toBe('400 validation_failed')
      expect(answer.body.error.message).toMatch(/`colour` in the query is not a known parameter/)
    },
  )

  test.each(['/health/live', '/health/ready'])('is ignored on %s', async (path) => {
    expect((await service.call('GET', `${path}?colour=blue`)).status).toBe(200)
  })

  test('is checked after the token', async () => {
    const { path } = home.organization
    expect(outcome(await service.call('GET', `${path}/expenses?colour=blue`))).toBe(
      '401 unauthenticated',
    )
  })

  test('is 404 on a path without a route', async () => {
    expect(outcome(await service.call('GET', '/v1/nowhere?colour=blue'))).toBe('404 not_found')
  })

  test('has the names of an object’s own properties refused, too', async () => {
    const { path, owner } = home.organization
    for (const name of ['__proto__', 'constructor', 'toString']) {
      const answer = await service.call('GET', `${path}/expenses?${name}=1`, owner)
      expect(answer.status).toBe(400)
    }
  })
})
