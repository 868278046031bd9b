/** The export of a wallet's key from a page that never sees a token. */
import { randomUUID } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { AppError } from '#platform/errors.ts'
import { startTestApp, type TestApp } from '#test/support/app.ts'
import {
  controls,
  makeRecipientKeys,
  openExport,
  type RecipientKeys,
  type ServerWallet,
  signPayload,
} from '#test/support/exports.ts'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import type { WebBrowser } from '#test/support/web-browser.ts'

let service: TestApp
let gateway: TestGateway
let browser: WebBrowser
let wallet: ServerWallet

beforeAll(async () => {
  service = await startTestApp()
  await service.app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = service.app.server.address() as AddressInfo
  gateway = await startGateway({
    apiUrl: `http://127.0.0.1:${port}`,
    databaseUrl: service.database.url,
    identity: service.identity,
  })
})
afterAll(async () => {
  await gateway.stop()
  await service.stop()
})
beforeEach(async () => {
  browser = gateway.browser()
  await browser.signIn(`Person ${randomUUID()}`)
  const body = { purpose: 'Paying suppliers', idempotencyKey: randomUUID() }
  const made = await browser.call('POST', '/v1/consumer/wallets/', body)
  expect(made.status, made.text).toBe(201)
  wallet = made.body
})

type Begun = { requestId: string; keys: RecipientKeys; body: object }

async function begin(): Promise<Begun> {
  const keys = makeRecipientKeys()
  const { publicKey: recipientPublicKey } = keys
  const path = `/v1/consumer/wallets/${wallet.id}/export-requests`
  const asked = await browser.call('POST', path, { recipientPublicKey })
  expect(asked.status, asked.text).toBe(201)
  const { requestId, authorizationPayload } = asked.body
  const authorizationSignature = signPayload(authorizationPayload, keys.privateKey)
  return { requestId, keys, body: { recipientPublicKey, authorizationSignature } }
}

const complete = ({ requestId, body }: Begun, stepUp = requestId, changed: object = {}) =>
  browser.call(
    'POST',
    `/v1/consumer/wallets/${wallet.id}/export-requests/${requestId}/complete`,
    { ...body, ...changed },
    { 'x-step-up': stepUp },
  )

const stepUp = (requestId: string, answer: 'yes' | 'no' = 'yes') =>
  browser.confirm(`/session/step-up?request=${requestId}&return_to=/wallets/${wallet.id}`, answer)

const outcome = ({ status, body }: { status: number; body: { error?: { code: string } } }) =>
  body?.error ? `${status} ${body.error.code}` : String(status)

const FRESH = '403 fresh_authentication_required'

describe('a fresh sign-in', () => {
  test('completes one export, once, and its token never reaches the page', async () => {
    const export_ = await begin()
    expect(await stepUp(export_.requestId)).toBe(`${gateway.origin}/wallets/${wallet.id}`)
    const rows = await service.database.asOwner<{ sealed: Buffer }>(
      'select sealed_step_up as sealed from web_sessions where step_up_request_id = $1',
      [export_.requestId],
    )
    expect(rows.map(({ sealed }) => sealed.toString('latin1'))).toEqual([
      expect.not.stringContaining('eyJ'),
    ])
    const answer = await complete(export_, export_.requestId, { mfaAssertion: '' })
    expect(outcome(answer)).toBe('200')
    expect(await controls(await openExport(export_.keys, answer.body), wallet)).toBe(true)
    expect(outcome(await complete(export_))).toBe(FRESH)
    expect(browser.seen.join('\n')).not.toMatch(/eyJ[\w-]+\.[\w-]+\./)
  })

  test('serves no other export', async () => {
    const [other, one] = [await begin(), await begin()]
    await stepUp(one.requestId)
    expect(outcome(await complete(other))).toBe(FRESH)
    expect(outcome(await complete(other, one.requestId))).toBe('400 validation_failed')
    const elsewhere = await browser.call(
      'POST',
      '/v1/consumer/organizations',
      { name: 'Acme' },
      {
        'x-step-up': one.requestId,
      },
    )
    expect(outcome(elsewhere)).toBe('400 validation_failed')
    expect(outcome(await complete(one, one.requestId, { mfaAssertion: 'mine' }))).toBe(
      '400 validation_failed',
    )
    expect(outcome(await complete(one))).toBe('200')
  })

  test('is good for five minutes', async () => {
    const export_ = await begin()
    await stepUp(export_.requestId)
    gateway.clock.ahead(301)
    try {
      expect(outcome(await complete(export_))).toBe(FRESH)
    } finally {
      gateway.clock.ahead(-301)
    }
  })

  test('is over after five minutes, whatever the table says', async () => {
    const export_ = await begin()
    await stepUp(export_.requestId)
    await service.database.asOwner(
      `update web_sessions set step_up_expires_at = step_up_expires_at + interval '1 day'
       where step_up_request_id = $1`,
      [export_.requestId],
    )
    gateway.clock.ahead(301)
    expect(outcome(await complete(export_))).toBe(FRESH)
  })

  test('can be refused by the person', async () => {
    const export_ = await begin()
    const end = await stepUp(export_.requestId, 'no')
    expect(end).toBe(`${gateway.origin}/sign-in?problem=access_denied`)
    expect(outcome(await complete(export_))).toBe(FRESH)
  })

  test('must be of the same person', async () => {
    const export_ = await begin()
    const own = [...browser.jar].filter(([name]) => name.startsWith('countersign-'))
    for (const [name] of own) browser.jar.delete(name)
    // Somebody else has signed in at the provider meanwhile, for another application.
    await browser.signIn('Somebody Else')
    for (const [name, value] of own) browser.jar.set(name, value)
    const end = await stepUp(export_.requestId)
    expect(end).toBe(`${gateway.origin}/sign-in?problem=other_person`)
    expect(outcome(await complete(export_))).toBe(FRESH)
  })

  test('that cannot start, because the database does not answer, is explained', async () => {
    const { db } = gateway.ctx
    const query = () => Promise.reject(new AppError('dependency_unavailable'))
    gateway.ctx.db = { ...db, query }
    try {
      const own = { headers: { 'sec-fetch-site': 'same-origin' } }
      const answer = await browser.send(`/session/step-up?request=${randomUUID()}`, own)
      expect(answer.headers.get('location')).toBe('/sign-in?problem=unavailable')
    } finally {
      gateway.ctx.db = db
    }
  })

  test('starts from our own page only, for a signed-in person and a real request', async () => {
    const path = `/session/step-up?request=${randomUUID()}`
    // `none` is a link in a mail: somebody else may have asked for the export that it confirms.
    for (const site of ['cross-site', 'same-site', 'none']) {
      const answer = await browser.send(path, { headers: { 'sec-fetch-site': site } })
      expect(outcome(answer)).toBe('403 forbidden')
    }
    const own = { headers: { 'sec-fetch-site': 'same-origin' } }
    const stranger = await gateway.browser().send(path, own)
    expect(stranger.headers.get('location')).toBe('/sign-in?problem=signed_out')
    const odd = await browser.send('/session/step-up?request=1', own)
    expect(outcome(odd)).toBe('400 validation_failed')
  })
})
