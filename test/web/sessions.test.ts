/** Tokens at rest, refresh and the end of sessions, with the real API behind the gateway. */
import { createHash } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '#test/support/app.ts'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { sweepSessions } from '#web/sessions.ts'

let service: TestApp
let gateway: TestGateway

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

const sessionCookie = () => `countersign-consumer-${new URL(gateway.origin).port}`

const rows = (accountId: string) =>
  service.database.asOwner('select * from web_sessions where account_id = $1', [accountId])

const accountOf = async (browser: ReturnType<TestGateway['browser']>): Promise<string> =>
  (await browser.call('GET', '/session')).body.accountId

describe('tokens', () => {
  test('never reach the browser, and lie sealed in the database', async () => {
    const browser = gateway.browser()
    await browser.signIn('Ana Ruiz')
    await browser.call('GET', '/v1/consumer/me')
    const all = [...browser.seen, ...browser.jar.values()].join('\n')
    expect(all).not.toMatch(/eyJ[\w-]+\.[\w-]+\.[\w-]+/)
    const accountId = await accountOf(browser)
    const id = browser.jar.get(sessionCookie()) ?? ''
    const found = await service.database.asOwner<Record<string, unknown>>(
      'select *, encode(id_hash, $2) as hash from web_sessions where account_id = $1',
      [accountId, 'hex'],
    )
    const hash = createHash('sha256').update(id).digest('hex')
    const row = found.find((one) => one.hash === hash)
    expect(row).toBeDefined()
    const bytes = String((row?.sealed_tokens as Buffer | undefined)?.toString('latin1'))
    expect(bytes).not.toMatch(/eyJ|accessToken/)
    expect(JSON.stringify(found)).not.toContain(id)
  })

  test('are reachable for the gateway role alone, and it reaches nothing else', async () => {
    const client = new pg.Client(service.database.url)
    await client.connect()
    try {
      await client.query('set role countersign_web; set search_path = countersign')
      await client.query('select 1 from web_sessions')
      const tables = await service.database.asOwner<{ name: string }>(
        `select format('%I.%I', schemaname, tablename) as name from pg_tables
         where schemaname in ('countersign', 'graphile_worker') and tablename <> 'web_sessions'`,
      )
      expect(tables.length).toBeGreaterThan(50)
      for (const { name } of tables) {
        await expect(client.query(`select 1 from ${name}`), name).rejects.toThrow(
          /permission denied/,
        )
      }
      const rename = 'update web_sessions set account_id = gen_random_uuid()'
      await expect(client.query(rename)).rejects.toThrow(/permission denied/)
      for (const role of ['app', 'worker', 'observer']) {
        await client.query(`reset role; set role countersign_${role}`)
        await expect(client.query('select 1 from web_sessions')).rejects.toThrow(
          /permission denied/,
        )
      }
    } finally {
      await client.end()
    }
  })

  test('are refreshed once for twenty requests at the same time', async () => {
    const browser = gateway.browser()
    await browser.signIn('Ana Ruiz')
    const before = gateway.refreshes()
    gateway.clock.ahead(15 * 60)
    const calls = Array.from({ length: 20 }, () => browser.call('GET', '/v1/consumer/me'))
    const statuses = (await Promise.all(calls)).map(({ status }) => status)
    expect(new Set(statuses)).toEqual(new Set([200]))
    expect(gateway.refreshes() - before).toBe(1)
  })

  test('that cannot be refreshed end the session', async () => {
    const browser = gateway.browser()
    await browser.signIn('Eve Ended')
    const accountId = await accountOf(browser)
    const { refresh } = gateway.ctx.provider
    gateway.replaceProvider({ refresh: async () => undefined })
    gateway.clock.ahead(15 * 60)
    try {
      const { status, body } = await browser.call('GET', '/v1/consumer/me')
      expect([status, body.error.code]).toEqual([401, 'unauthenticated'])
      expect(await rows(accountId)).toEqual([])
      expect((await browser.call('GET', '/session')).body).toEqual({ state: 'signed_out' })
    } finally {
      gateway.replaceProvider({ refresh })
    }
  })

  test('survive an outage of the provider', async () => {
    const browser = gateway.browser()
    await browser.signIn('Ana Ruiz')
    const { refresh } = gateway.ctx.provider
    const { AppError } = await import('#platform/errors.ts')
    const down = new AppError('dependency_unavailable', { retryAfterSeconds: 2 })
    gateway.replaceProvider({ refresh: () => Promise.reject(down) })
    gateway.clock.ahead(15 * 60)
    const refused = await browser.call('GET', '/v1/consumer/me')
    gateway.replaceProvider({ refresh })
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '2'])
    expect((await browser.call('GET', '/v1/consumer/me')).status).toBe(200)
  })
})

