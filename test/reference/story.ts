/** One story through every operation of the API. Its calls become the examples of the document. */
import type { Example } from '#http/openapi-examples.ts'
import {
  exportKeys,
  findCursors,
  followEvents,
  linkWallet,
  useDevices,
  useWebhooks,
} from '#test/reference/devices.ts'
import { askSupport, proveLedger, readAsOperator } from '#test/reference/operating.ts'
import { addressOf, type Company, openCompany, signIn } from '#test/reference/people.ts'
import {
  acknowledge,
  leaveOpen,
  payInvoice,
  payTravel,
  readBooks,
  withdrawApproval,
} from '#test/reference/spending.ts'
import { openStage, type Stage } from '#test/reference/stage.ts'
import { addRecipients, fundVault, openFunding, openVaults } from '#test/reference/vaults.ts'
import { startTestApp } from '#test/support/app.ts'

export async function tellStory(): Promise<Record<string, Example>> {
  const stage = await openStage()
  try {
    const company = await openCompany(stage)
    const vault = await openVaults(company)
    const recipients = await addRecipients(company)
    await fundVault(company, vault)
    const books = { ...company, vault, recipients }
    const cursors = await findCursors(company)
    const paid = await payInvoice(books)
    await payTravel(books)
    await withdrawApproval(books)
    const waiting = await leaveOpen(books)
    await acknowledge(books)
    await readBooks(books, paid)
    await openFunding(company, vault)
    await linkWallet(company)
    await exportKeys(company)
    await useDevices(company, waiting)
    await useWebhooks(company)
    const caseId = await askSupport(books, paid)
    await proveLedger(books)
    await readAsOperator(books, { caseId, paymentId: paid.paymentId })
    await followEvents(company, cursors)
    await readAgain(company)
    return stage.recorder.examples()
  } finally {
    await stage.stop()
  }
}

/** What everybody sees in the end. */
async function readAgain({ stage, path, ana, ...company }: Company): Promise<void> {
  const wallets = [company.ownerWallet, company.approverWallet]
  await signIn(stage, { name: 'Ana Ruiz', email: addressOf('Ana Ruiz'), wallets })
  await stage.get(ana, '/v1/consumer/me')
  await stage.get(ana, `/v1/consumer/memberships?limit=2&organizationId=${path.split('/').at(-1)}`)
  await stage.get(ana, '/v1/consumer/organizations?limit=2')
  await stage.get(ana, `${path}/members?limit=2`)
  await stage.get(ana, `${path}/overview`)
  await stage.send('GET', '/health/live')
  await stage.send('GET', '/health/ready')
  await loseDatabase(stage)
}

/** Another process, whose database is away. */
async function loseDatabase({ recorder }: Stage): Promise<void> {
  const away = await startTestApp()
  await away.database.drop()
  await recorder.around(away.call)('GET', '/health/ready')
  await away.stop()
}
