/** `npm start -- --demo`: what is furnished, and how every screen looks with it. */
import { checkEvidence } from '@countersign/proof/check-evidence.ts'
import type { Evidence } from '@countersign/proof/evidence.ts'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createPaymentWitness } from '#adapters/chain/payment-facts.ts'
import { must, openSessionAs } from '#dev/demo-client.ts'
import { readDemoRecord } from '#dev/demo-record.ts'
import {
  type Application,
  DESK,
  openApplication,
  PHONE,
  TABLET,
  visitAs,
} from '#test/browser/application.ts'
import { screenProblems } from '#test/browser/screens.ts'
import { hardCodedTexts, open, screensOf } from '#test/browser/walk.ts'
import { startService } from '#test/processes/service.ts'

// Most of a minute by itself, and several on a machine that is busy with other tests.
vi.setConfig({ testTimeout: 600_000 })

let demo: Application

beforeAll(async () => {
  // Chapter by chapter, because all of them may take longer than a wait for one text.
  const chapters = [/Employees file expenses/, /(?:The expenses of .*\s+){4}/, /Support answers/]
  demo = await openApplication({ args: ['--demo'], chapters, ownPostgres: true })
}, 300_000)
afterAll(() => demo?.close())

async function asAna() {
  const record = await readDemoRecord(demo.service.place.folder)
  const { organizationId = '', people: [ana] = [] } = record ?? {}
  const { client } = await openSessionAs(demo.service, { subject: ana?.subject ?? '' })
  return { record, path: { organizationId }, client }
}

async function enterAsAna() {
  const visitor = await visitAs(demo, 'Ana Ruiz', { hasTouch: true })
  await visitor.page.goto(demo.origin)
  await visitor.page.getByRole('heading', { level: 1 }).first().waitFor()
  return { ...visitor, screens: Object.entries(await screensOf(visitor.page)) }
}

let entered: ReturnType<typeof enterAsAna> | undefined
/** One page for most tests, at a desk: it has loaded the application once. */
const ana = async () => {
  entered ??= enterAsAna()
  await (await entered).page.setViewportSize(DESK)
  return entered
}

test('an organization is furnished with four months of payments that verify', async () => {
  const { service } = demo
  expect(service.stdout()).toMatch(/\n {2}Demo {5}sign in as “Ana Ruiz” \(owner\)/)
  const { record, path, client } = await asAna()
  expect(record?.people).toHaveLength(15)

  const { counts } = must(await client.call('countExpenses', { path }))
  const present = Object.entries(counts).filter(([, count]) => count !== 0)
  expect(Object.fromEntries(present)).toEqual({
    draft: 3,
    needs_review: 6,
    revision_requested: 3,
    awaiting_approval: 7,
    paid: 39,
    rejected: 3,
    cancelled: 2,
    blocked: 2,
  })
  const { groups, total } = must(await client.call('getSpending', { path, query: { by: 'vault' } }))
  const sum = groups.reduce((all, one) => all + BigInt(one.amountBaseUnits), 0n)
  expect([groups.length, String(sum)]).toEqual([2, total])

  const spending = must(await client.call('getSpending', { path, query: { by: 'month' } }))
  const months = spending.groups.filter(({ count }) => count > 0)
  expect(months.length).toBeGreaterThanOrEqual(4)
  expect(record?.history).toBe('months')

  const query = { state: ['paid' as const], limit: 100 }
  const { expenses } = must(await client.call('listExpenses', { path, query }))
  const witnesses = [createPaymentWitness(service.rpc)]
  for (const paid of [expenses.at(0), expenses.at(-1)]) {
    const own = { ...path, paymentId: paid?.paymentId ?? '' }
    const { evidence } = must(await client.call('getPayment', { path: own }))
    expect((await checkEvidence(evidence as Evidence, {})).verdict).toBe('consistent')
    expect((await checkEvidence(evidence as Evidence, { witnesses })).verdict).toBe('verified')
  }
})

test('its vaults show periods, several signatures, a block and a policy that waits', async () => {
  const { path, client } = await asAna()
  const { vaults } = must(await client.call('listVaults', { path }))
  const vaultOf = async (label: string) => {
    const vaultId = vaults.find((one) => one.label === label)?.id ?? ''
    return must(await client.call('getVault', { path: { ...path, vaultId } }))
  }
  const main = await vaultOf('Main')
  expect(main.policy).toMatchObject({
    periodSeconds: 86_400,
    periodCap: '9000000000',
    tiers: [{ above: '3000000000', approvals: 2 }],
  })
  expect(main.blockedRecipientAddresses).toHaveLength(1)
  const events = await vaultOf('Events')
  expect(events).toMatchObject({ changeDelaySeconds: 259_200, policy: { version: 1 } })
  expect(Date.parse(events.proposal?.activatesAt ?? '')).toBeGreaterThan(Date.now())

  const largest = async (state: 'paid' | 'awaiting_approval') => {
    const { expenses } = must(
      await client.call('listExpenses', { path, query: { state: [state], limit: 100 } }),
    )
    const large = expenses.filter((one) => BigInt(one.revision.amountBaseUnits) > 3_000_000_000n)
    const read = large.map(async ({ id, revision: { amountBaseUnits } }) => {
      const own = { ...path, expenseId: id }
      const expense = must(await client.call('getExpense', { path: own }))
      return [amountBaseUnits, expense.signedApprovals, expense.requiredApprovals]
    })
    return (await Promise.all(read)).sort()
  }
  expect(await largest('paid')).toEqual([
    ['3150000000', 2, 2],
    ['4200000000', 2, 2],
  ])
  // The first signature holds so much of the day that the other one has to wait for tomorrow.
  expect(await largest('awaiting_approval')).toEqual([
    ['4500000000', 0, 2],
    ['4600000000', 1, 2],
  ])
  expect(BigInt(main.period?.remainingBaseUnits ?? '0')).toBeLessThan(4_500_000_000n)
})

