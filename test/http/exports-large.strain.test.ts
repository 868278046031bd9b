/** A large export: complete, and a page of rows at a time. */
import { once } from 'node:events'
import { PassThrough, Readable } from 'node:stream'
import { parse } from 'csv-parse/sync'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { exportPayments } from '#accounting/export-records.ts'
import type { Db } from '#platform/database/database.ts'
import { startTestApp, type TestApp } from '#test/support/app.ts'
import { type ExpenseHouse, openExpenseHouse } from '#test/support/expenses.ts'
import { writePaid } from '#test/support/paid-books.ts'
import { liftOwnersRowSecurity } from '#test/support/steps.ts'

let service: TestApp

beforeAll(async () => {
  service = await startTestApp({ plansByValues: true })
  await liftOwnersRowSecurity(service.database)
})
afterAll(() => service.stop())

type Line = { [column: string]: string }

describe('a large export', () => {
  const MANY = 3_000
  let home: ExpenseHouse

  beforeAll(async () => {
    home = await openExpenseHouse(service)
    const paid = await writePaid(service, home, { confirmedAt: '2025-01-01T00:00:00Z' })
    const { asOwner } = service.database
    const values = [home.organization.id, paid.expenseId]
    const id = (kind: string) => `('01900000-${kind}-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid`
    const rows = `from generate_series(2, ${MANY}) n`
    // Several share a moment, and moments have microseconds: no line is lost or repeated.
    const at = `'2025-06-01Z'::timestamptz + n / 7 * interval '333 microseconds'`
    await asOwner(
      `insert into expenses (id, organization_id, submitter_account_id, payment_id,
         current_revision, state, created_at, updated_at)
       select ${id('000e')}, $1, e.submitter_account_id, ${id('000f')}, 1, 'paid', ${at}, ${at}
       ${rows}, expenses e where e.id = $2`,
      values,
    )
    await asOwner(
      `insert into expense_revisions (organization_id, expense_id, revision, vault_id,
         recipient_id, recipient_label, recipient_address, amount, requested_mode, purpose,
         purpose_key, version_hash, author_account_id, created_at)
       select $1, ${id('000e')}, 1, r.vault_id, r.recipient_id, r.recipient_label,
         r.recipient_address, n, 'automatic', 'Line ' || n || ', "quoted"', '\\x00',
         r.version_hash, r.author_account_id, ${at}
       ${rows}, expense_revisions r where r.expense_id = $2`,
      values,
    )
    await asOwner(
      `insert into payments (id, organization_id, expense_id, expense_revision,
         expense_version_hash, vault_id, chain_payment_id, mode, recipient_address, token_address,
         amount, policy_version, report_id, report_hash, deadline, state, created_at, updated_at)
       select ${id('000f')}, $1, ${id('000e')}, 1, p.expense_version_hash, p.vault_id,
         '0x' || lpad(to_hex(n), 64, '0'), 'automatic', p.recipient_address, p.token_address, n,
         1, p.report_id, p.report_hash, p.deadline, 'confirmed', ${at}, ${at}
       ${rows}, payments p where p.expense_id = $2`,
      values,
    )
    await asOwner(
      `insert into payment_receipts (organization_id, payment_id, transaction_hash, block_number,
         block_hash, log_index, status, gas_used, effective_gas_price, execution, confirmed_at)
       select $1, ${id('000f')}, '0x' || lpad(to_hex(n), 64, '0'), n, '0x', 0, 'success', 1, 1,
         '{}', ${at} ${rows}`,
      [home.organization.id],
    )
  }, 300_000)

  const actor = () => {
    const { organization } = home
    const { accountId } = organization.owner
    return { organizationId: organization.id, accountId, role: 'owner' as const, requestId: 'r' }
  }

  const memberOf = async () => {
    const [row] = await service.database.asOwner<{ id: string }>(
      'select id from memberships where organization_id = $1 and account_id = $2',
      [home.organization.id, home.organization.owner.accountId],
    )
    return { ...actor(), membershipId: row?.id ?? '' }
  }

  /** Counts the pages that are read, and those whose rows are still held. */
  const counting = () => {
    const counted = { transactions: 0, held: () => pages.filter(({ length }) => length > 0).length }
    const pages: unknown[][] = []
    const { db } = service.ctx
    const watched: Db = {
      ...db,
      transaction: async (scope, work, options) => {
        counted.transactions += 1
        const result = await db.transaction(scope, work, options)
        if (Array.isArray(result)) pages.push(result)
        return result
      },
    }
    return { counted, ctx: { ...service.ctx, db: watched } }
  }

  test('has every payment once, as the database has them', async () => {
    const { text } = await service.call('GET', `${home.organization.path}/exports/payments.csv`, {
      token: home.organization.owner.token,
    })
    const lines = parse(text, { columns: true }) as Line[]
    const stored = await service.database.asOwner<{ id: string; amount: string; purpose: string }>(
      `select p.id, p.amount::text, r.purpose from payments p
       join payment_receipts c on c.payment_id = p.id
       join expense_revisions r on r.expense_id = p.expense_id
       where p.organization_id = $1 order by c.confirmed_at, p.id`,
      [home.organization.id],
    )
    const exact = ({ amount = '' }: Line) => {
      const [whole = '', places = ''] = amount.split('.')
      return BigInt(whole + places.padEnd(6, '0')).toString()
    }
    expect(lines.map((line) => [line.payment_id, exact(line), line.purpose])).toEqual(
      stored.map(({ id, amount, purpose }) => [id, amount, purpose]),
    )
    expect(lines).toHaveLength(MANY)
  }, 60_000)

  test('reads a page only when the lines before it are taken', async () => {
    const { counted, ctx } = counting()
    const input = { actor: await memberOf(), period: {}, format: 'plain' as const }
    const lines = await exportPayments(ctx, input)
    expect(counted.transactions).toBe(1)
    await lines.next()
    expect(counted.transactions).toBe(1)
    await lines.next()
    expect(counted.transactions).toBe(2)
    let longest = 0
    for await (const text of lines) {
      longest = Math.max(longest, text.length)
      expect(counted.held()).toBe(0)
    }
    expect(counted.transactions).toBe(1 + 1 + MANY / 100)
    // A page of 100 lines is all that is in memory at a time.
    expect(longest).toBeLessThan(80_000)
  }, 60_000)

  test('stops reading while nobody reads on, and for good when the client leaves', async () => {
    const { counted, ctx } = counting()
    const input = { actor: await memberOf(), period: {}, format: 'plain' as const }
    // As the route sends it: Node pauses the stream while the socket does not drain.
    const stream = Readable.from(await exportPayments(ctx, input), { highWaterMark: 1 })
    const slow = new PassThrough({ highWaterMark: 1 })
    stream.pipe(slow)
    // The header, a page that waits in the pipe, and the one after it.
    await expect.poll(() => counted.transactions).toBeGreaterThan(1)
    const paused = await settled(() => counted.transactions)
    expect(paused).toBeLessThanOrEqual(4)
    stream.destroy()
    await once(stream, 'close')
    expect(await settled(() => counted.transactions)).toBeLessThanOrEqual(paused + 1)
  }, 60_000)
})

/** The value once it has stayed the same for ten polls. */
async function settled(read: () => number): Promise<number> {
  let [seen, same] = [read(), 0]
  await expect
    .poll(() => {
      same = read() === seen ? same + 1 : 0
      seen = read()
      return same
    })
    .toBeGreaterThan(10)
  return seen
}
