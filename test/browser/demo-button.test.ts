/** The button that furnishes a demo organization while the service runs. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { fund, makeWallet, must, openSessionAs, readAbout } from '#dev/demo-client.ts'
import { readDemoRecord } from '#dev/demo-record.ts'
import { type Application, openApplication, signIn, visit } from '#test/browser/application.ts'

// As long as the furnishing itself, and several times that on a busy machine.
vi.setConfig({ testTimeout: 600_000 })

let application: Application

beforeAll(async () => {
  application = await openApplication({ ownPostgres: true })
}, 300_000)
afterAll(() => application?.close())

test('on a chain that was used before, all of it is of today, and the page says so', async () => {
  const { service } = application
  const about = await readAbout(service.helper)
  await fund(service.helper, makeWallet(about), { native: '1', token: '0' })
  const { page, context, troubles } = await visit(application)
  await signIn(application, { page, context, troubles }, 'Nora Visitor')
  await page.getByRole('button', { name: 'Set up a demo organization' }).click()
  const open = page.getByRole('button', { name: 'Open the demo organization' })
  await open.waitFor({ timeout: 500_000 })
  await page.getByText('Its history is of one day').waitFor()
  await open.click()
  await page.waitForURL(/\/organizations\//)
  await page.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor()
  expect(troubles).toEqual([])
  await context.close()

  const record = await readDemoRecord(service.place.folder)
  const { organizationId = '', people: [ana] = [] } = record ?? {}
  const { client } = await openSessionAs(service, { subject: ana?.subject ?? '' })
  const path = { organizationId }
  const { counts } = must(await client.call('countExpenses', { path }))
  expect(counts).toMatchObject({ paid: 39, needs_review: 6, awaiting_approval: 7, blocked: 2 })
})
