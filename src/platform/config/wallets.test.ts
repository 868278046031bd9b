import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { StartupError } from '#platform/errors.ts'
import { readAssertion, readKeystore, readWalletsConfig } from './wallets.ts'

const pkcs8 = (curve: string): string =>
  generateKeyPairSync('ec', { namedCurve: curve })
    .privateKey.export({ format: 'der', type: 'pkcs8' })
    .toString('base64')

const authorizationKey = pkcs8('P-256')
const privy = {
  PRIVY_APP_ID: 'app',
  PRIVY_APP_SECRET: 'hunter2',
  PRIVY_AUTHORIZATION_KEY: authorizationKey,
  PRIVY_OWNER_ID: 'quorum',
}

/** The one line, which never repeats a secret. */
function problemOf(read: () => unknown): string {
  try {
    read()
  } catch (error) {
    expect(error).toBeInstanceOf(StartupError)
    const { message } = error as StartupError
    expect(message).not.toMatch(/hunter2|[\n\r]/)
    expect(message).not.toContain(authorizationKey)
    return message
  }
  return 'no problem'
}

describe('the wallet provider', () => {
  test('is local in development, and in production only where named', () => {
    expect(readWalletsConfig({}, false)).toEqual({ provider: 'local' })
    expect(readWalletsConfig({}, true)).toEqual({ provider: 'none' })
    expect(readWalletsConfig({ WALLET_PROVIDER: 'local' }, true)).toEqual({ provider: 'local' })
    expect(readWalletsConfig({ WALLET_PROVIDER: 'none' }, false)).toEqual({ provider: 'none' })
  })

  test('is Privy as soon as it is configured, unless another is named', () => {
    const expected = {
      provider: 'privy',
      url: 'https://api.privy.io',
      appId: 'app',
      appSecret: 'hunter2',
      authorizationKey,
      ownerId: 'quorum',
    }
    expect(readWalletsConfig(privy, true)).toEqual(expected)
    const prefixed = { ...privy, PRIVY_AUTHORIZATION_KEY: `wallet-auth:${authorizationKey}` }
    expect(readWalletsConfig(prefixed, true)).toEqual(expected)
    expect(readWalletsConfig({ ...privy, WALLET_PROVIDER: 'local' }, true)).toEqual({
      provider: 'local',
    })
    const moved = { ...privy, PRIVY_URL: 'https://privy.example/' }
    expect(readWalletsConfig(moved, true)).toMatchObject({ url: 'https://privy.example' })
  })

  test.each(Object.keys(privy))('is refused in one clear line without %s', (name) => {
    const problem = problemOf(() => readWalletsConfig({ ...privy, [name]: '' }, true))
    expect(problem).toMatch(/^Set all of PRIVY_APP_ID, .*PRIVY_OWNER_ID, or none of them\.$/)
  })

  test.each([
    ['another provider', { WALLET_PROVIDER: 'paper' }, /^WALLET_PROVIDER must be one of/],
    ['Privy without its variables', { WALLET_PROVIDER: 'privy' }, /needs PRIVY_APP_ID/],
    ['a blank in a name', { ...privy, PRIVY_APP_ID: 'a b' }, /^PRIVY_APP_ID must be/],
    ['a colon in the app', { ...privy, PRIVY_APP_ID: 'a:b' }, /^PRIVY_APP_ID must not/],
    ['no key', { ...privy, PRIVY_AUTHORIZATION_KEY: 'hunter2' }, /^PRIVY_AUTHORIZATION_KEY must/],
    ['another curve', { ...privy, PRIVY_AUTHORIZATION_KEY: pkcs8('P-384') }, /P-256/],
    ['no URL', { ...privy, PRIVY_URL: 'privy' }, /^PRIVY_URL must be/],
    ['a password', { ...privy, PRIVY_URL: 'https://a:hunter2@privy.example' }, /^PRIVY_URL must/],
    ['no encryption', { ...privy, PRIVY_URL: 'http://privy.example' }, /^PRIVY_URL must be/],
  ])('%s is refused', (_what, env, line) => {
    expect(problemOf(() => readWalletsConfig(env, true))).toMatch(line)
  })

  test('may use plain http on loopback', () => {
    const env = { ...privy, PRIVY_URL: 'http://127.0.0.1:9' }
    expect(readWalletsConfig(env, true)).toMatchObject({ url: 'http://127.0.0.1:9' })
  })
})

