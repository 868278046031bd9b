/** Streams that end, people who change, and a network that goes away. */
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { must } from '#dev/demo-client.ts'
import { expenseToReview, expenseToSign } from '#test/browser/furnished.ts'
import {
  askedToSign,
  button,
  changesSentBy,
  enter,
  see,
  stage,
} from '#test/browser/hostile-stage.ts'

const isStream = ({ pathname }: URL) => pathname.endsWith('/live/stream')
const isSnapshot = ({ pathname }: URL) => pathname.endsWith('/live/snapshot')

/** The first connection says this and ends. Those after it are real. */
const streamOnce = (page: Page, body: string): Promise<unknown> =>
  page.route(isStream, (route) => route.fulfill({ contentType: 'text/event-stream', body }), {
    times: 1,
  })

const openInbox = async (before: (page: Page) => Promise<unknown>) => {
  const { application, house, approver } = stage()
  const page = await approver.page()
  await before(page)
  await page.goto(application.origin + house.screens)
  return page
}
const isLive = (page: Page) => page.getByText('live', { exact: true }).waitFor()

describe('a stream', () => {
  test('that resets is followed from a new snapshot, and the screen is read again', async () => {
    let [snapshots, overviews] = [0, 0]
    const page = await openInbox(async (own) => {
      own.on('request', (sent) => {
        const url = new URL(sent.url())
        if (isSnapshot(url)) snapshots += 1
        if (url.pathname.endsWith('/overview')) overviews += 1
      })
      await streamOnce(own, 'event: stream.reset\ndata: {"kind":"stream.reset"}\n\n')
    })
    await page.getByRole('heading', { name: 'Inbox' }).waitFor()
    await isLive(page)
    await expect.poll(() => snapshots).toBeGreaterThan(1)
    await expect.poll(() => overviews).toBeGreaterThan(1)
  })

  test('that another window took over says so, and comes back when asked', async () => {
    const page = await openInbox((own) => streamOnce(own, ': end: replaced\n\n'))
    await page.getByRole('heading', { name: 'Inbox' }).waitFor()
    await see(page, 'Open in too many windows')
    await see(page, 'This page is not updating by itself.')
    await button(page, 'Reconnect here').click()
    await isLive(page)
  })

  test('that loses access ends the page with it', async () => {
    // The stream may end before the Inbox was drawn.
    const page = await openInbox((own) => streamOnce(own, ': end: access\n\n'))
    await see(page, 'You are not a member of this organization')
    await page.getByRole('link', { name: 'Go to your organizations' }).waitFor()
  })
})

test('ten minutes offline: news has its age, nothing is signed, and it comes back', async () => {
  const { application, house, approver } = stage()
  const expenseId = await expenseToSign(house, { purpose: 'Flyers' })
  const page = await approver.page()
  await page.clock.install()
  await page.goto(`${application.origin}${house.screens}/expenses/${expenseId}/sign`)
  await button(page, 'Check and continue').click()
  const sign = button(page, 'Sign in wallet')
  await sign.waitFor()
  await isLive(page)
  await page.context().setOffline(true)
  await expect.poll(() => sign.getAttribute('aria-disabled')).toBe('true')
  for (let minute = 0; minute < 10; minute += 1) await page.clock.fastForward(60_000)
  await see(page, 'This page is not updating by itself.')
  await sign.click({ force: true })
  expect(askedToSign(approver)).toEqual([])
  await page.context().setOffline(false)
  await expect.poll(() => sign.getAttribute('aria-disabled')).toBeNull()
  await expect
    .poll(async () => {
      await page.clock.fastForward(5_000)
      return page.getByText('live', { exact: true }).count()
    })
    .toBe(1)
  expect(await page.getByText('This page is not updating by itself.').count()).toBe(0)
})

describe('what was typed', () => {
  const typeRevision = async (page: Page, expenseId: string) => {
    const { application, house } = stage()
    await page.goto(`${application.origin}${house.screens}/expenses/${expenseId}/revise`)
    await page.getByLabel('What is it for?').fill('Typed with care')
    await page.getByLabel('What did you change, and why?').fill('A better price')
  }
  const expectTyped = async (page: Page) => {
    expect(await page.getByLabel('What is it for?').inputValue()).toBe('Typed with care')
    const why = page.getByLabel('What did you change, and why?')
    expect(await why.inputValue()).toBe('A better price')
  }

  test('survives a newer version, and another person in the same browser', async () => {
    const { application, house } = stage()
    const { employee, recipient, vault } = house
    const expenseId = await expenseToReview(house, { purpose: 'Banners' })
    const person = await enter(application, house, employee)
    const page = await person.page()
    const changes = changesSentBy(page)
    await typeRevision(page, expenseId)

    const path = { ...house.path, expenseId }
    const body = {
      vaultId: vault.id,
      recipientId: recipient.id,
      purpose: 'Somebody was faster',
      amountBaseUnits: '12000000',
      requestedMode: 'approved' as const,
      expectedVersion: 1,
      reason: 'Another window',
    }
    must(await employee.client.call('reviseExpense', { path, body }))
    await see(page, 'There is a newer revision. What you typed is still here.')
    await expectTyped(page)
    await button(page, 'Save only').click()
    expect(changes).toEqual([])

    // Another tab of the browser becomes somebody else.
    const other = await page.context().newPage()
    await other.goto(`${application.origin}/session/sign-in`)
    await other.getByLabel('Name').fill('Kestrel Stranger')
    await other.getByRole('button', { name: 'Sign in' }).click()
    await other.waitForURL(`${application.origin}/**`)
    await see(page, 'You are now signed in as Kestrel Stranger. Reload to go on.')
    await expectTyped(page)
    await button(page, 'I have seen it. Continue from there').click()
    const refused = page.waitForResponse((answer) => answer.status() === 409)
    await button(page, 'Save only').click()
    expect((await (await refused).json()).error.code).toBe('account_changed')
    await expectTyped(page)
    const now = must(await employee.client.call('getExpense', { path }))
    expect(now.currentRevision).toBe(2)
    await person.close()
  })
})

test('a member who is removed is told at once', async () => {
  const { application, house } = stage()
  const { owner, employee, path } = house
  const person = await enter(application, house, employee)
  const page = await person.screen(house.screens)
  await isLive(page)
  const { members } = must(await owner.client.call('listMembers', { path }))
  const gone = members.find(({ accountId }) => accountId === employee.accountId)
  const own = { ...path, membershipId: gone?.membershipId ?? '' }
  must(await owner.client.call('revokeMember', { path: own }))
  await see(page, 'You are not a member of this organization')
  await person.close()
})
