/**
 * What the list, the detail and the analysis of expenses cost in an organization with 10,000 of
 * them, as a ratio to one with 100. Both in one database and in turns, so that whatever else the
 * machine does weighs on both; medians. Run with `npm run bench:expenses`; over 1.5 it ends with 1.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import type { Member } from '#access/permissions.ts'
import { runAnalysis } from '#analysis/run-analysis.ts'
import { compose } from '#compose.ts'
import type { Context } from '#context.ts'
import { startEmbeddedPostgres } from '#dev/embedded-postgres.ts'
import { readExpenses } from '#expenses/list-expenses.ts'
import { readExpense } from '#expenses/read-expenses.ts'
import { createWaiting } from '#live/read-tasks.ts'
import { readConfig } from '#platform/config/config.ts'
import { migrate } from '#platform/database/migrate.ts'
import { readPage } from '#platform/paging.ts'
import { type DataSet, TABLES, writeDataSet } from './data-set.ts'

const SIZES = { small: 100, large: 10_000 }
const ROUNDS = 150
const RATIO_MAX = 1.5

type Size = keyof typeof SIZES
type Work = (data: DataSet) => Promise<unknown>

const realm = (name: string) => ({
  [`${name}_ISSUER`]: 'http://127.0.0.1:1',
  [`${name}_AUDIENCE`]: name,
  [`${name}_JWKS_URL`]: 'http://127.0.0.1:1',
})

const configFor = (url: string) =>
  readConfig({
    DATABASE_URL: url,
    SERVER_SECRET: 'a secret of the benchmark that is long enough',
    LOG_LEVEL: 'silent',
    RPC_URLS: 'http://127.0.0.1:1',
    TOKEN_ADDRESS: `0x${'00'.repeat(19)}01`,
    ...realm('CONSUMER'),
    ...realm('ADMIN'),
  })

const median = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await work()
  return performance.now() - began
}

const memberOf = ({ organizationId, membershipId, accountId }: DataSet, role: Member['role']) => ({
  organizationId,
  membershipId,
  accountId,
  role,
  requestId: 'bench',
})

const works = (ctx: Context): Record<string, Work> => {
  const list =
    (role: Member['role'], limit: number): Work =>
    (data) =>
      readExpenses(
        { db: ctx.db, waiting: createWaiting(ctx) },
        { member: memberOf(data, role), page: readPage({ limit }), filter: {} },
      )
  return {
    'list, 50 of all': list('owner', 50),
    // An employee of the small organization has ten.
    'list, 10 of one’s own': list('employee', 10),
    detail: (data) =>
      readExpense(ctx, { member: memberOf(data, 'owner'), expenseId: data.expenseId }),
  }
}

/** A new expense in the queue; its ids are the run's and the expense's. */
async function queueOne(ctx: Context, pool: pg.Pool, data: DataSet) {
  const [expenseId, runId, paymentId] = [ctx.ids.next(), ctx.ids.next(), ctx.ids.next()]
  const { organizationId, accountId, vaultId, recipientId, recipientAddress } = data
  await pool.query(
    `with expense as (
       insert into expenses (id, organization_id, submitter_account_id, payment_id,
         current_revision, state, created_at, updated_at)
       values ($1, $2, $3, $4, 1, 'analysis_queued', now(), now())
     ), revision as (
       insert into expense_revisions (organization_id, expense_id, revision, vault_id,
         recipient_id, recipient_label, recipient_address, amount, requested_mode, purpose,
         purpose_key, version_hash, author_account_id, created_at)
       values ($2, $1, 1, $5, $6, 'Supplier', $7, 20000100, 'automatic', 'Paper for the office',
         sha256('1'), '0x' || repeat('a', 64), $3, now())
     )
     insert into agent_runs (id, organization_id, expense_id, expense_revision, state,
       created_at, updated_at) values ($8, $2, $1, 1, 'queued', now(), now())`,
    [
      expenseId,
      organizationId,
      accountId,
      paymentId,
      vaultId,
      recipientId,
      recipientAddress,
      runId,
    ],
  )
  return { expenseId, runId }
}

/** The organization keeps its size. */
async function removeOne(pool: pg.Pool, expenseId: string): Promise<void> {
  await pool.query('update expenses set current_report_id = null where id = $1', [expenseId])
  await pool.query('delete from reports where expense_id = $1', [expenseId])
  await pool.query('delete from agent_runs where expense_id = $1', [expenseId])
  await pool.query('delete from expense_revisions where expense_id = $1', [expenseId])
  await pool.query('delete from expenses where id = $1', [expenseId])
}

async function analysis(ctx: Context, pool: pg.Pool, data: DataSet): Promise<number> {
  const { expenseId, runId } = await queueOne(ctx, pool, data)
  const { organizationId } = data
  const took = await timed(() => runAnalysis(ctx, { organizationId, runId }))
  await removeOne(pool, expenseId)
  return took
}

async function measure(ctx: Context, pool: pg.Pool, data: Record<Size, DataSet>): Promise<boolean> {
  const sizes = Object.keys(SIZES) as Size[]
  const all: Record<string, (of: DataSet) => Promise<number>> = {
    ...Object.fromEntries(
      Object.entries(works(ctx)).map(([name, work]) => [name, (of) => timed(() => work(of))]),
    ),
    analysis: (of) => analysis(ctx, pool, of),
  }
  let isGood = true
  for (const [name, run] of Object.entries(all)) {
    const took: Record<Size, number[]> = { small: [], large: [] }
    for (let round = 0; round < ROUNDS; round += 1) {
      const turn = round % 2 === 0 ? sizes : sizes.toReversed()
      for (const size of turn) took[size].push(await run(data[size]))
    }
    // The first ones plan and fill caches.
    const [small, large] = [median(took.small.slice(30)), median(took.large.slice(30))]
    const ratio = large / small
    isGood &&= ratio <= RATIO_MAX
    const ms = (value: number) => `${value.toFixed(2)} ms`.padStart(9)
    const verdict = ratio <= RATIO_MAX ? 'ok' : `over ${RATIO_MAX}`
    process.stdout.write(
      `${name.padEnd(22)} ${ms(small)} ${ms(large)}  ratio ${ratio.toFixed(2)}  ${verdict}\n`,
    )
  }
  return isGood
}

const folder = await mkdtemp(join(tmpdir(), 'countersign-bench-'))
const postgres = await startEmbeddedPostgres({ folder, durable: false })
try {
  await migrate({ url: postgres.url })
  const options = '-c search_path=countersign'
  const pool = new pg.Pool({ connectionString: postgres.url, max: 2, options })
  pool.on('error', () => {})
  for (const table of TABLES) {
    await pool.query(`alter table ${table} no force row level security`)
  }
  // The large one first: foreign keys are checked by plans that were made for the first rows.
  const data = {
    large: await writeDataSet(pool, { name: 'large', expenses: SIZES.large }),
    small: await writeDataSet(pool, { name: 'small', expenses: SIZES.small }),
  }
  await pool.query('vacuum analyze')
  const ctx = compose(configFor(postgres.url))
  process.stdout.write(`Medians of ${ROUNDS - 30} at 100 and at 10,000 expenses\n`)
  process.exitCode = (await measure(ctx, pool, data)) ? 0 : 1
  await ctx.db.close()
  await pool.end()
} finally {
  await postgres.stop()
  await rm(folder, { recursive: true, force: true })
}
