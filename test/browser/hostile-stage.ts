/** One service and one organization for all hostile pages, and what each case looks at. */
import type { CDPSession, Locator, Page, Request as Sent } from 'playwright-core'
import { expect } from 'vitest'
import { type Application, openApplication, visitAs } from '#test/browser/application.ts'
import { type Colleague, type Furnished, furnish } from '#test/browser/furnished.ts'
import { announceWallet, type TestWallet } from '#test/browser/test-wallet.ts'
import { open } from '#test/browser/walk.ts'

export type Person = {
  wallet: TestWallet
  /** A page with nothing in it, to be spoiled at will. The wallet is honest again. */
  page(): Promise<Page>
  /** A page at a screen of the application, which is loaded only if it is not there yet. */
  screen(path: string): Promise<Page>
  close(): Promise<void>
}

export type Stage = {
  application: Application
  house: Furnished
  approver: Person
  owner: Person
}

/** A person who is signed in and has connected the wallet before. */
export async function enter(
  application: Application,
  { about }: Furnished,
  { name, key }: Pick<Colleague, 'name' | 'key'>,
): Promise<Person> {
  const visitor = await visitAs(application, name)
  const { context } = visitor
  const wallet = await announceWallet(context, { ...about, key })
  await context.addInitScript({
    content: `addEventListener('eip6963:announceProvider', ({ detail: { info } }) => {
      if (info.name === 'Test wallet') localStorage.setItem('countersign.wallet', info.rdns)
    })`,
  })
  const { page } = visitor
  const beAlone = async () => {
    for (const other of context.pages()) if (other !== page) await other.close()
    Object.assign(wallet, { key, chainId: about.chainId, answer: 'confirm', instead: {} })
    wallet.alter = (typedData) => typedData
    wallet.requests.length = 0
  }
  return {
    wallet,
    async page() {
      await clean(page)
      await beAlone()
      return page
    },
    async screen(path) {
      page.removeAllListeners()
      await beAlone()
      await wallet.emit(page, 'accountsChanged', [wallet.address()])
      await goTo(page, application.origin + path)
      return page
    },
    close: () => context.close(),
  }
}

/** Of the application's own origin, and without any script. */
const BARE = '/build.json'

/** Loading the application again takes twice as long in a new page as in one that was used. */
async function clean(page: Page): Promise<void> {
  page.removeAllListeners()
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  await beHonest(page)
  // Nothing of the case before asks anything any more. A blank page would take another process.
  const { origin, protocol } = new URL(page.url())
  if (protocol !== 'about:') await page.goto(origin + BARE)
}

/** Through a screen without a vault, because a screen does not follow itself. */
async function goTo(page: Page, url: string): Promise<void> {
  const { origin, pathname } = new URL(url)
  const isLoaded = page.url().startsWith(origin) && !page.url().endsWith(BARE)
  if (!isLoaded) {
    await page.goto(url)
    return
  }
  await open(page, '/settings')
  await open(page, pathname)
}

let opened: Stage | undefined

export const stage = (): Stage => {
  if (!opened) throw new Error('The stage is not open.')
  return opened
}

export async function openStage(): Promise<void> {
  const application = await openApplication()
  try {
    const house = await furnish(application.service, 'Kestrel')
    const approver = await enter(application, house, house.approver)
    const owner = await enter(application, house, house.owner)
    opened = { application, house, approver, owner }
  } catch (error) {
    await application.close()
    throw error
  }
}

export const closeStage = (): Promise<void> | undefined => opened?.application.close()

// biome-ignore lint/suspicious/noExplicitAny: answers of the service, changed field by field
export type Answer = any

/** What another body makes wrong. */
const OF_THE_BODY = /^content-(?:encoding|length)$/i

type Paused = {
  requestId: string
  responseStatusCode?: number
  responseHeaders?: { name: string; value: string }[]
}

async function answerWith(
  session: CDPSession,
  { requestId, responseStatusCode = 200, responseHeaders = [] }: Paused,
  change: (answer: Answer) => void,
): Promise<void> {
  const { body, base64Encoded } = await session.send('Fetch.getResponseBody', { requestId })
  const bytes = Buffer.from(body, base64Encoded ? 'base64' : 'utf8')
  const answer: Answer = JSON.parse(bytes.toString())
  change(answer)
  await session.send('Fetch.fulfillRequest', {
    requestId,
    responseCode: responseStatusCode,
    responseHeaders: responseHeaders.filter(({ name }) => !OF_THE_BODY.test(name)),
    body: Buffer.from(JSON.stringify(answer)).toString('base64'),
  })
}

const spoiled = new WeakMap<Page, Set<CDPSession>>()

/**
 * Changes what the service answers at a path, after it has answered. The page cannot tell. Only
 * these answers are held: a route of Playwright would have every script fetched and compiled again.
 */
export async function tamper(
  page: Page,
  path: string,
  change: (answer: Answer) => void,
): Promise<void> {
  const session = await page.context().newCDPSession(page)
  const sessions = spoiled.get(page) ?? new Set()
  spoiled.set(page, sessions.add(session))
  session.on('Fetch.requestPaused', async (paused) => {
    const { pathname } = new URL(paused.request.url)
    const { requestId } = paused
    const answering =
      pathname === path
        ? answerWith(session, paused, change)
        : session.send('Fetch.continueRequest', { requestId })
    await answering.catch((error: unknown) => {
      // A page that was left needs no answer.
      if (sessions.has(session) && !page.isClosed()) throw error
    })
  })
  const patterns = [{ urlPattern: `*${path}*`, requestStage: 'Response' as const }]
  await session.send('Fetch.enable', { patterns })
}

/** The service answers for itself again. */
export async function beHonest(page: Page): Promise<void> {
  const sessions = spoiled.get(page) ?? new Set()
  const left = [...sessions]
  sessions.clear()
  if (!page.isClosed()) await Promise.all(left.map((session) => session.detach()))
}

const SIGNING = new Set(['eth_signTypedData_v4', 'eth_sendTransaction', 'personal_sign'])

/** What the wallet was asked to sign or to send. */
export const askedToSign = ({ wallet }: Person): string[] =>
  wallet.requests.map(({ method }) => method).filter((method) => SIGNING.has(method))

/** What the page sent that could change something. */
export function changesSentBy(page: Page): string[] {
  const changes: string[] = []
  page.on('request', (request: Sent) => {
    const { pathname } = new URL(request.url())
    const isRead = ['GET', 'HEAD', 'OPTIONS'].includes(request.method())
    if (!isRead && pathname.startsWith('/v1/')) changes.push(`${request.method()} ${pathname}`)
  })
  return changes
}

export const see = (page: Page, text: string | RegExp): Promise<void> =>
  page.getByText(text).first().waitFor()

export const button = (page: Page, name: string | RegExp): Locator =>
  page.getByRole('button', { name })

/** There is no way on: nothing to press, and nothing was asked of the wallet. */
export async function expectNoSignature(page: Page, person: Person): Promise<void> {
  expect(await button(page, /^Sign/).count()).toBe(0)
  expect(askedToSign(person)).toEqual([])
}
