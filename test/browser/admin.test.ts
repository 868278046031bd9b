/** The administrator application beside the consumer application, in one browser. */
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { addSession, DESK } from '#test/browser/application.ts'
import { expectSignedOut, settle } from '#test/browser/operator-page.ts'
import { screenProblems } from '#test/browser/screens.ts'
import { open } from '#test/browser/walk.ts'
import { type House, house } from '#test/security/house.ts'
import { startTestApp, type TestApp } from '#test/support/app.ts'
import { launchBrowser } from '#test/support/browser.ts'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { openCase } from '#test/support/operators.ts'
import { liftOwnersRowSecurity } from '#test/support/steps.ts'
import { PROPOSAL_ID, writeVaultTerms } from '#test/support/vault-terms.ts'

let service: TestApp
let home: House
let consumer: TestGateway
let admin: TestGateway
/** The service cuts off the sections of an organization. */
const SECTION_ROWS_MAX = 100

let browser: Browser
let context: BrowserContext
let operator: Page
let blocked: { id: string; paymentId: string; purpose: string }
const troubles: string[] = []

const run = <Row extends object>(text: string, values: unknown[] = []) =>
  service.database.asOwner<Row>(text, values)
const dist = (name: string) => join(import.meta.dirname, '..', '..', 'apps', name, 'dist')

beforeAll(async () => {
  service = await startTestApp({ streams: { lifetimeMs: 600_000, checkMs: 500 } })
  await service.app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = service.app.server.address() as AddressInfo
  const options = {
    apiUrl: `http://127.0.0.1:${port}`,
    databaseUrl: service.database.url,
    identity: service.identity,
  }
  home = await house(service)
  await liftOwnersRowSecurity(service.database)
  await service.operatorToken('operator')
  await writeBlockedPayment()
  consumer = await startGateway({ ...options, root: dist('consumer') })
  admin = await startGateway({ ...options, realm: 'admin', root: dist('admin') })
  browser = await launchBrowser()
  context = await browser.newContext({ viewport: DESK, locale: 'en-GB', reducedMotion: 'reduce' })
  operator = await openPage()
  await signIn('Operator')
}, 120_000)

afterAll(async () => {
  await browser?.close()
  await admin?.stop()
  await consumer?.stop()
  await service?.stop()
})

async function writeBlockedPayment(): Promise<void> {
  const id = home.signedExpenseId
  const block = "state = 'blocked', block_code = 'insufficient_funds'"
  await run(`update payments set ${block} where expense_id = $1`, [id])
  await run(`update expenses set ${block} where id = $1`, [id])
  const [row] = await run<{ paymentId: string; purpose: string }>(
    `select e.payment_id as "paymentId", r.purpose from expenses e
     join expense_revisions r on r.expense_id = e.id and r.revision = e.current_revision
     where e.id = $1`,
    [id],
  )
  blocked = { id, paymentId: row?.paymentId ?? '', purpose: row?.purpose ?? '' }
}

/** Errors, violations of the policy and requests elsewhere are never right. */
async function openPage(): Promise<Page> {
  const page = await context.newPage()
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) troubles.push(message.text())
  })
  page.on('pageerror', (error) => troubles.push(error.message))
  page.on('request', (request) => {
    const { origin } = new URL(request.url())
    const ours = [admin.origin, admin.helper, consumer.origin, consumer.helper, 'null']
    if (!ours.includes(origin)) troubles.push(`request to ${request.url()}`)
  })
  return page
}

async function signIn(name: string): Promise<void> {
  await operator.goto(admin.origin)
  await operator.getByRole('link', { name: 'Continue' }).click()
  await operator.getByLabel('Name').fill(name)
  await operator.getByRole('button', { name: 'Sign in', exact: true }).click()
  await operator.waitForURL(`${admin.origin}/**`)
}

type Read = { operation: string }
const viewsOfCustomer = async (): Promise<string[]> => {
  const rows = await run<{ data: Read }>(
    `select data from audit_events
     where organization_id = $1 and action = 'operator.read' order by seq`,
    [home.organization.id],
  )
  return rows.map(({ data }) => data.operation)
}

