/** Filters and counts in a large organization: each request reads a limited number of rows. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '#test/support/app.ts'
import { type ExpenseHouse, openExpenseHouse } from '#test/support/expenses.ts'
import { writeMany } from '#test/support/many-rows.ts'
import { indexRevisions, liftOwnersRowSecurity } from '#test/support/steps.ts'

const MANY = 6_000
const OLD = 4_000
const TABLES = ['expenses', 'expense_revisions', 'expense_words']

let service: TestApp
let house: ExpenseHouse

beforeAll(async () => {
  service = await startTestApp({ plansByValues: true })
  await liftOwnersRowSecurity(service.database)
  house = await openExpenseHouse(service)
  await writeMany(service.database, TABLES, write)
  await service.database.asOwner(`analyze ${TABLES.join(', ')}`)
}, 120_000)
afterAll(() => service.stop())

/** The old ones are large and of last year; one in ten is rejected, one in forty has ink in it. */
async function write(): Promise<void> {
  const { organization, employee, manager, vaultId, recipientId, recipientAddress } = house
  const { asOwner } = service.database
  const expense = `('01900000-000e-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid`
  const at = `case when n <= ${OLD} then '2025-01-01Z'::timestamptz else '2026-01-01Z' end
    + n * interval '1 minute'`
  const rows = `from generate_series(1, ${MANY}) n`
  await asOwner(
    `insert into expenses (id, organization_id, submitter_account_id, payment_id,
       current_revision, state, created_at, updated_at)
     select ${expense}, $1, case when n % 100 = 0 then $2::uuid else $3::uuid end,
       gen_random_uuid(), 2, case when n % 10 = 0 then 'rejected' else 'paid' end, ${at}, ${at}
     ${rows}`,
    [organization.id, employee.accountId, manager.accountId],
  )
  await asOwner(
    `insert into expense_revisions (organization_id, expense_id, revision, vault_id, recipient_id,
       recipient_label, recipient_address, amount, requested_mode, purpose, purpose_key,
       version_hash, author_account_id, created_at)
     select $1, ${expense}, revision, $2, $3, 'Acme', $4,
       case when n <= ${OLD} then 5000 + n else 1 end, 'approved',
       case n % 40 when 0 then 'Ink' when 1 then 'Inkjet' else 'Paper' end
         || case revision when 1 then ' ordered' else ' delivered' end,
       sha256(n::text::bytea), '0x' || repeat('a', 64), $5, ${at}
     ${rows} cross join generate_series(1, 2) revision`,
    [organization.id, vaultId, recipientId, recipientAddress.toLowerCase(), manager.accountId],
  )
  await indexRevisions(service.database)
}

const get = async (path: string) => {
  const { organization } = house
  const url = `${organization.path}/${path}`
  const { status, body } = await service.call('GET', url, { token: organization.owner.token })
  expect(status).toBe(200)
  return body
}

async function pagesOf(query: string): Promise<string[][]> {
  const pages: string[][] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const more: string = cursor === '' ? '' : `&cursor=${cursor}`
    const { expenses, nextCursor } = await get(`expenses?limit=200&${query}${more}`)
    pages.push(expenses.map(({ id }: { id: string }) => id))
    cursor = nextCursor
  }
  return pages
}

const stored = async (condition: string): Promise<string[]> => {
  const rows = await service.database.asOwner<{ id: string }>(
    `select e.id from expenses e join expense_revisions r on r.organization_id = e.organization_id
       and r.expense_id = e.id and r.revision = e.current_revision
     where e.organization_id = $1 and ${condition} order by e.id desc`,
    [house.organization.id],
  )
  return rows.map(({ id }) => id)
}

describe('all pages of a list', () => {
  const filters: Record<string, [query: string, condition: string]> = {
    'a time of last year': [
      'from=2025-01-02&to=2025-01-03',
      `e.created_at >= '2025-01-02Z' and e.created_at < '2025-01-04Z'`,
    ],
    'the time up to last year': ['to=2025-12-31', `e.created_at < '2026-01-01Z'`],
    'amounts that only old ones have': ['minAmount=5001', 'r.amount > 5000'],
    'two words that begin alike': ['q=ink', `r.purpose like 'Ink%'`],
    'a word of earlier revisions': ['q=ordered', 'false'],
    'a word, an amount and a state': [
      'q=deliver&minAmount=5001&state=rejected',
      `r.amount > 5000 and e.state = 'rejected'`,
    ],
    'a recipient and a time': ['q=acme&to=2025-01-01', `e.created_at < '2025-01-02Z'`],
  }

  test.each(Object.entries(filters))(
    'with %s have every match once, in order',
    async (_name, [query, condition]) => {
      const pages = await pagesOf(query)
      expect(pages.flat()).toEqual(await stored(condition))
    },
  )

  test('may be shorter than the limit, if none of many matches is recent', async () => {
    const [first, ...others] = await pagesOf('minAmount=5001')
    expect(first).toEqual([])
    expect(others.flat()).toHaveLength(OLD)
  })
})

describe('counts', () => {
  const counts = async (query: string) => {
    const body = await get(`expense-counts?${query}`)
    const { paid, rejected } = body.counts
    return { paid, rejected, total: body.total, isComplete: body.isComplete }
  }

  test('of all expenses end at 100 for each state', async () => {
    expect(await counts('')).toEqual({ paid: 100, rejected: 100, total: 200, isComplete: false })
    const one = { paid: 0, rejected: 100, total: 100, isComplete: false }
    expect(await counts('state=rejected&state=draft')).toEqual(one)
  })

  test('with another filter cover the newest matches', async () => {
    expect(await counts('q=paper')).toMatchObject({ total: 100, isComplete: false })
    const own = await counts(`submitterAccountId=${house.employee.accountId}&minAmount=5001`)
    expect(own).toEqual({ paid: 0, rejected: OLD / 100, total: OLD / 100, isComplete: true })
  })

  test('are not complete where nothing recent matches among many', async () => {
    expect(await counts('minAmount=5001')).toMatchObject({ total: 0, isComplete: false })
  })
})
