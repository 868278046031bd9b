/** Payments that several people sign, and that wait for a spending period, in a real browser. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { must, until } from '#dev/demo-client.ts'
import { USDC } from '#dev/demo-stage.ts'
import { accessibilityProblems, tellPage } from '#test/browser/application.ts'
import {
  expenseToSign,
  type Furnished,
  giveRole,
  join,
  meet,
  openVault,
  TERMS,
} from '#test/browser/furnished.ts'
import { button, enter, type Person, see, stage } from '#test/browser/hostile-stage.ts'
import { screenProblems } from '#test/browser/screens.ts'

let house: Furnished
let approver: Person
let colleague: Person
let employee: Person
let owner: Person
let expenseId: string

/** Two people above 400 USDC, and at most 600 USDC a day. */
async function askForTwo(): Promise<void> {
  const { client, wallet } = house.owner
  const path = { ...house.path, vaultId: house.vault.id }
  const body = {
    ...TERMS,
    periodSeconds: 86_400,
    periodCap: String(600n * USDC),
    automaticPeriodCap: String(100n * USDC),
    tiers: [{ above: String(400n * USDC), approvals: 2 }],
  }
  const { id, transaction } = must(await client.call('preparePolicy', { path, body }))
  const transactionHash = await wallet.send(transaction)
  await until(
    () =>
      client.call('confirmPolicy', { path: { ...path, intentId: id }, body: { transactionHash } }),
    ({ state }) => state === 'confirmed',
    'the policy',
  )
}

async function gather(): Promise<void> {
  const { application, ...opened } = stage()
  ;({ house, approver, owner } = opened)
  const place = { helper: application.service.helper, about: house.about }
  const second = await meet(place, 'Kestrel Second')
  await join(house, second, 'manager')
  await giveRole(house, second, 'approver')
  await askForTwo()
  expenseId = await expenseToSign(house, { purpose: 'Rent of the hall', usdc: 500n })
  colleague = await enter(application, house, second)
  employee = await enter(application, house, house.employee)
  // Whatever was done to their pages before.
  await Promise.all([approver.page(), owner.page()])
}

const open = (person: Person, path = ''): Promise<Page> => person.screen(house.screens + path)

const seen = (page: Page, text: string | RegExp) => see(page, text).catch(tellPage(page))

/** Of the screen that is open. */
const problems = (page: Page) => screenProblems(page, 1, async () => undefined)

const expense = async () =>
  must(await house.owner.client.call('getExpense', { path: { ...house.path, expenseId } }))

/** From the inbox to the signature, as the person would. */
async function openToSign(person: Person, count: string): Promise<Page> {
  const page = await open(person)
  await seen(page, count)
  const link = page.getByRole('link', { name: 'Review and sign' })
  await link.and(page.locator(`[href$="/${expenseId}/sign"]`)).click()
  await seen(page, 'You approve a payment')
  return page
}

async function sign(page: Page): Promise<void> {
  await button(page, 'Check and continue').click().catch(tellPage(page))
  await button(page, 'Sign in wallet').click().catch(tellPage(page))
  await seen(page, 'You have approved this payment')
}