describe('a session', () => {
  test('ends at sign-out, here and at the provider', async () => {
    const browser = gateway.browser()
    await browser.signIn('Finn Finished')
    const accountId = await accountOf(browser)
    const revoked: string[] = []
    const { revoke } = gateway.ctx.provider
    gateway.replaceProvider({
      revoke: (token, kind) => {
        revoked.push(kind)
        return revoke(token, kind)
      },
    })
    const id = browser.jar.get(sessionCookie()) ?? ''
    const answer = await browser.call('POST', '/session/sign-out')
    gateway.replaceProvider({ revoke })
    expect(answer.status).toBe(204)
    expect(answer.headers.get('clear-site-data')).toBe('"cache", "storage"')
    expect(browser.jar.has(sessionCookie())).toBe(false)
    expect(revoked).toEqual(['refresh_token'])
    expect(await rows(accountId)).toEqual([])
    browser.jar.set(sessionCookie(), id)
    expect((await browser.call('GET', '/v1/consumer/me')).status).toBe(401)
  })

  test('can be ended in every browser at once, and nobody else is signed out', async () => {
    const [here, there, other] = [gateway.browser(), gateway.browser(), gateway.browser()]
    await here.signIn('Gia Gone')
    await there.signIn('Gia Gone')
    await other.signIn('Hal Here')
    const answer = await here.call('POST', '/session/sign-out', { everywhere: true })
    expect(answer.status).toBe(204)
    expect((await there.call('GET', '/session')).body).toEqual({ state: 'signed_out' })
    expect((await other.call('GET', '/session')).body.state).toBe('signed_in')
  })

  test('is over after a day without use, and swept away', async () => {
    const browser = gateway.browser()
    await browser.signIn('Ida Idle')
    const accountId = await accountOf(browser)
    gateway.clock.ahead(24 * 60 * 60 + 1)
    expect((await browser.call('GET', '/session')).body).toEqual({ state: 'signed_out' })
    expect(await rows(accountId)).toHaveLength(1)
    expect(await sweepSessions(gateway.ctx)).toBeGreaterThan(0)
    expect(await rows(accountId)).toEqual([])
  })

  test('is not opened by a made-up cookie', async () => {
    const browser = gateway.browser()
    for (const id of ['x', 'A'.repeat(43), `${'A'.repeat(43)}' or true`]) {
      browser.jar.set(sessionCookie(), id)
      expect((await browser.call('GET', '/v1/consumer/me')).status).toBe(401)
    }
  })

  describe('whose row somebody writes', () => {
    const change = (accountId: string, set: string, ...values: string[]) =>
      service.database.asOwner(`update web_sessions set ${set} where account_id = $1`, [
        accountId,
        ...values,
      ])
    const signedIn = async (name: string) => {
      const browser = gateway.browser()
      await browser.signIn(name)
      return { browser, accountId: await accountOf(browser) }
    }

    test('does not outlive its seven days', async () => {
      const { browser, accountId } = await signedIn('Kim Kept')
      await change(
        accountId,
        `expires_at = now() + interval '10 years', last_seen_at = now() + interval '9 years'`,
      )
      expect((await browser.call('GET', '/session')).body.state).toBe('signed_in')
      gateway.clock.ahead(8 * 24 * 60 * 60)
      expect((await browser.call('GET', '/session')).body).toEqual({ state: 'signed_out' })
      expect((await browser.call('GET', '/v1/consumer/me')).status).toBe(401)
    })

    test.each([
      ['account', 'account_id = $2', '01a1e596-61ec-7e43-b1ee-27890f2ed341'],
      // The subject decides whose fresh sign-in counts.
      ['subject', 'subject = $2', 'somebody-else'],
    ])("does not become another %s's", async (what, set, value) => {
      const { browser, accountId } = await signedIn(`Lou Written ${what}`)
      await change(accountId, set, value)
      expect((await browser.call('GET', '/session')).body).toEqual({ state: 'signed_out' })
      expect((await browser.call('GET', '/v1/consumer/me')).status).toBe(401)
    })

    test('does not open with the tokens of another row', async () => {
      const [thief, victim] = [await signedIn('Max Mallory'), await signedIn('Vera Victim')]
      await change(
        thief.accountId,
        `(account_id, subject, sealed_tokens) = (select account_id, subject, sealed_tokens
          from web_sessions where account_id = $2)`,
        victim.accountId,
      )
      expect((await thief.browser.call('GET', '/session')).body).toEqual({ state: 'signed_out' })
    })
  })

  test('ends when the browser signs in again, as the same person or another', async () => {
    const browser = gateway.browser()
    await browser.signIn('Ned Next')
    const ned = await accountOf(browser)
    const first = browser.jar.get(sessionCookie()) ?? ''
    await browser.signIn('Ned Next')
    expect(await rows(ned)).toHaveLength(1)
    await browser.signIn('Olga Other')
    expect(await rows(ned)).toEqual([])
    expect((await browser.call('GET', '/session')).body.state).toBe('signed_in')
    browser.jar.set(sessionCookie(), first)
    expect((await browser.call('GET', '/session')).body).toEqual({ state: 'signed_out' })
  })

  test('ends that way although its cookie does not come back from the provider', async () => {
    const browser = gateway.browser()
    await browser.signIn('Pia Past')
    const pia = await accountOf(browser)
    // A Strict cookie goes along to the gateway, and not when the provider redirects back.
    const page = await browser.follow('/session/sign-in')
    browser.jar.delete(sessionCookie())
    const sent = await browser.send(page, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'name=Pia+Past',
    })
    await browser.follow(new URL(sent.headers.get('location') ?? '', page).href)
    expect(await accountOf(browser)).toBe(pia)
    expect(await rows(pia)).toHaveLength(1)
  })

  test('stays when a new sign-in fails', async () => {
    const browser = gateway.browser()
    await browser.signIn('Quin Quiet')
    await browser.follow('/session/callback?state=x&code=y')
    expect((await browser.call('GET', '/session')).body.state).toBe('signed_in')
  })
})
