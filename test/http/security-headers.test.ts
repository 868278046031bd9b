/** Security headers of answers, whatever becomes of the request. */
import { beforeAll, describe, expect, test } from 'vitest'
import { createOrganization, type Organization, type TestApp } from '#test/support/app.ts'
import { sharedTestApp } from '#test/support/shared-app.ts'

let service: TestApp
let acme: Organization
beforeAll(async () => {
  service = await sharedTestApp()
  acme = await createOrganization(service)
})

const expected = {
  'content-security-policy': "default-src 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-site',
  'origin-agent-cluster': '?1',
  'referrer-policy': 'no-referrer',
  'strict-transport-security': 'max-age=31536000; includeSubDomains',
  'x-content-type-options': 'nosniff',
  'x-dns-prefetch-control': 'off',
  'x-download-options': 'noopen',
  'x-frame-options': 'SAMEORIGIN',
  'x-permitted-cross-domain-policies': 'none',
  'x-xss-protection': '0',
}

describe('an answer has the security headers', () => {
  test.each([
    ['to a member', 200, () => `${acme.path}/recipients`, () => acme.owner.token],
    ['to somebody without a token', 401, () => `${acme.path}/recipients`, () => undefined],
    ['to an unknown path', 404, () => '/nothing-is-here', () => undefined],
    ['about liveness', 200, () => '/health/live', () => undefined],
  ])('%s', async (_to, status, path, tokenOf) => {
    const token = tokenOf()
    const answer = await service.call('GET', path(), token === undefined ? {} : { token })
    expect(answer.status).toBe(status)
    expect(answer.headers).toMatchObject(expected)
  })
})