test('a blocked payment is found from a sentence of the customer in three steps', async () => {
  const page = await openPage()
  await page.clock.install()
  await page.goto(admin.origin)
  const asked: string[] = []
  page.on('request', (request) => asked.push(new URL(request.url()).pathname))
  const askedOfCustomer = () => asked.filter((path) => path.includes(home.organization.id))
  // "We are Acme, and a payment of ours does not arrive."
  await page.getByLabel('Search organizations').fill('Acme')
  await page.getByLabel('Search organizations').press('Enter')
  const found = page.getByRole('link', { name: /^Acme/ })
  await found.hover()
  await settle(page, admin)
  expect(askedOfCustomer()).toEqual([])
  expect(await viewsOfCustomer()).toEqual([])

  await found.click()
  await page.getByRole('heading', { name: 'Acme' }).waitFor()
  await page.getByText("Your view is recorded in this organization's audit trail").waitFor()
  const stuck = page.getByRole('list', { name: 'Stuck payments' }).getByRole('link')
  await stuck.filter({ hasText: blocked.purpose }).first().click()

  await page.getByRole('heading', { name: blocked.purpose }).waitFor()
  await page.getByText('insufficient_funds').waitFor()
  await page.getByText('Members can free it themselves').waitFor()
  expect(await viewsOfCustomer()).toEqual(['getAdminOrganization', 'getAdminPayment'])

  await page.evaluate("window.dispatchEvent(new Event('focus'))")
  await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
  await page.evaluate("window.dispatchEvent(new Event('online'))")
  await settle(page, admin)
  expect(askedOfCustomer()).toHaveLength(2)
  expect(await viewsOfCustomer()).toHaveLength(2)
  await page.close()
})

test('a case is answered, and the member sees the answer at once', async () => {
  const { owner } = home.organization
  const subject = 'A payment does not arrive'
  const opened = await openCase(service, home.organization, {
    subject,
    body: 'It has been waiting since Monday.',
    priority: 3,
    expenseId: blocked.id,
  })
  expect(opened.status).toBe(201)
  const member = await openPage()
  await addSession(context, consumer, owner.subject)
  const { id } = opened.body
  await member.goto(`${consumer.origin}/organizations/${home.organization.id}/support-cases/${id}`)
  await member.getByRole('heading', { name: subject }).waitFor()

  await operator.goto(admin.origin)
  // The queue is live: the case has come by itself.
  await operator
    .getByRole('list', { name: 'Needs an operator' })
    .getByRole('link', { name: new RegExp(subject) })
    .click()
  await operator.getByText('It has been waiting since Monday.').waitFor()
  await operator.getByRole('button', { name: 'Show the payment' }).click()
  await operator.getByText('insufficient_funds').waitFor()
  await operator.getByText('reads this at once as a message from support').waitFor()
  await operator.getByLabel('Answer', { exact: true }).fill('Please deposit money.')
  await operator.getByRole('button', { name: 'Send the answer' }).click()
  await operator.getByRole('list', { name: 'Conversation' }).getByText('Please deposit').waitFor()

  await member.getByText('Please deposit money.').waitFor()
  await member.close()
})

test('a vault says how it limits payments, and what waits in it', async () => {
  const { id: organizationId } = home.organization
  const [vault] = await run<{ id: string }>(
    'select id from vaults where organization_id = $1 and policy_version > 0',
    [organizationId],
  )
  await writeVaultTerms(run, { organizationId, vaultId: vault?.id ?? '' })
  await operator.goto(`${admin.origin}/organizations/${organizationId}?section=vaults`)
  for (const text of [
    'none: policies and recipients take effect at once',
    /0\.0009\s*USDC in 1 day, of which 0\.00009\s*USDC automatically/,
    /2 above 0\.0005\s*USDC/,
    '1 can be paid later',
    '1 blocked',
    'Not prepared here',
    PROPOSAL_ID,
  ]) {
    await operator.getByText(text).first().waitFor()
  }
})

