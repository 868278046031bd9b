/** A person opens the application for the first time: phone and desk, light and dark. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { fund, makeWallet, must, openSessionAs, readAbout } from '#dev/demo-client.ts'
import { readDemoRecord } from '#dev/demo-record.ts'
import {
  type Application,
  accessibilityProblems,
  DESK,
  openApplication,
  PHONE,
  signIn,
  type Visitor,
  visit,
  visitAs,
} from '#test/browser/application.ts'
import { open, pageWidth } from '#test/browser/walk.ts'
import { isProof } from '#test/support/figures.ts'

let application: Application

beforeAll(async () => {
  // With a database whose clock it may set: only the chain can keep a demo from having a history.
  application = await openApplication({ ownPostgres: true })
})
afterAll(() => application?.close())

/** Every screen of an organization that has nothing yet. */
const SCREENS = [
  ...['/expenses', '/expenses/new', '/activity', '/spending', '/treasury', '/treasury/new'],
  ...['/recipients', '/recipients/import', '/people', '/webhooks', '/audit', '/support'],
  ...['/settings', ''],
]
const PERSONAL = ['/', '/wallets', '/settings', '/notifications']

async function openOrganization(visitor: Visitor, name: string): Promise<string> {
  const { page } = visitor
  await page.getByLabel('Name', { exact: true }).fill(name)
  await page.getByRole('button', { name: 'Create', exact: true }).click()
  await page.getByRole('heading', { name: 'Inbox' }).waitFor()
  return new URL(page.url()).pathname
}

const LOOKS = [
  { viewport: PHONE, colorScheme: 'dark' as const },
  { viewport: DESK, colorScheme: 'light' as const },
]

/** `npm test` checks the accessibility of a screen in one of the two, `npm run prove` in both. */
const isChecked = (nth: number, turn: number): boolean => isProof('PROVE_LOOKS') || nth % 2 === turn

/** What is wrong with the screen that is open. */
async function problemsOf(page: Page, nth: number): Promise<string[]> {
  const found: string[] = []
  // A screen begins as the one before it ended, because a change draws everything again.
  for (const [turn, { viewport, colorScheme }] of nth % 2 === 0
    ? [...LOOKS.entries()]
    : [...LOOKS.entries()].reverse()) {
    await page.setViewportSize(viewport)
    await page.emulateMedia({ colorScheme })
    if (isChecked(nth, turn)) found.push(...(await accessibilityProblems(page)))
    const width = await pageWidth(page)
    if (width > viewport.width) found.push(`is ${width} pixels wide`)
  }
  const title = await page.title()
  if (!/^\S.* – Countersign$/.test(title)) found.push(`is called ${title}`)
  return found
}

test('signs in, creates an organization, and finds every screen ready', async () => {
  const visitor = await visit(application, LOOKS[0])
  const { page, troubles } = visitor
  await signIn(application, visitor, 'Ana Ruiz')
  const organization = await openOrganization(visitor, 'Company of Ana Ruiz')
  await page.getByText('Nothing needs you right now').waitFor()
  await expect.poll(() => page.getByText('live', { exact: true }).count()).toBe(1)

  const problems: string[] = []
  const paths = [...SCREENS.map((screen) => organization + screen), ...PERSONAL]
  for (const [nth, path] of paths.entries()) {
    await open(page, path)
    const found = await problemsOf(page, nth)
    problems.push(...found.map((problem) => `${path}: ${problem}`))
  }
  expect(problems).toEqual([])
  expect(troubles).toEqual([])

  const readable = await page.evaluate<string>(
    'document.cookie + JSON.stringify({ ...localStorage })',
  )
  expect(readable).not.toMatch(/eyJ|token/i)
  await visitor.context.close()
})

test('opening the inbox asks for everything once, and again for what may be old', async () => {
  const visitor = await visitAs(application, 'Dana Levi')
  const { page } = visitor
  await page.goto(application.origin)
  const path = await openOrganization(visitor, 'Renamed Company')
  await page.getByText('live', { exact: true }).waitFor()
  // What the first page still asks for must not be counted.
  await page.goto('about:blank')
  const asked: string[] = []
  page.on('request', (request) => void asked.push(new URL(request.url()).pathname))
  // As if it had been renamed between this answer and the first snapshot: no event tells.
  await page.route(
    '**/v1/consumer/me',
    async (route) => {
      const answer = await route.fetch()
      const body = (await answer.text()).replaceAll('Renamed Company', 'Former Company')
      await route.fulfill({ response: answer, body })
    },
    { times: 1 },
  )
  await page.goto(application.origin + path)
  await page.getByText('Nothing needs you right now').waitFor()
  await page.getByText('Renamed Company').first().waitFor()
  expect(await page.getByText('Former Company').count()).toBe(0)
  const often = (end: string) => asked.filter((each) => each.endsWith(end)).length
  expect({
    session: often('/session'),
    config: often('/config'),
    snapshot: often('/live/snapshot'),
    me: often('/me'),
  }).toEqual({ session: 1, config: 1, snapshot: 1, me: 2 })
  // Only the application asks for it, before the snapshot or after.
  expect([1, 2]).toContain(often('/overview'))
  await visitor.context.close()
})

test('an address of a screen leads through sign-in to that screen', async () => {
  const visitor = await visit(application)
  const { page } = visitor
  await page.goto(`${application.origin}/wallets`)
  await page.getByRole('link', { name: 'Continue' }).click()
  await page.getByLabel('Name').fill('Chidi Eze')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL(`${application.origin}/wallets`)
  await visitor.context.close()
})