describe('the funding signer of Privy', () => {
  const signerKey = pkcs8('P-256')
  const funding = {
    PRIVY_FUNDING_SIGNER_ID: 'signer',
    PRIVY_FUNDING_SIGNER_KEY: signerKey,
    PRIVY_FUNDING_EXPIRES_AT: '2027-01-31T00:00:00Z',
  }

  test('is optional, and has its own policy only where one is named', () => {
    expect(readWalletsConfig(privy, true)).toMatchObject({ funding: undefined })
    const expected = { signerId: 'signer', signerKey, expiresAt: '2027-01-31T00:00:00.000Z' }
    expect(readWalletsConfig({ ...privy, ...funding }, true)).toMatchObject({
      funding: { ...expected, policyId: null },
    })
    const prefixed = { PRIVY_FUNDING_SIGNER_KEY: `wallet-auth:${signerKey}` }
    const named = { ...privy, ...funding, ...prefixed, PRIVY_FUNDING_POLICY_ID: 'policy' }
    expect(readWalletsConfig(named, true)).toMatchObject({
      funding: { ...expected, policyId: 'policy' },
    })
  })

  test('needs Privy itself', () => {
    expect(problemOf(() => readWalletsConfig(funding, true))).toMatch(/^Set all of PRIVY_APP_ID/)
  })

  test.each(Object.keys(funding))('is refused in one clear line without %s', (name) => {
    const env = { ...privy, ...funding, [name]: '' }
    expect(problemOf(() => readWalletsConfig(env, true))).toMatch(
      /^Set all of PRIVY_FUNDING_SIGNER_ID/,
    )
  })

  test.each([
    ['a policy alone', { PRIVY_FUNDING_POLICY_ID: 'p' }, /^Set all of/],
    ["the owner's quorum", { ...funding, PRIVY_FUNDING_SIGNER_ID: 'quorum' }, /another key quorum/],
    [
      "the owner's key",
      { ...funding, PRIVY_FUNDING_SIGNER_KEY: `wallet-auth:${authorizationKey}` },
      /another key quorum and key/,
    ],
    ['no key', { ...funding, PRIVY_FUNDING_SIGNER_KEY: 'hunter2' }, /^PRIVY_FUNDING_SIGNER_KEY/],
    ['no end', { ...funding, PRIVY_FUNDING_EXPIRES_AT: 'never' }, /^PRIVY_FUNDING_EXPIRES_AT/],
    [
      'an end with a fraction of a second',
      { ...funding, PRIVY_FUNDING_EXPIRES_AT: '2027-01-31T00:00:00.5Z' },
      /^PRIVY_FUNDING_EXPIRES_AT/,
    ],
  ])('%s is refused', (_what, env, line) => {
    expect(problemOf(() => readWalletsConfig({ ...privy, ...env }, true))).toMatch(line)
  })
})

describe("the keystore's secrets", () => {
  const [one, other] = ['a'.repeat(32), 'b'.repeat(32)]

  test('are both optional', () => {
    expect(readKeystore({})).toEqual({ secret: undefined, previousSecret: undefined })
    expect(readKeystore({ KEYSTORE_SECRET: one, KEYSTORE_SECRET_PREVIOUS: other })).toEqual({
      secret: one,
      previousSecret: other,
    })
  })

  test('may be weak as the previous one in production, so that it can be replaced', () => {
    const env = { NODE_ENV: 'production', KEYSTORE_SECRET_PREVIOUS: one }
    expect(readKeystore(env)).toMatchObject({ previousSecret: one })
    const line = /^KEYSTORE_SECRET is too easy to guess/
    expect(problemOf(() => readKeystore({ ...env, KEYSTORE_SECRET: other }))).toMatch(line)
  })

  test.each([
    ['a short one', { KEYSTORE_SECRET: 'hunter2' }, /^KEYSTORE_SECRET must have 32 bytes/],
    ['a short old one', { KEYSTORE_SECRET_PREVIOUS: 'x' }, /^KEYSTORE_SECRET_PREVIOUS must have/],
    [
      'the same secret twice',
      { KEYSTORE_SECRET: one, KEYSTORE_SECRET_PREVIOUS: one },
      /must differ from/,
    ],
  ])('%s is refused', (_what, env, line) => {
    expect(problemOf(() => readKeystore(env))).toMatch(line)
  })
})

describe('the assertion issuer for exports', () => {
  const issuer = { CONSUMER_ASSERTION_ISSUER: 'https://step-up.example' }
  const jwksUrl = 'https://step-up.example/jwks.json'

  test("is the realm's own, or another one named with its keys", () => {
    expect(readAssertion({}, 'CONSUMER')).toEqual({})
    const env = { ...issuer, CONSUMER_ASSERTION_JWKS_URL: jwksUrl }
    expect(readAssertion(env, 'CONSUMER')).toEqual({
      assertion: { issuer: 'https://step-up.example', jwksUrl },
    })
    expect(readAssertion(env, 'ADMIN')).toEqual({})
  })

  test.each([
    ['without keys', issuer, /^Set CONSUMER_ASSERTION_ISSUER and .*, or neither\.$/],
    ['without a name', { CONSUMER_ASSERTION_JWKS_URL: jwksUrl }, /, or neither\.$/],
    [
      'with keys over plain http, in production',
      { ...issuer, CONSUMER_ASSERTION_JWKS_URL: 'http://x.example', NODE_ENV: 'production' },
      /^CONSUMER_ASSERTION_JWKS_URL must be/,
    ],
  ])('%s is refused', (_what, env, line) => {
    expect(problemOf(() => readAssertion(env, 'CONSUMER'))).toMatch(line)
  })
})
