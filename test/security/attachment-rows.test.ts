/** What the database roles may do to attachments and their bytes. */
import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { TestApp } from '#test/support/app.ts'
import { attachmentRows, uploaded } from '#test/support/attachments.ts'
import { createExpense, type ExpenseHouse, openExpenseHouse } from '#test/support/expenses.ts'
import { sharedTestApp } from '#test/support/shared-app.ts'
import { liftOwnersRowSecurity } from '#test/support/steps.ts'

let service: TestApp
let house: ExpenseHouse
let other: ExpenseHouse
/** An attachment of an expense. */
let id: string

const clients: Record<'api' | 'worker', pg.Client> = {} as never

beforeAll(async () => {
  service = await sharedTestApp()
  await liftOwnersRowSecurity(service.database)
  house = await openExpenseHouse(service)
  other = await openExpenseHouse(service)
  for (const [name, role] of [
    ['api', 'countersign_app'],
    ['worker', 'countersign_worker'],
  ] as const) {
    clients[name] = new pg.Client({
      connectionString: service.database.url,
      options: `-c role=${role} -c search_path=countersign`,
    })
    await clients[name].connect()
  }
})
beforeEach(async () => {
  id = (await uploaded(service, house.organization, { person: house.employee })).id
  await createExpense(service, house, { terms: { attachmentIds: [id] } })
})
afterAll(async () => {
  await Promise.all(Object.values(clients).map((client) => client.end()))
  await service.stop()
})

/** In the scope of the house, and committed. */
async function as(
  role: 'api' | 'worker',
  text: string,
  values: unknown[] = [],
  organizationId = house.organization.id,
): Promise<number> {
  const client = clients[role]
  await client.query('begin')
  try {
    await client.query("select set_config('app.organization', $1, true)", [organizationId])
    const { rowCount } = await client.query(text, values)
    await client.query('commit')
    return rowCount ?? 0
  } catch (error) {
    await client.query('rollback')
    throw error
  }
}

const insertChunk = (organizationId: string, position = 7) =>
  as(
    'api',
    `insert into attachment_chunks (organization_id, attachment_id, position, bytes)
     values ($1, $2, $3, '\\x00')`,
    [organizationId, id, position],
    organizationId,
  )

describe.each(['api', 'worker'] as const)('the role of %s', (role) => {
  test('cannot change a stored attachment', async () => {
    for (const change of ["sha256 = repeat('0', 64)", 'size_bytes = 1', "state = 'uploading'"]) {
      const update = as(role, `update attachments set ${change} where id = $1`, [id])
      await expect(update, change).rejects.toMatchObject({ code: '42501' })
    }
    const rename = as(role, "update attachments set name = 'x' where id = $1", [id])
    await expect(rename).rejects.toMatchObject({ code: '42501' })
  })

  test('cannot take bytes from an attachment that exists, or change them', async () => {
    const taken = await as(role, 'delete from attachment_chunks where attachment_id = $1', [id])
    expect(taken).toBe(0)
    const changed = as(role, "update attachment_chunks set bytes = '\\x00'")
    await expect(changed).rejects.toMatchObject({ code: '42501' })
  })

  test('cannot detach an attachment from a revision, or exchange it', async () => {
    const detached = as(role, 'delete from revision_attachments')
    await expect(detached).rejects.toMatchObject({ code: '42501' })
    const exchanged = as(role, 'update revision_attachments set position = 9')
    await expect(exchanged).rejects.toMatchObject({ code: '42501' })
  })
})

test('an API process deletes no stored attachment, a worker none that is attached', async () => {
  const free = (await uploaded(service, house.organization)).id
  const remove = 'delete from attachments where id = $1'
  expect(await as('api', remove, [free])).toBe(0)
  await expect(as('worker', remove, [id])).rejects.toMatchObject({ code: '23503' })
  expect(await as('worker', remove, [free])).toBe(1)
})

test('bytes are added only to an unfinished upload of the same organization', async () => {
  const before = await attachmentRows(service, house.organization)
  await expect(insertChunk(house.organization.id)).rejects.toMatchObject({ code: '42501' })
  await expect(insertChunk(other.organization.id)).rejects.toMatchObject({ code: '42501' })
  expect(await attachmentRows(service, house.organization)).toEqual(before)
})

test('a revision names only stored attachments of its organization, with their hash', async () => {
  const attach = (attachmentId: string, sha256: string, organizationId: string) =>
    as(
      'api',
      `insert into revision_attachments (organization_id, expense_id, revision, position,
         attachment_id, sha256)
       select organization_id, expense_id, revision, 9, $1, $2 from expense_revisions
       where organization_id = $3 limit 1`,
      [attachmentId, sha256, organizationId],
      organizationId,
    )
  const { id: foreign, sha256 } = await uploaded(service, other.organization)
  const refused = { code: '23503' }
  const own = house.organization.id
  await expect(attach(foreign, sha256, own)).rejects.toMatchObject(refused)
  await expect(attach(id, sha256, own)).rejects.toMatchObject(refused)
  await expect(attach(randomUUID(), sha256, own)).rejects.toMatchObject(refused)
})