test('a script that was changed on its way is refused, and the page says so', async () => {
  const visitor = await visitAs(application, 'Dora Novak')
  const { page, troubles } = visitor
  await page.route('**/assets/wallets-page-*.js', async (route) => {
    const answer = await route.fetch()
    await route.fulfill({ response: answer, body: `${await answer.text()} ` })
  })
  await page.goto(`${application.origin}/wallets`)
  await page.getByRole('heading', { name: 'This page could not be shown' }).waitFor()
  expect(troubles.join()).toMatch(/integrity/)
  await visitor.context.close()
})

test('a feed that was opened again is connecting, not ended', async () => {
  const visitor = await visitAs(application, 'Rosa Keller')
  const { page, context } = visitor
  const isOpen = Promise.withResolvers<void>()
  let opened = 0
  await page.route('**/live/stream*', async (route) => {
    opened += 1
    if (opened === 1) {
      return route.fulfill({ contentType: 'text/event-stream', body: ': end: replaced\n\n' })
    }
    await isOpen.promise
    await route.abort()
  })
  await page.goto(application.origin)
  await openOrganization(visitor, 'Company of Rosa Keller')
  await page.getByRole('button', { name: 'Reconnect here' }).click()
  await page.getByText('connecting', { exact: true }).waitFor()
  expect(await page.getByText('Open in too many windows').count()).toBe(0)
  isOpen.resolve()
  await context.close()
})

test('a clipboard that the browser refuses is reported', async () => {
  const { page, context, troubles } = await visitAs(application, 'Rosa Keller')
  // As on a page without https.
  await page.addInitScript(
    "Object.defineProperty(Navigator.prototype, 'clipboard', { get: () => undefined })",
  )
  await page.goto(`${application.origin}/settings`)
  await page.getByRole('button', { name: /^Copy/ }).first().click()
  await page.getByText('Your browser did not allow copying').first().waitFor()
  expect(troubles).toEqual([])
  await context.close()
})

test('the button of an invitation stays where it is when the name arrives', async () => {
  const { page, context } = await visitAs(application, 'Nora Visitor', { viewport: PHONE })
  const arriving = Promise.withResolvers<void>()
  await page.route('**/v1/consumer/me', async (route) => {
    await arriving.promise
    await route.continue()
  })
  await page.goto(`${application.origin}/join/${'a'.repeat(43)}`)
  const accept = page.getByRole('button', { name: 'Accept the invitation' })
  await accept.waitFor()
  // The text has another width until its font is there.
  await page.evaluate('document.fonts.ready.then(() => {})')
  const before = await accept.boundingBox()
  arriving.resolve()
  await page.getByText('You are signed in as Nora Visitor.').waitFor()
  expect(await accept.boundingBox()).toEqual(before)
  await context.close()
})

const MOVES = `
  window.moved = 0
  new PerformanceObserver((list) => list.getEntries().forEach(({ value }) => { moved += value }))
    .observe({ type: 'layout-shift' })`

test('nothing on the screen of people moves when its lists come late', async () => {
  const visitor = await visitAs(application, 'Mira Tanaka')
  const { page, context } = visitor
  await page.goto(application.origin)
  const organization = await openOrganization(visitor, 'Company of Mira Tanaka')
  const arriving = Promise.withResolvers<void>()
  await page.route(/\/(members|pending-members|invitations)(\?|$)/, async (route) => {
    await arriving.promise
    await route.continue()
  })
  await page.evaluate(`history.pushState({}, '', '${organization}/people')`)
  await page.getByRole('heading', { name: 'Members' }).waitFor()
  await page.getByRole('status', { name: 'Loading' }).waitFor()
  await page.evaluate(MOVES)
  arriving.resolve()
  await page.getByRole('heading', { name: 'Leave the organization' }).waitFor()
  // A movement is reported after the frame that shows it.
  const shown = 'new Promise((shown) => requestAnimationFrame(() => requestAnimationFrame(shown)))'
  await page.evaluate(shown)
  expect(await page.evaluate<number>('moved')).toBeLessThan(0.002)
  await context.close()
})

test('a button sets up a demo organization, and the page tells how far it is', async () => {
  const { service } = application
  // Time on a chain does not go back: after this, the demo has no room for a history.
  const about = await readAbout(service.helper)
  await fund(service.helper, makeWallet(about), { native: '1', token: '0' })
  const { page, context, troubles } = await visitAs(application, 'Nora Visitor')
  await page.goto(application.origin)
  await page.getByRole('button', { name: 'Set up a demo organization' }).click()
  await page.getByText(/^Setting up: \S/).waitFor()
  // `npm run prove` waits for the end, which takes as long as the start of `furnished.test.ts`.
  if (isProof('PROVE_DEMO')) await expectDemoOfToday(page)
  expect(troubles).toEqual([])
  await context.close()
}, 600_000)

async function expectDemoOfToday(page: Page): Promise<void> {
  const { service } = application
  const open = page.getByRole('button', { name: 'Open the demo organization' })
  await open.waitFor({ timeout: 500_000 })
  await page.getByText('Its history is of one day').waitFor()
  await open.click()
  await page.waitForURL(/\/organizations\//)
  await page.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor()

  const record = await readDemoRecord(service.place.folder)
  const { organizationId = '', people: [ana] = [] } = record ?? {}
  const { client } = await openSessionAs(service, { subject: ana?.subject ?? '' })
  const { counts } = must(await client.call('countExpenses', { path: { organizationId } }))
  expect(counts).toMatchObject({ paid: 39, needs_review: 6, awaiting_approval: 7, blocked: 2 })
}
