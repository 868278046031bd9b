/** The client against the real API: keys over broken connections, pages, refusals, tokens. */
import { createClient } from '@countersign/client/client.ts'
import { TREATMENTS } from '@countersign/client/errors.ts'
import { items, pages } from '@countersign/client/pages.ts'
import { unwrap } from '@countersign/client/result.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { errorCodes } from '#platform/errors.ts'
import { startTestApp, type TestApp } from '#test/support/app.ts'
import { type BreakingProxy, startBreakingProxy } from '#test/support/breaking-proxy.ts'
import { type ExpenseHouse, openExpenseHouse, termsOf } from '#test/support/expenses.ts'
import { baseUrl } from '#test/support/live.ts'
import { addRecipient, CHAIN_ID, randomAddress } from '#test/support/steps.ts'

let service: TestApp
let house: ExpenseHouse
let proxy: BreakingProxy

beforeAll(async () => {
  service = await startTestApp()
  house = await openExpenseHouse(service)
  proxy = await startBreakingProxy(await baseUrl(service))
})
afterAll(async () => {
  await proxy.close()
  await service.stop()
})

const clientOf = (token: string, baseUrl = proxy.url) =>
  createClient({ baseUrl, token, retry: { baseDelayMs: 1 } })
const pathOf = () => ({ organizationId: house.organization.id })

const expenseCount = async (): Promise<number> => {
  const [row] = await service.database.asOwner<{ count: string }>(
    'select count(*) as count from expenses where organization_id = $1',
    [house.organization.id],
  )
  return Number(row?.count)
}

describe('a connection that breaks before the answer arrives', () => {
  test('leaves one expense, and the client gets its answer', async () => {
    const client = clientOf(house.employee.token)
    const before = await expenseCount()
    const lostBefore = proxy.lost
    proxy.loseAnswer()
    proxy.loseAnswer()
    const result = await client.call('createExpense', {
      path: pathOf(),
      body: termsOf(house) as never,
    })
    expect(result).toMatchObject({ ok: true, status: 201, attempts: 3 })
    expect(proxy.lost - lostBefore).toBe(2)
    expect(await expenseCount()).toBe(before + 1)
  })

  test('leaves it open whether a change without a key took effect', async () => {
    const { token } = await service.signIn()
    const client = clientOf(token)
    proxy.loseAnswer()
    const result = await client.call('createOrganization', { body: { name: 'Orbit' } })
    expect(result).toMatchObject({
      ok: false,
      attempts: 1,
      failure: { code: 'network', treatment: 'wait', mayHaveTakenEffect: true },
    })
    expect(unwrap(await client.call('listOrganizations')).organizations).toHaveLength(1)
  })

  test('does not matter to a read', async () => {
    proxy.loseAnswer()
    const result = await clientOf(house.employee.token).call('getAccount')
    expect(result).toMatchObject({ ok: true, attempts: 2 })
  })
})

test('iterates over all pages of a list', async () => {
  const { organization } = house
  for (let made = 0; made < 5; made += 1) await addRecipient(service, organization)
  const client = clientOf(organization.owner.token)
  const input = { path: pathOf(), query: { limit: 2 } }
  const found: string[] = []
  for await (const { id } of items(client, 'listRecipients', input)) found.push(id)
  const all = unwrap(await client.call('listRecipients', { path: pathOf(), query: { limit: 100 } }))
  expect(found).toEqual(all.recipients.map(({ id }) => id))
  expect(found).toHaveLength(6)
  const sizes: number[] = []
  for await (const page of pages(client, 'listRecipients', input)) {
    sizes.push(unwrap(page).items.length)
  }
  expect(sizes).toEqual([2, 2, 2])
})

describe('a refusal', () => {
  test('has its code, its treatment and the id of the request', async () => {
    const client = clientOf(house.employee.token)
    const body = { label: 'Printers', address: randomAddress(), chainId: CHAIN_ID }
    const result = await client.call('addRecipient', { path: pathOf(), body })
    expect(result).toMatchObject({
      ok: false,
      attempts: 1,
      failure: { source: 'api', code: 'role_required', treatment: 'not_allowed', status: 403 },
    })
    expect(result.ok ? '' : result.failure.requestId).toMatch(/\S+/)
  })

  test('of a key that was used with another body needs a report, not a retry', async () => {
    const client = clientOf(house.organization.owner.token)
    const add = (label: string) =>
      client.call('addRecipient', {
        path: pathOf(),
        body: { label, address: `0x${'9'.repeat(40)}`, chainId: CHAIN_ID },
        idempotencyKey: 'form-1',
      })
    const first = unwrap(await add('Paper'))
    expect(unwrap(await add('Paper'))).toEqual(first)
    expect(await add('Ink')).toMatchObject({
      failure: { code: 'idempotency_key_reused', treatment: 'report' },
      attempts: 1,
    })
  })

  test('of a token is followed by one attempt with the next token', async () => {
    const tokens = ['not-a-token', house.employee.token]
    const client = createClient({
      baseUrl: proxy.url,
      token: ({ rejected }) => tokens[rejected === null ? 0 : 1] ?? null,
    })
    expect(await client.call('getAccount')).toMatchObject({ ok: true, attempts: 2 })
    expect(await clientOf('not-a-token').call('getAccount')).toMatchObject({
      failure: { code: 'unauthenticated', treatment: 'sign_in' },
    })
  })

  test('has a treatment for every code of the service, and for no other', () => {
    expect(Object.keys(TREATMENTS).sort()).toEqual([...errorCodes].sort())
  })
})

test('uploads a file and downloads the same bytes', async () => {
  const client = clientOf(house.employee.token)
  const bytes = new TextEncoder().encode('date;amount\n2030-01-01;75\n')
  const uploaded = await client.call('uploadAttachment', {
    path: pathOf(),
    body: bytes,
    contentType: 'text/csv',
    headers: { 'content-disposition': 'attachment; filename="list.csv"' },
  })
  const { id: attachmentId } = unwrap(uploaded)
  const path = { ...pathOf(), attachmentId }
  const blob = unwrap(await client.call('downloadAttachment', { path, as: 'blob' }))
  expect(new Uint8Array(await blob.arrayBuffer())).toEqual(new Uint8Array(bytes))
})
