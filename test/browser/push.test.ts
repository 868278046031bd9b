/** Push messages in a real browser: who shows them, the page in front or the system. */
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  type Application,
  openApplication,
  type Visitor,
  visitAs,
} from '#test/browser/application.ts'

let application: Application

beforeAll(async () => {
  application = await openApplication()
})
afterAll(() => application?.close())

/** As a push service does. Headless browsers have none to subscribe to. */
async function messenger({ page, context }: Visitor) {
  const session = await context.newCDPSession(page)
  const registered = new Promise<string>((resolve) => {
    session.on('ServiceWorker.workerRegistrationUpdated', ({ registrations: [worker] }) => {
      if (worker) resolve(worker.registrationId)
    })
  })
  await session.send('ServiceWorker.enable')
  const registrationId = await registered
  const { origin } = new URL(page.url())
  return (message: unknown) =>
    session.send('ServiceWorker.deliverPushMessage', {
      origin,
      registrationId,
      data: JSON.stringify(message),
    })
}

/** A headless shell shows nothing, so since version 156 it says that notifications are denied. */
const grantNotifications = (page: Page) =>
  page.addInitScript(`
    Object.defineProperty(Notification, 'permission', { get: () => 'granted' })
    Notification.requestPermission = async () => 'granted'`)

/** Keeps what the system is asked to show, which a headless shell cannot be asked for. */
const keepNotifications = async (context: BrowserContext): Promise<unknown> =>
  context.serviceWorkers()[0]?.evaluate(`(() => {
    self.shown = []
    registration.showNotification = async (title, options) => {
      self.shown.push({ title, body: options.body, about: options.data.eventId })
    }
  })()`)

const shownNotifications = async (context: BrowserContext): Promise<unknown> =>
  context.serviceWorkers()[0]?.evaluate('self.shown')

/** As the service worker sees it, which may be a moment later. */
const isInFront = async (context: BrowserContext): Promise<unknown> =>
  context.serviceWorkers()[0]?.evaluate(`clients
    .matchAll({ type: 'window', includeUncontrolled: true })
    .then((list) => list.some(({ focused }) => focused))`)

/** Somebody who has turned push messages on in this browser. */
async function visitWithDevice() {
  const visitor = await visitAs(application, 'Emre Aydin', { permissions: ['notifications'] })
  const { page, context } = visitor
  await grantNotifications(page)
  await page.goto(`${application.origin}/notifications`)
  await page.getByRole('button', { name: 'Turn on' }).click()
  await page.getByText("The browser's push service could not be reached").waitFor()
  const deliver = await messenger(visitor)
  await keepNotifications(context)
  return { page, context, deliver }
}

test('a push message is shown in the open page, or by the system without names', async () => {
  const { page, context, deliver } = await visitWithDevice()
  await page.getByRole('link', { name: 'Wallets' }).click()
  const eventId = '0197f0a0-0000-7000-8000-000000000001'

  await expect.poll(() => isInFront(context)).toBe(true)
  await deliver({ eventId, category: 'approval_needed' })
  await page.getByText('An expense needs your signature').first().waitFor()
  expect(await shownNotifications(context)).toEqual([])

  // A page behind another one still counts as focused in a headless shell.
  await page.goto('about:blank')
  await expect.poll(() => isInFront(context)).toBe(false)
  await deliver({ eventId, category: 'payment_confirmed', amount: '75.00', title: 'Pay here' })
  const title = 'Countersign'
  const paid = { title, body: 'An expense of yours was paid.', about: eventId }
  await expect.poll(() => shownNotifications(context)).toEqual([paid])
  await deliver({ eventId: 'https://elsewhere.example', category: 'constructor' })
  const news = { title, body: 'There is news in Countersign.', about: null }
  await expect.poll(() => shownNotifications(context)).toEqual([paid, news])
  await context.close()
})

test('a push message in front of a page that cannot show it is shown by the system', async () => {
  const { page, context, deliver } = await visitWithDevice()
  const eventId = '0197f0a0-0000-7000-8000-000000000002'

  await page.goto(`${application.origin}/verify`)
  await expect.poll(() => isInFront(context)).toBe(true)
  await deliver({ eventId, category: 'approval_needed' })
  const due = { title: 'Countersign', body: 'An expense needs your signature.', about: eventId }
  await expect.poll(() => shownNotifications(context)).toEqual([due])
  await context.close()
})
