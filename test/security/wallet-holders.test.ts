/** Wallet routes are scoped to the account: others learn and change nothing. */
import { randomUUID } from 'node:crypto'
import sql from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createFingerprint, type Fingerprint } from '#test/security/dump.ts'
import { fill, routes } from '#test/security/routes.ts'
import {
  type Answer,
  createOrganization,
  joinOrganization,
  startTestApp,
  type TestApp,
} from '#test/support/app.ts'
import {
  beginExport,
  type Ceremony,
  type Holder,
  makeHolder,
  makeRecipientKeys,
  makeServerWallet,
  type Realm,
} from '#test/support/exports.ts'

const walletRoutes = routes.filter(({ template }) => /^\/v1\/\w+\/wallets\//.test(template))

let service: TestApp
let fingerprint: () => Promise<Fingerprint>
/** One holder in each realm, whose wallet and request all others try to use. */
const victims: Partial<Record<Realm, Ceremony>> = {}
const tokens: Record<string, string | undefined> = {}
let organizationId: string

beforeAll(async () => {
  service = await startTestApp()
  const organization = await createOrganization(service)
  organizationId = organization.id
  const { owner } = organization
  const holders: Holder[] = [{ realm: 'consumer', ...owner }, await makeHolder(service, 'admin')]
  for (const holder of holders) {
    const wallet = await makeServerWallet(service, holder, { organizationId })
    victims[holder.realm] = await beginExport(service, holder, wallet)
  }
  tokens['a member of the same organization'] = (
    await joinOrganization(service, organization, { role: 'manager' })
  ).token
  tokens['a non-member'] = (await makeHolder(service)).token
  tokens['an operator'] = (await makeHolder(service, 'admin')).token
  tokens.nobody = undefined
  fingerprint = await createFingerprint(service.database)
})
afterAll(() => service.stop())

const victimOf = (realm: string): Ceremony => {
  const found = victims[realm as Realm]
  if (!found) throw new Error(`There is no victim in ${realm}`)
  return found
}

const bodyOf = (template: string, realm: string): object | undefined => {
  if (template.endsWith('/complete')) return victimOf(realm).proof
  if (template.endsWith('/export-requests')) {
    return { recipientPublicKey: makeRecipientKeys().publicKey }
  }
  return undefined
}

const REQUEST_ID = 'the-same-for-both'
const shown = ({ status, text, headers }: Answer) => {
  const { date: _date, ...rest } = headers
  return { status, text, headers: rest }
}

const aboutOne = walletRoutes.filter(({ template }) => template.includes(':walletId'))
const outsiders = ['a member of the same organization', 'a non-member', 'an operator', 'nobody']

/** 401 without a token, 403 in the other realm, otherwise as for a missing resource. */
function expected(who: string, { access, template }: (typeof routes)[number]): unknown[] {
  if (who === 'nobody') return [401, 'unauthenticated']
  const isRealms = (who === 'an operator') === (access.realm === 'admin')
  if (!isRealms) return [403, 'realm_mismatch']
  return /\/(export-requests|unlink)$/.test(template) ? [404, 'not_found'] : [403, 'forbidden']
}

test('covers all thirteen wallet routes', () => {
  expect(walletRoutes).toHaveLength(13)
  expect(aboutOne).toHaveLength(7)
})

describe.each(outsiders)('%s', (who) => {
  test.each(aboutOne.map((route) => [route.name, route] as const))(
    'at %s is refused as for an unknown id',
    async (_name, route) => {
      const { method, template, access } = route
      const { wallet, requestId } = victimOf(access.realm)
      const token = tokens[who]
      const body = bodyOf(template, access.realm)
      const ask = (values: Record<string, string>) =>
        service.call(method, fill(template, values), {
          ...(token && { token }),
          ...(body && { body }),
          headers: { 'x-request-id': REQUEST_ID },
        })
      const before = await fingerprint()
      const real = await ask({ walletId: wallet.id, requestId })
      const unknown = await ask({ walletId: randomUUID(), requestId: randomUUID() })
      expect([real.status, real.body.error.code]).toEqual(expected(who, route))
      expect(shown(real)).toEqual(shown(unknown))
      expect(await fingerprint()).toEqual(before)
    },
  )

  test('lists none of the wallets', async () => {
    for (const { method, template, access } of walletRoutes) {
      if (method !== 'GET') continue
      const answer = await service.call(method, template, {
        ...(tokens[who] && { token: tokens[who] }),
      })
      const { wallet } = victimOf(access.realm)
      expect(answer.text.includes(wallet.id)).toBe(false)
    }
  })
})

test('the holders themselves can do all of it', async () => {
  for (const realm of ['consumer', 'admin'] as const) {
    const { holder, wallet, complete } = victimOf(realm)
    const listed = await service.call('GET', `/v1/${realm}/wallets/`, { token: holder.token })
    expect(listed.text).toContain(wallet.id)
    expect((await complete()).status).toBe(200)
  }
})

test('the observer role sees wallets but none of their keys', async () => {
  const { observerDb } = service.ctx
  const seen = await observerDb.query(sql`select id, address, state, purpose from wallets`)
  expect(seen.length).toBeGreaterThanOrEqual(2)
  const secret = { code: '42501' }
  await expect(observerDb.query(sql`select provider_reference from wallets`)).rejects.toMatchObject(
    secret,
  )
  await expect(observerDb.query(sql`select id from wallet_exports`)).rejects.toMatchObject(secret)
})
