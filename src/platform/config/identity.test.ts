import { describe, expect, test } from 'vitest'
import { StartupError } from '#platform/errors.ts'
import { readIdentity } from './identity.ts'
import type { Environment } from './values.ts'

const separate: Environment = {
  CONSUMER_ISSUER: 'https://id.example/consumer',
  CONSUMER_AUDIENCE: 'consumer-api',
  CONSUMER_JWKS_URL: 'https://id.example/consumer/jwks.json',
  ADMIN_ISSUER: 'https://id.example/admin',
  ADMIN_AUDIENCE: 'admin-api',
  ADMIN_JWKS_URL: 'https://id.example/admin/jwks.json',
}
const shared = { ...separate, ADMIN_ISSUER: 'https://id.example/consumer' }

const read = (env: Environment, base = separate) => readIdentity({ ...base, ...env }, true)

const problemOf = (env: Environment, base = separate): string => {
  try {
    read(env, base)
  } catch (error) {
    expect(error).toBeInstanceOf(StartupError)
    return (error as StartupError).message
  }
  return 'no problem'
}

describe('CONSUMER_ID_AUDIENCE and ADMIN_ID_AUDIENCE', () => {
  test("default to the realm's audience", () => {
    const { consumer, admin } = read({ CONSUMER_ID_AUDIENCE: '' })
    expect(consumer.idAudiences).toEqual(['consumer-api'])
    expect(admin.idAudiences).toEqual(['admin-api'])
  })

  test('name the client ids of each realm, which replace its audience', () => {
    const env = { CONSUMER_ID_AUDIENCE: 'web, mobile', ADMIN_ID_AUDIENCE: 'console' }
    const { consumer, admin } = read(env)
    expect(consumer).toMatchObject({ audience: 'consumer-api', idAudiences: ['web', 'mobile'] })
    expect(admin).toMatchObject({ audience: 'admin-api', idAudiences: ['console'] })
  })

  test.each([
    ['an empty part', 'web,,mobile'],
    ['a trailing comma', 'web,'],
    ['a control character', 'we\u0007b'],
    ['a non-ASCII letter', 'wéb'],
    ['256 characters', 'x'.repeat(256)],
    ['21 client ids', Array.from({ length: 21 }, (_, n) => `client-${n}`).join(',')],
  ])('with %s are refused', (_what, text) => {
    for (const name of ['CONSUMER_ID_AUDIENCE', 'ADMIN_ID_AUDIENCE']) {
      expect(problemOf({ [name]: text })).toMatch(new RegExp(`^${name} must be 1 to 20 client ids`))
    }
  })
})

describe('realms', () => {
  test('with equal issuer and audience are refused', () => {
    const same = { ADMIN_AUDIENCE: 'consumer-api' }
    expect(problemOf(same, shared)).toMatch(/must differ in issuer or audience/)
    for (const production of [true, false]) {
      expect(() => readIdentity({ ...shared, ...same }, production)).toThrow(StartupError)
    }
  })

  test('may share either', () => {
    expect(problemOf({}, shared)).toBe('no problem')
    expect(problemOf({ ADMIN_AUDIENCE: 'consumer-api' }, separate)).toBe('no problem')
  })

  const clash = /^Realms that share an issuer must not share an audience or a client id/

  test.each([
    ['a client id', { CONSUMER_ID_AUDIENCE: 'web', ADMIN_ID_AUDIENCE: 'console,web' }],
    ["a client id that is the other's audience", { CONSUMER_ID_AUDIENCE: 'admin-api' }],
    ["an audience that is the other's client id", { ADMIN_ID_AUDIENCE: 'consumer-api' }],
  ])('of one issuer that share %s are refused', (_what, env) => {
    expect(problemOf(env, shared)).toMatch(clash)
    expect(problemOf(env, separate)).toBe('no problem')
  })

  test('of different issuers that share clients and an assertion issuer are refused', () => {
    const env = {
      CONSUMER_ID_AUDIENCE: 'web',
      ADMIN_ID_AUDIENCE: 'web',
      CONSUMER_ASSERTION_ISSUER: 'https://step-up.example',
      CONSUMER_ASSERTION_JWKS_URL: 'https://step-up.example/jwks.json',
      ADMIN_ASSERTION_ISSUER: 'https://step-up.example',
      ADMIN_ASSERTION_JWKS_URL: 'https://step-up.example/jwks.json',
    }
    expect(problemOf(env)).toMatch(clash)
    expect(problemOf({ ...env, ADMIN_ID_AUDIENCE: 'console' })).toBe('no problem')
  })

  test('of one issuer with clients of their own are accepted', () => {
    const env = { CONSUMER_ID_AUDIENCE: 'web', ADMIN_ID_AUDIENCE: 'console' }
    expect(problemOf(env, shared)).toBe('no problem')
  })
})
