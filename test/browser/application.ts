/** The application as a person meets it: `npm start`, and a real browser. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { cleanUp, type Environment, freePort } from '#test/processes/processes.ts'
import { makePlace, type Service, startService } from '#test/processes/service.ts'
import { launchBrowser } from '#test/support/browser.ts'
import { createTestDatabase } from '#test/support/database.ts'
import { openBrowser } from '#test/support/web-browser.ts'

export type Application = {
  service: Service
  browser: Browser
  origin: string
  close(): Promise<void>
}

type Start = {
  args?: string[]
  /** What it says on its way, where all of it takes longer than a wait for one text. */
  chapters?: RegExp[]
  /** With a PostgreSQL of its own, as a person has it. A database of the run's starts faster. */
  ownPostgres?: boolean
  env?: Environment
}

/** A test asks more in a minute than a person does, and would wait for most of the next one. */
const NO_LIMIT = { RATE_LIMIT_PER_ACCOUNT: '1000000' }

export async function openApplication({
  args = [],
  chapters = [],
  ownPostgres = false,
  env = {},
}: Start = {}): Promise<Application> {
  const place = await makePlace()
  const port = await freePort()
  const database = ownPostgres ? undefined : await createTestDatabase({ plansByValues: false })
  const settings = {
    WEB_PORT: String(port),
    ...(database && { ...NO_LIMIT, DATABASE_URL: database.url }),
    ...env,
  }
  const [service, browser] = await Promise.all([
    startService(place, settings, args, chapters),
    launchBrowser(),
  ])
  return {
    service,
    browser,
    origin: `http://127.0.0.1:${port}`,
    async close() {
      await browser.close()
      service.kill('SIGTERM')
      await service.ended
      await cleanUp()
      await database?.drop()
    },
  }
}

/** What must never happen on any page: errors, violations of the policy, requests elsewhere. */
type Troubles = string[]

export type Visitor = { page: Page; context: BrowserContext; troubles: Troubles }

/** For what takes a second on a quiet machine. */
const WAIT_MS = 90_000

export const PHONE = { width: 390, height: 844 }
export const TABLET = { width: 768, height: 1024 }
export const DESK = { width: 1440, height: 900 }

export async function visit(
  { browser, origin, service }: Application,
  options: BrowserContextOptions = {},
): Promise<Visitor> {
  const quiet = { viewport: DESK, locale: 'en-GB', reducedMotion: 'reduce' as const }
  const context = await browser.newContext({ ...quiet, ...options })
  context.setDefaultTimeout(WAIT_MS)
  const page = await context.newPage()
  const troubles: Troubles = []
  const ours = [origin, service.helper]
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) troubles.push(message.text())
  })
  page.on('pageerror', (error) => troubles.push(error.message))
  page.on('request', (request) => {
    const url = request.url()
    const isOurs = ours.some((start) => url.startsWith(start)) || /^(?:data|blob):/.test(url)
    if (!isOurs) troubles.push(`request to ${url}`)
  })
  return { page, context, troubles }
}

/** A wait that failed says little; what the page says instead tells why. */
export const tellPage = (page: Page) => async (error: Error) => {
  const text = await page.locator('body').innerText()
  throw new Error(`${error.message}\nThe page at ${page.url()} says: ${text}`)
}

/** Signs in without pages, which other tests do with them. */
export async function addSession(
  context: BrowserContext,
  { origin }: Pick<Application, 'origin'>,
  name: string,
): Promise<void> {
  const { jar, signIn } = openBrowser(origin)
  await signIn(name)
  const kept = { url: origin, httpOnly: true, sameSite: 'Strict' as const }
  await context.addCookies([...jar].map(([cookie, value]) => ({ ...kept, name: cookie, value })))
}

/** Somebody who has signed in before. Nothing is loaded yet. */
export async function visitAs(
  application: Application,
  name: string,
  options: BrowserContextOptions = {},
): Promise<Visitor> {
  const visitor = await visit(application, options)
  await addSession(visitor.context, application, name)
  return visitor
}

/** Through the development provider's own page. */
export async function signIn({ origin }: Application, { page }: Visitor, name: string) {
  await page.goto(origin)
  await page.getByRole('link', { name: 'Continue' }).click().catch(tellPage(page))
  await page.getByLabel('Name').fill(name)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL(`${origin}/**`)
}

const axeSource = readFileSync(
  createRequire(import.meta.url).resolve('axe-core/axe.min.js'),
  'utf8',
)

const LEVELS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']

/** Violations of WCAG 2.2 A and AA, one line each. Evaluated past the page's own policy. */
export async function accessibilityProblems(page: Page): Promise<string[]> {
  const session = await page.context().newCDPSession(page)
  const evaluate = (expression: string) =>
    session.send('Runtime.evaluate', { awaitPromise: true, returnByValue: true, expression })
  const { result: known } = await evaluate('typeof axe')
  if (known.value === 'undefined') await evaluate(`${axeSource}; undefined`)
  // No rule of these levels reads style sheets, which are otherwise parsed for each run.
  // What holds needs no report, which would describe every element of the page.
  const options = { runOnly: LEVELS, reporter: 'raw', preload: false }
  const { result } = await evaluate(`axe.run(document, ${JSON.stringify(options)}).then((rules) =>
    rules.filter(({ violations }) => violations.length > 0).map(({ id, violations }) =>
      id + ': ' + violations.slice(0, 3).map(({ node }) => node.selector.join(' ')).join(' | ')))`)
  await session.detach()
  return result.value as string[]
}
