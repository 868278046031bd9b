/**
 * What operators' lists and searches cost among 10,000 organizations and 100,000 expenses, as a
 * ratio to a hundredth of both, the audit event included. Each size has a database of its own, and
 * the two are measured alternately, so that other load on the machine affects both.
 */
import pg from 'pg'
import { listFailedAttempts, listFailedPayments, listFailedRuns } from '#admin/failures.store.ts'
import { readCases } from '#admin/read-cases.ts'
import { readOverview } from '#admin/read-failures.ts'
import { readOrganization } from '#admin/read-organization.ts'
import { readOrganizations } from '#admin/read-organizations.ts'
import { closeContext, compose } from '#compose.ts'
import type { Context } from '#context.ts'
import { readConfig } from '#platform/config/config.ts'
import { migrate } from '#platform/database/migrate.ts'
import { readPage } from '#platform/paging.ts'
import { addressAt, hashAt, idAt, writeAdminBooks } from '#test/support/admin-books.ts'
import { type Figure, handOver } from './figures.ts'
import { type Ground, prepareGround } from './service-stage.ts'
import { inTurns, rounded, say } from './turns.ts'

const SIZES = {
  small: { organizations: 100, expenses: 1_000 },
  large: { organizations: 10_000, expenses: 100_000 },
}
const ROUNDS = Number(process.env.ADMIN_ROUNDS ?? 150)
/** The first reads plan their statements and fill caches. */
const WARM_UP = 8
const RATIO_MAX = 1.5

type Size = keyof typeof SIZES
type Work = (ctx: Context) => Promise<unknown>

const operator = { realm: 'admin' as const, accountId: idAt('account', 1), requestId: 'bench' }
const organizationId = idAt('organization', 5)

/** Each list has the same length in both databases. */
const list =
  (q: string, limit = 50): Work =>
  (ctx) =>
    readOrganizations(ctx, { operator, q, page: readPage({ limit }) })

/** It counts all rows, so its time grows with their number: a figure without a target. */
const counting = new Set(['overview'])

const works: Record<string, Work> = {
  'organizations, 50': list(''),
  'search, one match': list('house 55', 1),
  'search, 1 % match': list('quarry', 1),
  'search, 10 % match': list('HARBOUR', 10),
  'search, nearly all match': list('trading', 50),
  'search, one character': list('q', 1),
  'search, no match': list('%_nobody'),
  'search, organization id': list(organizationId),
  'search, payment id': list(idAt('payment', 104)),
  'search, vault address': list(addressAt('vault', 5)),
  'search, transaction hash': list(hashAt('policy', 5)),
  'organization detail': (ctx) => readOrganization(ctx, { operator, organizationId }),
  // The small database has fewer than a whole page of each.
  'failures, the last five': (ctx) =>
    ctx.observerDb.transaction({}, async (tx) => {
      await listFailedRuns(tx, 5)
      await listFailedPayments(tx, 5)
      await listFailedAttempts(tx, 5)
    }),
  'cases, newest': (ctx) => readCases(ctx, { operator }),
  'cases, open by priority': (ctx) =>
    readCases(ctx, { operator, status: 'open', sort: 'priority_desc' }),
  overview: (ctx) => readOverview(ctx, { operator }),
}

async function measure(contexts: Record<Size, Context>): Promise<Figure[]> {
  const figures: Figure[] = []
  for (const [what, work] of Object.entries(works)) {
    const timed = (ctx: Context) => async () => {
      const began = performance.now()
      await work(ctx)
      return performance.now() - began
    }
    const runs = { small: timed(contexts.small), large: timed(contexts.large) }
    for (const run of Object.values(runs)) for (let n = 0; n < WARM_UP; n += 1) await run()
    const { values, ratios } = await inTurns(runs, ROUNDS)
    figures.push({
      what,
      value: rounded(1 / ratios.large),
      unit: '',
      beside: 'a hundredth of the size',
      ...(!counting.has(what) && { target: { atMost: RATIO_MAX } }),
      more: {
        'ms at a hundredth': rounded(values.small),
        'ms at the full size': rounded(values.large),
      },
    })
  }
  return figures
}

async function openService(ground: Ground, size: Size): Promise<Context> {
  const url = new URL(ground.url)
  url.pathname = `admin_${size}`
  await ground.pool.query(`create database admin_${size}`)
  await migrate({ url: url.href })
  const options = '-c search_path=countersign'
  const client = new pg.Client({ connectionString: url.href, options })
  await client.connect()
  await writeAdminBooks(async (text) => (await client.query(text)).rows, SIZES[size])
  await client.end()
  const env = { ...ground.env, DATABASE_URL: url.href }
  return compose({ ...readConfig(env), logLevel: 'silent' })
}

const ground = await prepareGround()
const opened: Context[] = []
try {
  const open = async (size: Size): Promise<Context> => {
    const ctx = await openService(ground, size)
    opened.push(ctx)
    const { organizations, expenses } = SIZES[size]
    say(`${organizations} organizations with ${expenses} expenses are written`)
    return ctx
  }
  await handOver(await measure({ small: await open('small'), large: await open('large') }))
} finally {
  for (const ctx of opened) await closeContext(ctx)
  await ground.stop()
}