test('every date of a payment is that of its day, and none is still to come', async () => {
  const { path, client } = await asAna()
  const query = { state: ['paid' as const], limit: 100 }
  const { expenses } = must(await client.call('listExpenses', { path, query }))
  const now = Date.now()
  const apart: string[] = []
  for (const { id, createdAt, paymentId } of expenses) {
    const own = { ...path, paymentId }
    const { payment, attempts, receipt } = must(await client.call('getPayment', { path: own }))
    const steps = [payment.createdAt, ...attempts.map((one) => one.createdAt), receipt?.confirmedAt]
    const times = steps.map((step) => Date.parse(step ?? ''))
    const filed = Date.parse(createdAt)
    const isOfTheDay = times.every((time) => time >= filed && time - filed < 86_400_000)
    if (!isOfTheDay || Math.max(...times) > now) apart.push(`${id}: ${createdAt}, ${steps.join()}`)
  }
  expect(apart).toEqual([])
})

test('the views of expenses are in one row', async () => {
  const { page, screens } = await ana()
  await open(page, Object.fromEntries(screens).expenses ?? '')
  const views = page.getByRole('navigation', { name: 'Views' })
  for (const viewport of [PHONE, TABLET, DESK]) {
    await page.setViewportSize(viewport)
    const tops = await views
      .getByRole('link')
      .evaluateAll((links) => [...new Set(links.map((link) => link.getBoundingClientRect().top))])
    expect(tops, `at ${viewport.width}`).toHaveLength(1)
    const [wide, room] = await views.evaluate((row) => [row.scrollWidth, row.clientWidth])
    expect(wide, `at ${viewport.width}`).toBe(room)
  }
})

test('every screen is readable at three widths in both schemes, by everyone', async () => {
  const { page, troubles, screens } = await ana()
  expect(screens.map(([, path]) => path).join()).not.toContain('undefined')
  const problems: string[] = []
  for (const [nth, [name, path]] of screens.entries()) {
    const found = await screenProblems(page, nth, () => open(page, path))
    problems.push(...found.map((problem) => `${name}: ${problem}`))
  }
  expect(problems).toEqual([])
  expect(troubles).toEqual([])
})

test('every text of every screen can be translated', async () => {
  const { page, screens } = await ana()
  const speak = async (language: string) => {
    await page.evaluate<void>(`localStorage.setItem('countersign.language', '${language}')`)
    await page.reload()
    await page.getByRole('heading', { level: 1 }).first().waitFor()
  }
  await speak('pseudo')
  const found: string[] = []
  for (const [name, path] of screens) {
    await open(page, path)
    found.push(...(await hardCodedTexts(page)).map((text) => `${name}: ${text}`))
  }
  await speak('en')
  expect(found).toEqual([])
})

test('why a button is off is shown on a tap, and told to those who do not see it', async () => {
  const { page, screens } = await ana()
  await open(page, Object.fromEntries(screens)['an expense to sign'] ?? '')
  const sign = page.getByRole('button', { name: 'Review and sign' })
  await expect.poll(() => sign.getAttribute('aria-describedby')).not.toBeNull()
  const reason = await page
    .locator(`[id="${await sign.getAttribute('aria-describedby')}"]`)
    .textContent()
  expect(reason).toMatch(/^Approvers sign: /)
  // Playwright takes `aria-disabled` for disabled, and waits.
  await sign.tap({ force: true })
  await page
    .getByText(reason ?? '')
    .nth(1)
    .waitFor()
})

test('a visitor joins it with a button', async () => {
  const { page, context, troubles } = await visitAs(demo, 'Nora Visitor')
  await page.goto(demo.origin)
  await page.getByRole('button', { name: 'Open the demo organization' }).click()
  await page.waitForURL(/\/organizations\//)
  await page.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor()
  expect(troubles).toEqual([])
  await context.close()
})

test('a second start keeps what is furnished', async () => {
  const { service } = demo
  service.kill('SIGTERM')
  await service.ended
  const second = await startService(service.place, {}, ['--demo'])
  expect(second.stdout()).toContain('“Ana Ruiz” (owner)')
  expect(second.stdout()).not.toContain('Furnishing')
  second.kill('SIGTERM')
  await second.ended
})
