/** The client in a real browser: another origin, the browser's own fetch, streams and crypto. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { TypedData } from '@countersign/proof/typed-data.ts'
import type { Browser, Page } from 'playwright-core'
import { rolldown } from 'rolldown'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '#test/support/app.ts'
import { type BreakingProxy, startBreakingProxy } from '#test/support/breaking-proxy.ts'
import { launchBrowser } from '#test/support/browser.ts'
import { expenseIn } from '#test/support/expense-states.ts'
import { type ExpenseHouse, openExpenseHouse, termsOf } from '#test/support/expenses.ts'
import { baseUrl, writeEvent } from '#test/support/live.ts'
import { addressesOf, joinSigner, type Signer, writePolicyVersion } from '#test/support/signing.ts'
import { addRecipient } from '#test/support/steps.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const MODULES = [
  'client',
  'live',
  'shared-live',
  'pages',
  'result',
  'sign-approval',
  'owner-transactions',
]
const ENTRY = '\0page'

/** What the page's script exports, as the functions in the page see it. */
type PageModules = typeof import('@countersign/client/client.ts') &
  typeof import('@countersign/client/live.ts') &
  typeof import('@countersign/client/shared-live.ts') &
  typeof import('@countersign/client/pages.ts') &
  typeof import('@countersign/client/sign-approval.ts')

declare const modules: PageModules

async function bundle(): Promise<string> {
  const lines = MODULES.map((name) => `export * from '@countersign/client/${name}.ts'`)
  const built = await rolldown({
    cwd: ROOT,
    input: ENTRY,
    platform: 'browser',
    plugins: [
      {
        name: 'entry',
        resolveId: (id) => (id === ENTRY ? id : null),
        load: (id) => (id === ENTRY ? lines.join('\n') : null),
      },
    ],
  })
  const { output } = await built.generate({ format: 'iife', name: 'modules' })
  await built.close()
  const [{ code, imports }] = output
  expect(imports).toEqual([])
  return code
}

