/**
 * What operators' lists and searches cost among 10,000 organizations and 100,000 expenses, as a
 * ratio to a hundredth of both. Each in a database of its own and in turns, so that whatever else
 * the machine does weighs on both; medians, the trail's event included. Run with
 * `npm run bench:admin`; a list or a search over 1.5 ends it with 1.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { listFailedAttempts, listFailedPayments, listFailedRuns } from '#admin/failures.store.ts'
import { readCases } from '#admin/read-cases.ts'
import { readOverview } from '#admin/read-failures.ts'
import { readOrganization } from '#admin/read-organization.ts'
import { readOrganizations } from '#admin/read-organizations.ts'
import { closeContext, compose } from '#compose.ts'
import type { Context } from '#context.ts'
import { startEmbeddedPostgres } from '#dev/embedded-postgres.ts'
import { readConfig } from '#platform/config/config.ts'
import { migrate } from '#platform/database/migrate.ts'
import { readPage } from '#platform/paging.ts'
import { addressAt, hashAt, idAt, writeAdminBooks } from '#test/support/admin-books.ts'

const SIZES = {
  small: { organizations: 100, expenses: 1_000 },
  large: { organizations: 10_000, expenses: 100_000 },
}
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 150)
const WARM_UP = Math.floor(ROUNDS / 5)
const RATIO_MAX = 1.5

type Size = keyof typeof SIZES
type Work = (ctx: Context) => Promise<unknown>

const realm = (name: string) => ({
  [`${name}_ISSUER`]: 'http://127.0.0.1:1',
  [`${name}_AUDIENCE`]: name,
  [`${name}_JWKS_URL`]: 'http://127.0.0.1:1',
})

const contextFor = (url: string): Context =>
  compose(
    readConfig({
      DATABASE_URL: url,
      SERVER_SECRET: 'a secret of the benchmark that is long enough',
      LOG_LEVEL: 'silent',
      RPC_URLS: 'http://127.0.0.1:1',
      TOKEN_ADDRESS: `0x${'00'.repeat(19)}01`,
      ...realm('CONSUMER'),
      ...realm('ADMIN'),
    }),
  )

const operator = { realm: 'admin' as const, accountId: idAt('account', 1), requestId: 'bench' }
const organizationId = idAt('organization', 5)

/** Lists are as long in both: a page of 50, and ten of everything in one organization. */
const list =
  (q: string, limit = 50): Work =>
  (ctx) =>
    readOrganizations(ctx, { operator, q, page: readPage({ limit }) })

/** What the whole counts grows with the whole: it is shown, and not held to the ratio. */
const counted = new Set(['overview'])

const works: Record<string, Work> = {
  'organizations, 50': list(''),
  'search, one has it': list('house 55', 1),
  'search, one in a hundred': list('quarry', 1),
  'search, one in ten': list('HARBOUR', 10),
  'search, nearly all': list('trading', 50),
  'search, one character': list('q', 1),
  'search, nobody': list('%_nobody'),
  'search, organization id': list(organizationId),
  'search, payment id': list(idAt('payment', 104)),
  'search, vault address': list(addressAt('vault', 5)),
  'search, transaction hash': list(hashAt('policy', 5)),
  'organization in detail': (ctx) => readOrganization(ctx, { operator, organizationId }),
  // A hundredth has no hundred of each to show.
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

const median = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await work()
  return performance.now() - began
}

async function measure(contexts: Record<Size, Context>): Promise<boolean> {
  const sizes = Object.keys(SIZES) as Size[]
  let isGood = true
  for (const [name, work] of Object.entries(works)) {
    const took: Record<Size, number[]> = { small: [], large: [] }
    for (let round = 0; round < ROUNDS; round += 1) {
      const turn = round % 2 === 0 ? sizes : sizes.toReversed()
      for (const size of turn) took[size].push(await timed(() => work(contexts[size])))
    }
    // The first ones plan and fill caches.
    const [small, large] = [median(took.small.slice(WARM_UP)), median(took.large.slice(WARM_UP))]
    const ratio = large / small
    const isHeld = !counted.has(name)
    isGood &&= ratio <= RATIO_MAX || !isHeld
    const ms = (value: number) => `${value.toFixed(2)} ms`.padStart(9)
    const verdict = ratio <= RATIO_MAX ? 'ok' : isHeld ? `over ${RATIO_MAX}` : 'counts the whole'
    process.stdout.write(
      `${name.padEnd(26)} ${ms(small)} ${ms(large)}  ratio ${ratio.toFixed(2)}  ${verdict}\n`,
    )
  }
  return isGood
}

/** A database with a service of that size in it. */
async function makeBooks(server: string, size: Size): Promise<string> {
  const url = new URL(server)
  url.pathname = size
  const owner = new pg.Client(server)
  await owner.connect()
  await owner.query(`create database ${size}`)
  await owner.end()
  await migrate({ url: url.href })
  const client = new pg.Client({
    connectionString: url.href,
    options: '-c search_path=countersign',
  })
  await client.connect()
  await writeAdminBooks(async (text) => (await client.query(text)).rows, SIZES[size])
  await client.end()
  return url.href
}

const folder = await mkdtemp(join(tmpdir(), 'countersign-bench-'))
const postgres = await startEmbeddedPostgres({ folder, durable: false })
try {
  const contexts = {
    small: contextFor(await makeBooks(postgres.url, 'small')),
    large: contextFor(await makeBooks(postgres.url, 'large')),
  }
  process.stdout.write(`Medians of ${ROUNDS - WARM_UP}, at a hundredth and at the whole\n`)
  process.exitCode = (await measure(contexts)) ? 0 : 1
  await Promise.all(Object.values(contexts).map(closeContext))
} finally {
  await postgres.stop()
  await rm(folder, { recursive: true, force: true })
}
