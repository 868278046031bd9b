/**
 * What a person waits for in the consumer application, in Chromium over loopback: the largest paint
 * of the inbox with an empty cache, on this machine and as on a slow phone, and the way from one
 * screen to another. Beside each: a plain page with one sentence, and a page that only replaces its
 * heading.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, test } from 'vitest'
import { type Application, openApplication, signIn, visit } from '#test/browser/application.ts'
import { type Figure, handOver } from './figures.ts'
import { inTurns, rounded } from './turns.ts'

const ROUNDS = Number(process.env.PAGES_ROUNDS ?? 9)
const SCREENS = ['Expenses', 'Payments', 'Treasury', 'Recipients', 'People', 'Inbox']

/** A phone of the middle class on a slow mobile network, as Lighthouse throttles. */
const SLOW = { cpu: 4, latency: 150, throughput: (1.6 * 1024 * 1024) / 8 }

const PLAIN = '<!doctype html><html lang="en"><title>Plain</title><h1>One sentence.</h1></html>'

async function servePlain() {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end(PLAIN)
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}/`, stop: () => server.close() }
}

/** Runs before the page's own scripts. */
const OBSERVE = `
  window.seen = { paint: 0, shift: 0, longTasks: 0 }
  const watch = (type, use) => {
    const observer = new PerformanceObserver((list) => list.getEntries().forEach(use))
    observer.observe({ type, buffered: true })
  }
  watch('largest-contentful-paint', ({ startTime }) => { seen.paint = startTime })
  watch('layout-shift', ({ value, hadRecentInput }) => { if (!hadRecentInput) seen.shift += value })
  watch('longtask', ({ duration }) => { if (duration > 100) seen.longTasks += 1 })`

/**
 * The entry of a paint arrives with a later frame, and content may be painted after its heading.
 * A promise, because the page's policy lets no string be evaluated again and again.
 */
const PAINTED = `new Promise((resolve) => {
  const look = () => (seen.paint > 0 ? setTimeout(resolve, 300) : requestAnimationFrame(look))
  look()
})`

type Seen = { paint: number; shift: number; longTasks: number }
const seenOn = (page: Page): Promise<Seen> => page.evaluate<Seen>('seen')

type State = NonNullable<BrowserContextOptions['storageState']>

async function slowDown(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page)
  await session.send('Emulation.setCPUThrottlingRate', { rate: SLOW.cpu })
  await session.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: SLOW.latency,
    downloadThroughput: SLOW.throughput,
    uploadThroughput: SLOW.throughput,
  })
}

/** In a new context, so that nothing is cached; `shown` is the last that appears. */
async function openCold(
  application: Application,
  { url, shown, storageState, isSlow }: Opening,
): Promise<Seen> {
  const { page, context } = await visit(application, { storageState })
  await page.addInitScript(OBSERVE)
  // Only development serves a wallet, and it would take half of the slow network.
  await page.route('**/dev/wallet.js', (route) => route.abort())
  if (isSlow) await slowDown(page)
  await page.goto(url)
  await page.getByText(shown).first().waitFor()
  await page.evaluate(PAINTED)
  const seen = await seenOn(page)
  await context.close()
  return seen
}

type Opening = { url: string; shown: string; storageState: State; isSlow: boolean }

/** From the press of a link to the frame that shows the heading of its screen. */
const CHANGE = `(name) => new Promise((resolve) => {
  const began = performance.now()
  const isShown = () => document.querySelector('h1')?.textContent?.includes(name)
  const look = () => (isShown() ? requestAnimationFrame(() => resolve(performance.now() - began))
    : requestAnimationFrame(look))
  const links = [...document.querySelectorAll('nav a')]
  links.find(({ textContent }) => textContent.startsWith(name)).click()
  look()
})`

/** The least: a heading replaced at once, and shown by the next frame. */
const REPLACE = `(name) => new Promise((resolve) => {
  const began = performance.now()
  const heading = document.querySelector('h1')
  heading.textContent = name
  requestAnimationFrame(() => requestAnimationFrame(() => resolve(performance.now() - began)))
})`

const change = (page: Page, how: string, name: string): Promise<number> =>
  page.evaluate<number>(`(${how})(${JSON.stringify(name)})`)

const part = (numbers: readonly number[], share: number): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length * share)] ?? Number.NaN

async function changesOn(page: Page, how: string): Promise<number[]> {
  const taken: number[] = []
  for (const name of SCREENS) taken.push(await change(page, how, name))
  return taken
}

async function measureChanges(
  application: Application,
  url: string,
  plainUrl: string,
  state: State,
) {
  const { page, context } = await visit(application, { storageState: state })
  await page.addInitScript(OBSERVE)
  await page.goto(url)
  await page.getByRole('heading', { name: 'Inbox' }).waitFor()
  const plain = await context.newPage()
  await plain.goto(plainUrl)
  const ours: number[] = []
  const least: number[] = []
  // The first round loads the screens' scripts.
  for (let round = 0; round <= ROUNDS; round += 1) {
    await plain.bringToFront()
    const bare = await changesOn(plain, REPLACE)
    await page.bringToFront()
    const taken = await changesOn(page, CHANGE)
    if (round > 0) {
      ours.push(...taken)
      least.push(...bare)
    }
  }
  const { shift, longTasks } = await seenOn(page)
  await context.close()
  return { ours, least, shift, longTasks }
}

async function firstOrganization(application: Application): Promise<{ url: string; state: State }> {
  const visitor = await visit(application)
  const { page, context } = visitor
  await signIn(application, visitor, 'Ana Ruiz')
  await page.getByLabel('Name', { exact: true }).fill('Measured Company')
  await page.getByRole('button', { name: 'Create', exact: true }).click()
  await page.getByRole('heading', { name: 'Inbox' }).waitFor()
  const url = page.url()
  const state = await context.storageState()
  await context.close()
  return { url, state }
}

let application: Application
let plain: Awaited<ReturnType<typeof servePlain>>

beforeAll(async () => {
  application = await openApplication()
  plain = await servePlain()
})
afterAll(async () => {
  plain?.stop()
  await application?.close()
})

test('what a person waits for', async () => {
  const { url, state } = await firstOrganization(application)
  const inbox = { url, shown: 'Nothing needs you right now', storageState: state }
  const sentence = { url: plain.url, shown: 'One sentence.', storageState: state }
  const paint = async (opening: Omit<Opening, 'isSlow'>, isSlow: boolean) =>
    (await openCold(application, { ...opening, isSlow })).paint
  const quick = await inTurns(
    { inbox: () => paint(inbox, false), plain: () => paint(sentence, false) },
    ROUNDS,
  )
  const slow = await inTurns(
    { inbox: () => paint(inbox, true), plain: () => paint(sentence, true) },
    ROUNDS,
  )
  const { ours, least, shift, longTasks } = await measureChanges(application, url, plain.url, state)
  const ms = (value: number) => rounded(value, 0)
  const figures: Figure[] = [
    {
      what: 'inbox, largest contentful paint, empty cache',
      value: ms(quick.values.inbox),
      unit: 'ms',
      target: { atMost: 1_000 },
      more: { 'plain page, ms': ms(quick.values.plain), ratio: quick.ratios.plain },
    },
    {
      what: 'inbox, largest contentful paint, CPU slowed four times and 1.6 Mbit/s',
      value: ms(slow.values.inbox),
      unit: 'ms',
      target: { atMost: 2_500 },
      more: { 'plain page, ms': ms(slow.values.plain), ratio: slow.ratios.plain },
    },
    {
      what: 'from screen to screen, median',
      value: ms(part(ours, 0.5)),
      unit: 'ms',
      target: { atMost: 60 },
      more: { 'heading replaced, ms': ms(part(least, 0.5)), changes: ours.length },
    },
    {
      what: 'from screen to screen, 95th percentile',
      value: ms(part(ours, 0.95)),
      unit: 'ms',
      target: { atMost: 200 },
      more: { 'heading replaced, ms': ms(part(least, 0.95)) },
    },
    {
      what: 'layout shift from screen to screen',
      value: rounded(shift, 3),
      unit: '',
      target: { atMost: 0.02 },
    },
    {
      what: 'tasks over 100 ms from screen to screen',
      value: longTasks,
      unit: '',
      target: { atMost: 0 },
    },
  ]
  await handOver(figures)
})
