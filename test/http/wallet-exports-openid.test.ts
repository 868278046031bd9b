/** The ID token of a fresh sign-in at a real OpenID provider is the assertion for an export. */
import { randomUUID } from 'node:crypto'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '#test/support/app.ts'
import {
  beginExport,
  controls,
  type Holder,
  makeServerWallet,
  openExport,
} from '#test/support/exports.ts'
import { signInAt } from '#test/support/openid-client.ts'
import {
  CERTIFICATE,
  type OpenIdProvider,
  startOpenIdProvider,
} from '#test/support/openid-provider.ts'
import { outcome } from '#test/support/steps.ts'

const API = 'https://api.countersign.example'
const trusted = getCACertificates('default')

let provider: OpenIdProvider
let service: TestApp

beforeAll(async () => {
  setDefaultCACertificates([...trusted, CERTIFICATE])
  provider = await startOpenIdProvider({ clientIds: ['web', 'another-app'], apis: [API] })
  const env = {
    CONSUMER_ISSUER: provider.issuer,
    CONSUMER_AUDIENCE: API,
    CONSUMER_ID_AUDIENCE: 'web',
    CONSUMER_JWKS_URL: provider.jwksUrl,
  }
  service = await startTestApp({ env })
})
afterAll(async () => {
  setDefaultCACertificates(trusted)
  await service.stop()
  await provider.stop()
})

async function signIn(): Promise<Holder> {
  const subject = `person-${randomUUID()}`
  const { accessToken: token, idToken: identityToken } = await signInAt(provider, {
    ...{ clientId: 'web', api: API, subject },
  })
  const opened = await service.call('PUT', '/v1/consumer/session', {
    token,
    body: { identityToken },
  })
  expect(outcome(opened)).toBe('200')
  return { realm: 'consumer', token, subject }
}

test('exports a wallet with password and one-time password, but not with one of them', async () => {
  const holder = await signIn()
  const wallet = await makeServerWallet(service, holder)
  const ceremony = await beginExport(service, holder, wallet)
  const assertion = async (methods: string[], clientId = 'web') => {
    const { subject } = holder
    const step = { clientId, api: API, subject, methods, nonce: ceremony.requestId }
    return { mfaAssertion: (await signInAt(provider, step)).idToken }
  }
  const refused = '403 fresh_authentication_required'
  expect(outcome(await ceremony.complete(await assertion(['pwd'])))).toBe(refused)
  const foreign = await assertion(['pwd', 'otp'], 'another-app')
  expect(outcome(await ceremony.complete(foreign))).toBe(refused)

  const answer = await ceremony.complete(await assertion(['pwd', 'otp']))
  expect(outcome(answer)).toBe('200')
  const key = await openExport(ceremony.keys, answer.body)
  expect(await controls(key, wallet)).toBe(true)
})