test('a payment that lacks a signature waits for members, not for an operator', async () => {
  const { id: expenseId, paymentId } = blocked
  const was = await run<{ state: string }>('select state from payments where id = $1', [paymentId])
  expect(was).toEqual([{ state: 'blocked' }])
  const set = 'update payments set state = $2, block_code = $3, required_approvals = $4'
  await run(`${set} where id = $1`, [paymentId, 'reserved', null, 2])
  await run("update expenses set state = 'awaiting_approval', block_code = null where id = $1", [
    expenseId,
  ])
  await operator.goto(`${admin.origin}/organizations/${home.organization.id}/payments/${paymentId}`)
  await operator.getByText('More approvers of the organization have to sign it').waitFor()
  await operator.getByText('1 of 2 signatures').first().waitFor()
  await run(`${set} where id = $1`, [paymentId, 'blocked', 'insufficient_funds', 1])
  await run(
    "update expenses set state = 'blocked', block_code = 'insufficient_funds' where id = $1",
    [expenseId],
  )
})

/**
 * Neighbours have different headings, which tell that a screen has taken the place of another. The
 * overview first: it is where the stream shows that the page is live.
 */
const screens = (supportCase: string): string[] => {
  const organization = `/organizations/${home.organization.id}`
  const section = (name: string) => `${organization}?section=${name}`
  // The other sections have rows that look like one of these.
  return [
    ...['/', organization, '/organizations', section('payments')],
    ...['/organizations?q=no-such-name', section('approvals')],
    ...['/failures', section('people'), '/unrecorded-payments', section('vaults')],
    ...['/cases', section('executor'), '/health', section('trail')],
    ...['/executors', section('proofs'), `${organization}/payments/${blocked.paymentId}`],
    ...['/trail', '/wallets', '/settings', `/cases/${supportCase}`],
  ]
}

test('every screen is accessible, at a desk and on a phone, in both schemes', async () => {
  const problems: string[] = []
  // From a screen that is none of these.
  await operator.goto(`${admin.origin}/cases?status=closed`)
  await operator.getByRole('heading', { level: 1 }).first().waitFor()
  const [supportCase] = await run<{ id: string }>('select id from support_cases limit 1')
  for (const [nth, path] of screens(supportCase?.id ?? '').entries()) {
    const openScreen = async () => {
      await open(operator, path)
      await expect.poll(() => operator.getByLabel('Loading').count()).toBe(0)
    }
    const found = await screenProblems(operator, nth, openScreen, { rowsMax: SECTION_ROWS_MAX })
    problems.push(...found.map((problem) => `${path}: ${problem}`))
  }
  await operator.setViewportSize(DESK)
  expect(problems).toEqual([])
}, 300_000)

test('no page had an error, broke its policy or asked anybody else', () => {
  expect(troubles).toEqual([])
})

test('a tab stops when the browser becomes another operator', async () => {
  await service.operatorToken('second-operator')
  const { body } = await openCase(service, home.organization, { subject: 'Who answers?' })
  await operator.goto(`${admin.origin}/cases/${body.id}`)
  await operator.getByLabel('Answer', { exact: true }).fill('Typed by the first operator')
  const other = await context.newPage()
  await other.goto(`${admin.origin}/session/sign-in`)
  await other.getByLabel('Name').fill('Second Operator')
  await other.getByRole('button', { name: 'Sign in', exact: true }).click()
  await other.waitForURL(`${admin.origin}/**`)
  await operator.getByText('You are now signed in as second-operator.').waitFor()

  const refused = operator.waitForResponse((answer) => answer.status() === 409)
  await operator.getByRole('button', { name: 'Send the answer' }).click()
  expect((await (await refused).json()).error.code).toBe('account_changed')
  const answer = operator.getByLabel('Answer', { exact: true })
  expect(await answer.inputValue()).toBe('Typed by the first operator')
  const notes = await run('select 1 from support_notes where support_case_id = $1', [body.id])
  expect(notes).toEqual([])
  await other.close()
})

const revokeRole = () => run("update operators set status = 'revoked', revoked_at = now()")

test('an operator whose role is revoked is signed out, and told why', async () => {
  await operator.goto(admin.origin)
  await operator.getByRole('banner').getByText('live', { exact: true }).waitFor()
  await revokeRole()
  await expectSignedOut(operator, admin)
})

test('so is one whose role is revoked between the snapshot and the stream', async () => {
  await run("update operators set status = 'active', revoked_at = null")
  const overview = operator.waitForResponse(`${admin.origin}/v1/admin/overview`)
  // No other read may be the one that is refused.
  const revoked = overview.then(revokeRole)
  await operator.route('**/live/stream', (route) => revoked.then(() => route.continue()))
  await signIn('Operator')
  await expectSignedOut(operator, admin)
})