async function servePage(script: string): Promise<{ server: Server; origin: string }> {
  const html = '<!doctype html><link rel="icon" href="data:,"><script src="/client.js"></script>'
  const server = createServer((request, response) => {
    const isScript = request.url === '/client.js'
    response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html')
    response.end(isScript ? script : html)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { server, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

let browser: Browser
let page: Page
let site: Awaited<ReturnType<typeof servePage>>
let service: TestApp
let proxy: BreakingProxy
let house: ExpenseHouse
let signer: Signer
const complaints: string[] = []

beforeAll(async () => {
  browser = await launchBrowser()
  site = await servePage(await bundle())
  service = await startTestApp({
    env: { CORS_ORIGINS: site.origin },
    streams: { lifetimeMs: 600_000 },
  })
  house = await openExpenseHouse(service)
  signer = await joinSigner(service, house, { role: 'manager' })
  await writePolicyVersion(service, house, { approverAddresses: addressesOf(signer) })
  proxy = await startBreakingProxy(await baseUrl(service))
}, 900_000)
afterAll(async () => {
  await browser?.close()
  await proxy?.close()
  await service?.stop()
  site?.server.closeAllConnections()
  site?.server.close()
})
beforeEach(async () => {
  const context = await browser.newContext()
  page = await context.newPage()
  page.on('pageerror', (error) => complaints.push(error.message))
  await page.goto(site.origin)
  return async () => {
    await context.close()
    expect(complaints.splice(0)).toEqual([])
  }
})

const access = (token: string) => ({
  baseUrl: proxy.url,
  token,
  organizationId: house.organization.id,
})

const expenseCount = async (): Promise<number> => {
  const [row] = await service.database.asOwner<{ count: number }>(
    'select count(*)::integer as count from expenses where organization_id = $1',
    [house.organization.id],
  )
  return row?.count ?? 0
}

test('creates one expense over a connection that loses the answer', async () => {
  const input = { ...access(house.employee.token), body: termsOf(house) as never }
  const create = () =>
    page.evaluate(async ({ baseUrl, token, organizationId, body }) => {
      const client = modules.createClient({ baseUrl, token })
      const made = await client.call('createExpense', { path: { organizationId }, body })
      return made.ok
    }, input)
  // The browser remembers the preflight of the first request, so that the second sends none.
  expect(await create()).toBe(true)
  const [count, lost] = [await expenseCount(), proxy.lost]
  proxy.loseAnswer()
  expect(await create()).toBe(true)
  expect(proxy.lost).toBe(lost + 1)
  expect(await expenseCount()).toBe(count + 1)
})

test('iterates over pages, and reads codes and request ids of refusals', async () => {
  for (let made = 0; made < 3; made += 1) await addRecipient(service, house.organization)
  const found = await page.evaluate(async ({ baseUrl, token, organizationId }) => {
    const client = modules.createClient({ baseUrl, token })
    const path = { organizationId }
    const labels: string[] = []
    const list = modules.items(client, 'listRecipients', { path, query: { limit: 2 } })
    for await (const { label } of list) labels.push(label)
    const body = { label: 'Ink', address: 'nonsense', chainId: 1 }
    const refused = await client.call('addRecipient', { path, body })
    return { labels, failure: refused.ok ? null : refused.failure }
  }, access(house.organization.owner.token))
  expect(found.labels).toHaveLength(4)
  expect(found.failure).toMatchObject({ code: 'validation_failed', treatment: 'correct' })
  expect(found.failure?.requestId).toMatch(/\S/)
})

test('resumes the live stream after a cut, without a gap or a repetition', async () => {
  const seen: string[] = []
  const states: string[] = []
  await page.exposeFunction('tell', (kind: string, text: string) => {
    if (kind === 'event') seen.push(text)
    else states.push(text)
  })
  await page.evaluate(({ baseUrl, token, organizationId }) => {
    const tell = Reflect.get(globalThis, 'tell') as (kind: string, text: string) => void
    modules.followLive(modules.createClient({ baseUrl, token }), {
      scope: { organizationId },
      onSnapshot: () => tell('state', 'snapshot'),
      onEvent: ({ id }) => tell('event', id),
      onState: ({ phase }) => tell('state', phase),
    })
  }, access(house.organization.owner.token))
  await expect.poll(() => states).toEqual(['snapshot', 'live'])
  const { id } = house.organization
  const written = [await writeEvent(service, id)]
  await expect.poll(() => seen.at(-1)).toBe(written[0])
  // Events of the snapshot come again while any transaction of the server was older than it.
  seen.splice(0, seen.length - 1)
  proxy.isOpen = false
  proxy.cut()
  written.push(await writeEvent(service, id), await writeEvent(service, id))
  await expect.poll(() => states.at(-1)).toBe('connecting')
  proxy.isOpen = true
  await expect.poll(() => seen).toEqual(written)
  expect(states.filter((state) => state === 'snapshot')).toHaveLength(1)
})

/** A tab that follows together with the others, and what it has heard. */
async function openTab(): Promise<{ tab: Page; seen: string[]; states: string[] }> {
  const tab = await page.context().newPage()
  tab.on('pageerror', (error) => complaints.push(error.message))
  const [seen, states]: [string[], string[]] = [[], []]
  await tab.exposeFunction('tell', (kind: string, text: string) => {
    if (kind === 'event') seen.push(text)
    else states.push(text)
  })
  await tab.goto(site.origin)
  await tab.evaluate(({ baseUrl, token, organizationId }) => {
    const tell = Reflect.get(globalThis, 'tell') as (kind: string, text: string) => void
    modules.followLiveTogether(modules.createClient({ baseUrl, token }), {
      accountId: 'owner',
      scope: { organizationId },
      onSnapshot: () => tell('state', 'snapshot'),
      onEvent: ({ id }) => tell('event', id),
      onState: ({ phase }) => tell('state', phase),
    })
  }, access(house.organization.owner.token))
  await expect.poll(() => [...states].sort()).toEqual(['live', 'snapshot'])
  return { tab, seen, states }
}

test('tabs share one stream, and another takes over when the first closes', async () => {
  const { id } = house.organization
  const streams = async () => {
    const text = await service.ctx.metrics.registry.metrics()
    return Number(/^countersign_live_streams_open (\d+)/m.exec(text)?.[1])
  }
  await expect.poll(streams).toBe(0)
  const first = await openTab()
  const second = await openTab()
  const event = await writeEvent(service, id)
  await expect.poll(() => [first.seen.at(-1), second.seen.at(-1)]).toEqual([event, event])
  expect(await streams()).toBe(1)
  await first.tab.close()
  await expect.poll(() => second.states.filter((state) => state === 'snapshot')).toHaveLength(2)
  await expect.poll(() => second.states.at(-1)).toBe('live')
  const later = await writeEvent(service, id)
  await expect.poll(() => second.seen.slice(-2)).toEqual([event, later])
  await second.tab.close()
})

test('checks and signs an approval with a wallet outside the page', async () => {
  const { id: expenseId } = await expenseIn(service, house, 'awaiting_approval')
  const [account] = signer.accounts
  await page.exposeFunction('askWallet', (typedData: TypedData) => account.signTypedData(typedData))
  const input = {
    ...access(signer.person.token),
    expenseId,
    approverAddress: account.address,
  }
  const ends = await page.evaluate(async (given) => {
    const { organizationId, expenseId, approverAddress, ...options } = given
    const sign = Reflect.get(globalThis, 'askWallet') as (typedData: object) => Promise<string>
    const client = modules.createClient(options)
    const read = await modules.readForApproval(client, { organizationId, expenseId })
    if (!read.ok) return [read.failure.code]
    const lied = structuredClone(read.data)
    lied.expense.revision.amountBaseUnits = '1'
    const other = `0x${'5'.repeat(40)}`
    const results = [
      await modules.signApproval(client, { shown: lied, approverAddress, sign }),
      await modules.signApproval(client, { shown: read.data, approverAddress: other, sign }),
      await modules.signApproval(client, { shown: read.data, approverAddress, sign }),
    ]
    return results.map((result) => (result.ok ? 'signed' : result.reason))
  }, input)
  expect(ends).toEqual(['mismatch', 'mismatch', 'signed'])
})
