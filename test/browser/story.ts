/**
 * From sign-in to a payment whose proof holds. Nothing here calls the API: three people do
 * everything through the pages, with the development wallet of `npm start`.
 */
import { writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { Locator, Page } from 'playwright-core'
import { makeInvoice } from '#dev/demo-invoice.ts'
import { type Application, tellPage, type Visitor, visit } from '#test/browser/application.ts'
import type { Hands } from '#test/browser/hands.ts'

type Actor = Visitor & { name: string; hands: Hands }

/** Paths of what they keep, and everything that went wrong in a page. */
export type Ending = { proof: string; payments: string; invoice: string; troubles: string[] }

const SUPPLIER = { name: 'Millgate Print', address: '0x000000000000000000000000000000000000bEEF' }
export const PURPOSE = 'Five hundred copies of the annual report'
export const AMOUNT = '75.00'

const button = (page: Page, name: string, exact = true): Locator =>
  page.getByRole('button', { name, exact })
const link = (page: Page, name: string): Locator => page.getByRole('link', { name, exact: true })
const field = (page: Page, name: string): Locator => page.getByLabel(name, { exact: true })
const seen = (page: Page, text: string): Promise<void> =>
  page.getByText(text).first().waitFor().catch(tellPage(page))

/** The button that was pressed is gone; the next key must not start at the top of the page. */
const keepsFocus = (page: Page) =>
  page.waitForFunction('document.activeElement !== document.body').catch(tellPage(page))

/** Without scrolling. */
async function inView(place: Locator): Promise<void> {
  await place.waitFor()
  const { y = -1 } = (await place.boundingBox()) ?? {}
  const height = place.page().viewportSize()?.height ?? 0
  if (y < 0 || y > height) throw new Error(`${place} is out of view, at ${y}.`)
}

const live = (page: Page): Promise<void> => page.getByText('live', { exact: true }).waitFor()

/** What the development wallet shows over the page. */
async function confirm({ page, hands }: Actor, name: 'Sign' | 'Send'): Promise<void> {
  const panel = page.locator('countersign-dev-wallet dialog')
  await hands.press(panel.getByRole('button', { name, exact: true }))
}

async function arrive({
  application,
  hands,
  name,
  at = '/',
}: {
  application: Application
  hands: Hands
  name: string
  at?: string
}): Promise<Actor> {
  const visitor = await visit(application, { ...hands.device, acceptDownloads: true })
  const { page } = visitor
  await page.goto(application.origin + at)
  await hands.press(link(page, 'Continue'))
  await hands.write(page.getByLabel('Name'), name)
  await hands.press(button(page, 'Sign in'))
  await page.waitForURL(`${application.origin}${at}`)
  return { ...visitor, name, hands }
}

async function createOrganization({ page, hands }: Actor, name: string): Promise<void> {
  await hands.write(field(page, 'Name'), name)
  await hands.press(button(page, 'Create'))
  await page.getByRole('heading', { name: 'Inbox' }).waitFor().catch(tellPage(page))
  await live(page)
}

async function linkWallet({ page, hands }: Actor, organization: string): Promise<void> {
  await hands.press(button(page, 'Link a wallet'))
  await hands.press(button(page, 'Connect Development wallet'))
  await hands.press(button(page, 'Sign in wallet'))
  await confirm({ page, hands } as Actor, 'Sign')
  await seen(page, 'The wallet is linked')
  await hands.press(link(page, 'Organizations'))
  await hands.press(page.getByRole('link', { name: organization }))
  await page.getByRole('heading', { name: 'Inbox' }).waitFor().catch(tellPage(page))
}

/** Returns where the invitation leads. */
async function invite({ page, hands }: Actor, role: 'Employee' | 'Manager'): Promise<string> {
  await hands.open(page, 'People')
  await hands.press(button(page, 'Invite'))
  await hands.press(page.getByRole('radio', { name: role }))
  await hands.press(button(page, 'Create the invitation'))
  const shown = await page.getByText(/\/join\/\S+$/).textContent()
  await hands.press(button(page, 'Done'))
  return new URL(shown ?? '').pathname
}

async function accept({ page, hands }: Actor): Promise<void> {
  await hands.press(button(page, 'Accept the invitation'))
  await page.getByRole('heading', { name: 'Inbox' }).waitFor().catch(tellPage(page))
}

async function giveRole(
  { page, hands }: Actor,
  member: string,
  role: 'an approver' | 'a treasury owner',
): Promise<void> {
  const row = page.getByRole('listitem').filter({ hasText: member }).first()
  await hands.press(row.getByRole('button', { name: member }))
  await hands.press(row.getByRole('button', { name: `Make it ${role}` }))
  await row.getByRole('button', { name: /^End the/ }).waitFor()
}

/** The step of the list that is to be done next. */
async function nextStep({ page, hands }: Actor, title: string, action: string): Promise<void> {
  await hands.open(page, 'Treasury')
  const step = page.getByRole('listitem').filter({ hasText: title })
  await hands.press(step.getByRole('link', { name: action }))
}

async function deployVault(owner: Actor): Promise<void> {
  const { page, hands } = owner
  await nextStep(owner, 'Get an executor', 'Get an executor')
  await hands.press(button(page, 'Get an executor'))
  await seen(page, 'Active')
  await keepsFocus(page)
  await hands.press(button(page, 'Prepare the deployment'))
  await hands.press(button(page, 'Deploy in the wallet'))
  await confirm(owner, 'Send')
  await seen(page, 'The vault exists and was verified')
}

async function addRecipient({ page, hands }: Actor): Promise<void> {
  await hands.open(page, 'Recipients')
  await hands.press(button(page, 'Add').first())
  const dialog = page.getByRole('dialog')
  await hands.write(dialog.getByLabel('Name', { exact: true }), SUPPLIER.name)
  await hands.write(dialog.getByLabel('Address', { exact: true }), SUPPLIER.address)
  await hands.press(dialog.getByRole('button', { name: 'Add', exact: true }))
  await seen(page, `${SUPPLIER.name} is added`)
}

async function setPolicy(owner: Actor): Promise<void> {
  const { page, hands } = owner
  await nextStep(owner, 'Set the policy', 'Set the policy')
  await hands.press(button(page, 'Prepare for signing'))
  await hands.press(button(page, 'Sign and send in the wallet'))
  await confirm(owner, 'Send')
  await seen(page, 'Version 1 is in force')
}

async function deposit(owner: Actor): Promise<void> {
  const { page, hands } = owner
  await nextStep(owner, 'Deposit', 'Deposit')
  await hands.write(field(page, 'Amount'), '2500')
  await hands.press(button(page, 'Continue'))
  await button(page, 'Step 1: allow in the wallet').waitFor()
  await keepsFocus(page)
  await hands.press(button(page, 'Step 1: allow in the wallet'))
  await confirm(owner, 'Send')
  await hands.press(button(page, 'Step 2: deposit in the wallet'))
  await confirm(owner, 'Send')
  await seen(page, 'Deposited')
}

async function submitExpense(employee: Actor, invoice: string): Promise<void> {
  const { page, hands } = employee
  await hands.open(page, 'New expense')
  await hands.write(field(page, 'What is it for?'), PURPOSE)
  await hands.pick(page, field(page, 'Who is paid?'), SUPPLIER.name)
  await hands.write(field(page, 'How much?'), AMOUNT)
  await hands.attach(page, page.getByLabel('Choose files'), invoice)
  await button(page, `Remove ${basename(invoice)}`).waitFor()
  await hands.press(button(page, 'Send for review'))
  await page.getByRole('heading', { name: PURPOSE }).waitFor()
  await seen(page, 'Waiting for review')
}

async function review({ page, hands }: Actor): Promise<void> {
  await hands.open(page, 'Inbox')
  await hands.press(link(page, 'Review'))
  await hands.press(button(page, 'Review'))
  await hands.press(page.getByRole('radio', { name: 'Accept' }))
  await hands.write(field(page, 'Reason'), 'Ordered by us, and delivered')
  await hands.press(button(page, 'Accept'))
  await seen(page, 'Waiting for a signature')
}

async function sign(approver: Actor): Promise<void> {
  const { page, hands } = approver
  await hands.open(page, 'Inbox')
  await hands.press(link(page, 'Review and sign'))
  await hands.press(button(page, 'Check and continue'))
  await inView(page.getByText('Step 2 of 2'))
  await hands.press(button(page, 'Sign in wallet'))
  await confirm(approver, 'Sign')
  await seen(page, 'You have approved this payment')
}

/** Nobody loads the page again: it follows the payment by itself. */
async function followToTheEnd({ page }: Actor): Promise<void> {
  await page.getByRole('listitem').filter({ hasText: 'Final on the chain: done' }).waitFor()
}

/** Returns the path of what was downloaded. */
async function saved(page: Page, folder: string, press: () => Promise<void>): Promise<string> {
  const downloading = page.waitForEvent('download')
  await press()
  const download = await downloading
  const path = join(folder, download.suggestedFilename())
  await download.saveAs(path)
  return path
}

async function readWhy({ page, hands }: Actor, folder: string): Promise<string> {
  await hands.press(link(page, 'Why did this leave?'))
  await seen(page, 'All links hold')
  return saved(page, folder, () => hands.press(button(page, 'Download the proof')))
}

async function exportPayments({ page, hands }: Actor, folder: string): Promise<string> {
  await hands.open(page, 'Payments')
  await hands.press(button(page, 'Export'))
  const run = page.getByRole('dialog').getByRole('button', { name: 'Export', exact: true })
  return saved(page, folder, () => hands.press(run))
}

export type Note = (actor: Actor, what: string) => Promise<void>

export async function liveThroughIt(
  application: Application,
  {
    hands,
    organization,
    folder,
    note = async () => {},
  }: {
    hands: Hands
    organization: string
    folder: string
    note?: Note
  },
): Promise<Ending> {
  const { name, bytes } = makeInvoice(organization, `${PURPOSE}: ${AMOUNT} USDC`)
  const invoice = join(folder, name)
  await writeFile(invoice, bytes)
  const called = (role: string) => `${organization} ${role}`
  const owner = await arrive({ application, hands, name: called('Owner') })
  await createOrganization(owner, organization)
  await nextStep(owner, 'Link your wallet', 'Link a wallet')
  await linkWallet(owner, organization)

  const forApprover = await invite(owner, 'Manager')
  const approver = await arrive({ application, hands, name: called('Approver'), at: forApprover })
  await accept(approver)
  await hands.open(approver.page, 'Wallets')
  await linkWallet(approver, organization)
  const forEmployee = await invite(owner, 'Employee')
  const employee = await arrive({ application, hands, name: called('Employee'), at: forEmployee })
  await accept(employee)

  await giveRole(owner, called('Owner'), 'a treasury owner')
  await note(owner, 'people')
  await giveRole(owner, called('Approver'), 'an approver')
  await deployVault(owner)
  await note(owner, 'deployed')
  await addRecipient(owner)
  await setPolicy(owner)
  await note(owner, 'policy')
  await deposit(owner)
  await note(owner, 'deposited')

  await submitExpense(employee, invoice)
  await note(employee, 'submitted')
  await review(owner)
  await sign(approver)
  await note(approver, 'signed')
  await followToTheEnd(approver)

  const proof = await readWhy(employee, folder)
  await note(employee, 'why')
  const payments = await exportPayments(owner, folder)
  await note(owner, 'exported')
  const people = [owner, approver, employee]
  const troubles = people.flatMap((one) => one.troubles.map((text) => `${one.name}: ${text}`))
  await Promise.all(people.map(({ context }) => context.close()))
  return { proof, payments, invoice, troubles }
}