describe('payments that several people sign', () => {
  beforeAll(gather, 300_000)
  // Open pages follow everything that happens.
  afterAll(async () => {
    await colleague.close()
    await employee.close()
  })

  test('a new expense says how many will sign it', async () => {
    const page = await open(employee, '/expenses/new')
    await page.getByLabel('How much?').fill('500')
    await seen(page, /2 signatures by Kestrel \w+ and Kestrel/)
    await page.getByLabel('How much?').fill('400')
    await seen(page, /Signed by .*Kestrel/)
  })

  test('the first of two signatures sets the amount aside and pays nothing', async () => {
    const page = await openToSign(approver, '0 of 2 signatures')
    await seen(page, /Above 400\.00\s*USDC the policy asks for 2 different approvers/)
    await seen(page, 'a day after you continue, for everybody who signs')
    expect(await accessibilityProblems(page)).toEqual([])
    await sign(page)
    await seen(page, 'It is paid when one more approver has signed.')
    await seen(page, '1 of 2 signatures')
    expect(await accessibilityProblems(page)).toEqual([])
    expect(await expense()).toMatchObject({ state: 'awaiting_approval', signedApprovals: 1 })
  })

  test('nobody signs twice, and the page says whom it waits for', async () => {
    const page = await open(approver, `/expenses/${expenseId}`)
    await seen(page, '1 of 2 signatures')
    await seen(page, 'Waiting for a signature by Kestrel Second')
    expect(await button(page, 'Review and sign').getAttribute('aria-disabled')).toBe('true')
    await open(approver, `/expenses/${expenseId}/sign`)
    await seen(page, '1 of 2 signatures')
    expect(await button(page, 'Check and continue').count()).toBe(0)
  })

  test('a payment that lacks a signature says so, and its evidence does not fail', async () => {
    const { paymentId } = await expense()
    const page = await open(approver, `/payments/${paymentId}`)
    await seen(page, 'The amount is set aside. Every signature must be there by')
    await seen(page, 'Not final on the chain yet')
    expect(await page.getByText('A link does not hold').count()).toBe(0)
    expect(await problems(page)).toEqual([])
    await open(approver, '/activity')
    await seen(page, '1 of 2 signatures')
  })

  test('the second signer sees the first, and the deadline that both share', async () => {
    const page = await openToSign(colleague, '1 of 2 signatures')
    await seen(page, 'Every signature must be there by then.')
    const signatures = page.locator('dd').filter({ hasText: '1 of 2 signatures' })
    await signatures.getByText('Kestrel Approver').waitFor().catch(tellPage(page))
    // The first signature has set the amount aside: it does not stand in its own way.
    expect(await page.getByText('cannot pay this in the current period').count()).toBe(0)
    expect(await problems(page)).toEqual([])
    await sign(page)
    await page.getByRole('listitem').filter({ hasText: 'Final on the chain: done' }).waitFor()
    const { approvals = [] } = await expense()
    expect(new Set(approvals.map(({ deadline }) => deadline)).size).toBe(1)
  })

  test('the evidence names both signatures, the tier, the period and the recipient', async () => {
    const { paymentId } = await expense()
    const page = await open(employee, `/payments/${paymentId}`)
    await seen(page, 'All links hold')
    const links = page.getByRole('listitem')
    const signed = links.filter({ has: page.getByRole('heading', { name: 'Signed' }) }).first()
    await signed.getByText('2 of 2 signatures').waitFor().catch(tellPage(page))
    expect(await signed.getByText('The signer was recovered from the digest here:').count()).toBe(2)
    await seen(page, /Above 400\.00\s*USDC: 2 signatures/)
    await seen(page, /At most 600\.00\s*USDC in 1 day/)
    await seen(page, /On the vault's list since change 1, allowed from/)
    expect(await accessibilityProblems(page)).toEqual([])
    expect(await problems(page)).toEqual([])
  })
})

describe('payments of a vault with periods', () => {
  test('an exhausted period says when it is possible again, before and after asking', async () => {
    expenseId = await expenseToSign(house, { purpose: 'Chairs for the hall', usdc: 200n })
    const page = await open(approver, `/expenses/${expenseId}/sign`)
    await seen(page, 'The vault cannot pay this in the current period')
    await seen(
      page,
      /100\.00\s*USDC is left until the period ends\. Possible again tomorrow, 00:00 UTC/,
    )
    await button(page, 'Check and continue').click()
    await seen(page, /what the policy allows for this period\. Possible again tomorrow, 00:00 UTC/)
  })

  test('a policy that has waited comes into force', async () => {
    const { id } = await openVault(house, { label: 'Quick', changeDelaySeconds: 5 })
    const page = await open(owner, `/treasury/${id}/policy`)
    await page.getByLabel('Reserve', { exact: true }).fill('33')
    await button(page, 'Prepare for signing').click().catch(tellPage(page))
    await button(page, 'Sign and send in the wallet').click().catch(tellPage(page))
    const { policy } = await until(
      () => house.owner.client.call('getVault', { path: { ...house.path, vaultId: id } }),
      (vault) => vault.policy?.version === 2,
      'the activation of the policy',
    )
    expect(policy?.reserveFloor).toBe('33000000')
    await seen(page, 'Version 2 is in force')
  })
})
