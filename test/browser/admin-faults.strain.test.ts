/**
 * An operator who knows nothing but what a customer says and what the pages show finds the cause
 * of each fault, and what to do about it, in at most three steps.
 */
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { addSession, DESK } from '#test/browser/application.ts'
import { type PlantedFaults, plantFaults } from '#test/browser/planted-faults.ts'
import { open } from '#test/browser/walk.ts'
import { launchBrowser } from '#test/support/browser.ts'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'

let faults: PlantedFaults
let admin: TestGateway
let browser: Browser
let page: Page
let steps: number
const troubles: string[] = []

const STEPS_MAX = 3

beforeAll(async () => {
  const launched = launchBrowser()
  faults = await plantFaults()
  const { service } = faults
  await service.app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = service.app.server.address() as AddressInfo
  await service.operatorToken('operator')
  admin = await startGateway({
    apiUrl: `http://127.0.0.1:${port}`,
    databaseUrl: service.database.url,
    identity: service.identity,
    realm: 'admin',
    root: join(import.meta.dirname, '..', '..', 'apps', 'admin', 'dist'),
  })
  browser = await launched
  const context = await browser.newContext({
    viewport: DESK,
    locale: 'en-GB',
    reducedMotion: 'reduce',
  })
  page = await context.newPage()
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) troubles.push(message.text())
  })
  page.on('pageerror', (error) => troubles.push(error.message))
  await addSession(context, admin, 'Operator')
  await page.goto(admin.origin)
})

afterAll(async () => {
  await browser?.close()
  await admin?.stop()
  await faults?.stop()
})

beforeEach(async () => {
  steps = 0
  if (new URL(page.url()).pathname !== '/') await open(page, '/')
  await page.getByRole('list', { name: 'Needs an operator' }).waitFor()
})

async function search(words: string): Promise<void> {
  steps += 1
  await page.getByLabel('Search organizations').fill(words)
  await page.getByLabel('Search organizations').press('Enter')
}

async function click(what: Locator): Promise<void> {
  steps += 1
  await what.click()
}

const queue = (text: string | RegExp) =>
  page.getByRole('list', { name: 'Needs an operator' }).getByRole('link').filter({ hasText: text })
const found = (name: string) =>
  page.getByRole('list', { name: 'Organizations' }).getByRole('link', { name })

/** The page says all of this, and the operator did not have to look far. */
async function expectSaid(...texts: (string | RegExp)[]): Promise<void> {
  for (const text of texts) await page.getByText(text).first().waitFor()
  expect(steps).toBeLessThanOrEqual(STEPS_MAX)
}

test('a stuck nonce: the payment behind it leads to the one that is in the way', async () => {
  // "We are Harbour Print, and the ink has not been paid."
  await search('harbour')
  await click(found('Harbour Print'))
  const stuck = page.getByRole('list', { name: 'Stuck payments' }).getByRole('link')
  await click(stuck.filter({ hasText: 'Ink for the spring catalogue' }))
  await expectSaid(
    /^Nonce \d+ of the executor is not mined, so this one has to wait$/,
    'When that is mined, this one follows by itself.',
  )
  await page.getByRole('link', { name: 'Open the payment that is in the way' }).click()
  await page.getByRole('heading', { name: 'Paper for the spring catalogue' }).waitFor()
})

test('a stuck nonce: the payment that is not mined says what holds it up', async () => {
  await search(faults.unmined.paymentId)
  await click(found('Harbour Print'))
  await click(page.getByRole('link', { name: 'Open its story' }))
  await expectSaid(
    'The chain does not mine its transaction',
    'replace it in RPC_URLS',
    'It can still go through.',
  )
  await page.getByRole('link', { name: 'Open the executor' }).waitFor()
  await page.getByRole('link', { name: 'See health' }).waitFor()
})

test('a paused policy: the expense that the customer names leads to it', async () => {
  // "Expense … should have been paid this morning."
  await search(faults.paused.id)
  await click(found('Harbour Print'))
  await click(page.getByRole('link', { name: 'Open its story' }))
  await expectSaid(
    'The policy is paused.',
    'Members can free it themselves. Tell them how:',
    'An owner ends the pause. Then release the payment again.',
  )
})

test('a provider that denies: the queue says so, and the page where to look', async () => {
  const row = queue('A rule of the wallet provider denied the transaction.')
  expect(await row.innerText()).toContain('Orbit Labs')
  await click(row)
  await page.getByRole('heading', { name: 'Telescope mirrors' }).waitFor()
  await expectSaid(
    'provider_denied',
    "Open the provider's console",
    'Then the customer releases the payment again.',
    'At the provider',
  )
})

test('an unrecorded payment: its transaction leads to it, and so does the overview', async () => {
  // "0x… has left our vault, and we did not send it."
  await search(faults.unrecordedHash)
  await click(found('Harbour Print'))
  await expectSaid('A vault made a payment that the service has no record of')
  await click(page.getByRole('link', { name: 'See unrecorded payments' }))
  await expectSaid(
    "Someone else may have an executor's key",
    'If it was a stranger, an owner pauses the policy at once.',
    'When the cause is known, an owner acknowledges it.',
  )
  const cards = page.getByRole('list', { name: 'Unrecorded payments' }).getByRole('listitem')
  expect(await cards.first().innerText()).toContain('Harbour Print')

  await open(page, '/')
  await page.getByRole('link', { name: 'See them' }).click()
  await page.getByText("Someone else may have an executor's key").waitFor()
})

test('a follower that stopped: the overview says it, and health since when', async () => {
  await faults.stopFollower('10 minutes')
  const unwell = page.getByRole('list', { name: 'Services that need attention' })
  await unwell.getByText(/^The chain was last read \d+ s ago/).waitFor()
  await click(page.getByRole('link', { name: 'See health' }))
  const services = page.getByRole('list', { name: 'Services' }).getByRole('listitem')
  const chain = services.filter({ hasText: 'Chain nodes' })
  await chain.getByText('Action required').waitFor()
  await chain.getByText('Check the workers.').waitFor()
  await expectSaid('follower_behind')
})

test('no page had an error', () => {
  expect(troubles).toEqual([])
})
