/**
 * One organization with 100,000 open expenses and 50,000 reserved payments, one expense with 20,000
 * comments, one account in 5,000 organizations: what every read and a reservation cost, and how
 * large the answers are, beside the same in a small organization. `SCALE_PART=0.02` makes the large
 * one smaller.
 */
import { readFile } from 'node:fs/promises'
import type { FastifyInstance } from 'fastify'
import pg from 'pg'
import { buildApp } from '#app.ts'
import { closeContext, compose } from '#compose.ts'
import type { Context } from '#context.ts'
import { deleteOpenStreams, insertOpenStream } from '#live/streams.store.ts'
import { findAutomaticStanding } from '#payments/automatic.store.ts'
import { insertPayment } from '#payments/payments.store.ts'
import { readConfig } from '#platform/config/config.ts'
import { createRateCounter } from '#platform/rate-leases.ts'
import { findHeld, lockVault } from '#treasury/vaults.store.ts'
import { subjectOf } from './data-set.ts'
import { type Figure, handOver } from './figures.ts'
import { measurePartitions } from './partitions.ts'
import { SCALE, type ScaleData, type Sizes, writeScale } from './scale-data.ts'
import { type Ground, prepareGround } from './service-stage.ts'
import { LARGE, SMALL } from './sizes.ts'
import { inTurns, median, rounded, say } from './turns.ts'

const PART = Number(process.env.SCALE_PART ?? 1)
const ROUNDS = Number(process.env.SCALE_ROUNDS ?? 20)
/** Of the medians. A read whose cost does not depend on the size is about 1. */
const RATIO_MAX = 1.5
const LIMIT_ROUNDS = 500
/** Measures only those whose name has this in it. */
const ONLY = process.env.SCALE_ONLY ?? ''

const LARGE_PART: Sizes = {
  openExpenses: LARGE.openExpenses * PART,
  reservedPayments: LARGE.reservedPayments * PART,
  comments: LARGE.comments * PART,
  memberships: LARGE.memberships * PART,
}

type House = {
  data: ScaleData
  /** One without a payment. */
  unpaidExpenseId: string
  ctx: Context
  /** Automatic payments are reserved by workers. */
  worker: Context
  app: FastifyInstance
  tokens: { consumer: string; admin: string }
}

async function openHouse(ground: Ground, name: string, sizes: Sizes): Promise<House> {
  const data = await writeScale(ground, { name, sizes })
  const env = { ...ground.env, DATABASE_URL: data.url, DATABASE_POOL_SIZE: '2' }
  const config = { ...readConfig(env), logLevel: 'silent' as const }
  const ctx = compose(config)
  const app = await buildApp(ctx)
  const tokens = {
    consumer: await ground.tokenOf(subjectOf(SCALE, 1)),
    admin: await ground.tokenOf(data.operatorSubject, 'admin'),
  }
  const unpaidExpenseId = await findUnpaid(data)
  const worker = compose(config, {}, 'worker')
  return { data, unpaidExpenseId, ctx, worker, app, tokens }
}

async function findUnpaid({ url }: ScaleData): Promise<string> {
  const options = '-c search_path=countersign'
  const pool = new pg.Pool({ connectionString: url, max: 1, options })
  const { rows } = await pool.query(`
    select id from expenses e
    where current_revision = 2 and not exists (select from payments where expense_id = e.id)
    order by id desc limit 1`)
  await pool.end()
  return rows[0].id
}

/** Bytes of the answer, if there is one. */
type Work = (house: House) => Promise<number | undefined>

/** Streams do not end, and exports are as long as what they export. */
const isRead = (path: string): boolean => !/\/live\/stream$|\/exports\//.test(path)

function urlOf(path: string, { data }: House): string {
  const values: Record<string, string> = {
    organizationId: data.organizationId,
    expenseId: data.expenseId,
    paymentId: data.paymentId,
    vaultId: data.vaultId,
    reportId: data.reportId,
    revision: '2',
  }
  return path.replace(/\{(\w+)\}/g, (hole, name) => values[name] ?? hole)
}

const read =
  (path: string): Work =>
  async (house) => {
    const realm = path.startsWith('/v1/admin') ? 'admin' : 'consumer'
    const headers = { authorization: `Bearer ${house.tokens[realm]}` }
    const answer = await house.app.inject({ url: urlOf(path, house), headers })
    if (answer.statusCode !== 200) throw new Error(`${path}: ${answer.body}`)
    return answer.rawPayload.length
  }

/** Every operation that reads and answers 200 in the small organization, and those that do not. */
async function readsOf(house: House): Promise<{ works: Record<string, Work>; others: string[] }> {
  const text = await readFile(new URL('../openapi.json', import.meta.url), 'utf8')
  const { paths }: { paths: Record<string, { get?: { operationId: string } }> } = JSON.parse(text)
  const works: Record<string, Work> = {}
  const others: string[] = []
  for (const [path, { get }] of Object.entries(paths)) {
    if (!get || !isRead(path)) continue
    const answers = await read(path)(house).then(
      () => true,
      () => false,
    )
    if (answers) works[get.operationId] = read(path)
    else others.push(get.operationId)
  }
  return { works, others }
}

const HASH = `0x${'a'.repeat(64)}`
const UNDONE = new Error('The reservation is undone')

/**
 * What a reservation locks and reads, then its row with all triggers, undone at the end. The row is
 * that of an automatic payment in both cases, because it changes more sums than a signed one.
 */
const reservation =
  (isAutomatic: boolean): Work =>
  async ({ worker: ctx, data, unpaidExpenseId }) => {
    const { organizationId, vaultId, recipientAddress, paymentId, accountId, reportId } = data
    const reserved = ctx.db.transaction({ organizationId }, async (tx) => {
      await lockVault(tx, { organizationId, vaultId })
      await findHeld(tx, { organizationId, vaultId })
      const key = { organizationId, paymentId, vaultId, recipientAddress, accountIds: [accountId] }
      if (isAutomatic) await findAutomaticStanding(tx, key)
      const at = ctx.clock.now()
      const id = ctx.ids.next()
      await insertPayment(tx, {
        ...{ id, organizationId, vaultId, recipientAddress, reportId, at, mode: 'automatic' },
        ...{ expenseId: unpaidExpenseId, expenseRevision: 2, expenseVersionHash: HASH },
        ...{ reportHash: HASH, approvalId: null, approvalDigest: null, requiredApprovals: 1 },
        chainPaymentId: `0x${id.replaceAll('-', '').padStart(64, '0')}`,
        tokenAddress: ctx.config.chain.tokenAddress,
        amount: 20_000n,
        policyVersion: 1,
        deadline: new Date(at.getTime() + 86_400_000).toISOString(),
        seal: null,
      })
      throw UNDONE
    })
    await reserved.catch((error) => {
      if (error !== UNDONE) throw error
    })
    return undefined
  }

const reserving: Record<string, Work> = {
  'reserving a signed payment': reservation(false),
  'reserving an automatic payment': reservation(true),
}

async function measure(small: House, large: House): Promise<Figure[]> {
  const { works: reads, others } = await readsOf(small)
  const works = { ...reads, ...reserving }
  const figures: Figure[] = [
    {
      what: 'reads that are measured',
      value: Object.keys(reads).length,
      unit: '',
      more: { 'not measured, because the data has nothing for them': others.join(' ') },
    },
  ]
  let largest = 0
  for (const [what, work] of Object.entries(works)) {
    if (!what.includes(ONLY)) continue
    const bytes = { small: await work(small), large: await work(large) }
    const timed = (house: House) => async () => {
      const began = performance.now()
      await work(house)
      return performance.now() - began
    }
    const runs = { small: timed(small), large: timed(large) }
    for (const run of Object.values(runs)) for (let n = 0; n < 8; n += 1) await run()
    const { values, ratios } = await inTurns(runs, ROUNDS)
    const more: Figure['more'] = { 'ms in the small one': rounded(values.small) }
    if (bytes.large !== undefined) {
      more['kB of the answer'] = rounded(bytes.large / 1_000, 1)
      more['kB in the small one'] = rounded((bytes.small ?? 0) / 1_000, 1)
    }
    more['ms in the large one'] = rounded(values.large)
    figures.push({
      what,
      value: rounded(1 / ratios.large),
      unit: '',
      beside: 'the small organization',
      target: { atMost: RATIO_MAX },
      more,
    })
    say(`${what}: ${JSON.stringify(figures.at(-1))}`)
    if (bytes.large !== undefined) largest = Math.max(largest, bytes.large)
  }
  const what = 'the largest answer of all reads'
  figures.push({ what, value: rounded(largest / 1_024), unit: 'KiB', target: { atMost: 1_024 } })
  return figures
}

/** What the shared limit of requests adds to a request, within the limit and beyond it. */
async function measureLimits(ctx: Context): Promise<Figure[]> {
  const figures: Figure[] = []
  const run = async (what: string, { max, requests }: { max: number; requests: number }) => {
    let statements = 0
    const db = {
      query: ((statement) => {
        statements += 1
        return ctx.db.query(statement)
      }) as Context['db']['query'],
    }
    const limit = { name: what, max, windowMs: 60_000 }
    const counter = createRateCounter({ db, clock: ctx.clock }, limit)
    await counter.count('warm-up')
    const began = performance.now()
    for (let n = 0; n < requests; n += 1) await counter.count('somebody')
    const micros = ((performance.now() - began) * 1_000) / requests
    const more = { requests, statements: statements - 1 }
    figures.push({ what, value: rounded(micros), unit: 'µs', more })
  }
  await run('shared rate limit, for each of 600 requests a minute', { max: 600, requests: 600 })
  await run('shared rate limit, for the first request of a minute', { max: 600, requests: 1 })
  await run('shared rate limit, for requests beyond it', { max: 600, requests: 20_000 })
  return figures
}

/** What counting the streams of an account across processes adds to opening one. */
async function measureStreamLimit({ ctx, data: { accountId } }: House): Promise<Figure> {
  const { lifetimeMs, perAccount } = ctx.config.streams
  const micros: number[] = []
  const opened: string[] = []
  for (let n = 0; n < LIMIT_ROUNDS; n += 1) {
    const id = ctx.ids.next()
    const began = performance.now()
    await ctx.db.transaction({ accountId }, (tx) =>
      insertOpenStream(tx, { id, accountId, lifetimeMs, perAccount }),
    )
    micros.push((performance.now() - began) * 1_000)
    opened.push(id)
    if (opened.length === perAccount) await deleteOpenStreams(ctx.db, opened.splice(0, 1))
  }
  await deleteOpenStreams(ctx.db, opened)
  const what = `shared stream limit, opening the last of ${perAccount}`
  return { what, value: rounded(median(micros), 0), unit: 'µs' }
}

/** Bytes on the disk for each expense, indexes included: what the sizing page multiplies. */
async function measureStorage({ data }: House): Promise<Figure[]> {
  const pool = new pg.Pool({ connectionString: data.url, max: 1 })
  const { rows } = await pool.query(`
    select sum(pg_total_relation_size(c.oid))::float8 as bytes from pg_class c
    join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = 'countersign' and c.relkind = 'r' and c.relname <> 'expense_comments'`)
  await pool.end()
  const kib = rows[0].bytes / 1_024 / LARGE_PART.openExpenses
  const what = 'disk space of an expense with its history, indexes included'
  return [{ what, value: rounded(kib), unit: 'KiB' }]
}

const ground = await prepareGround()
const houses: House[] = []
try {
  for (const [name, sizes] of Object.entries({ small: SMALL, large: LARGE_PART })) {
    const began = performance.now()
    houses.push(await openHouse(ground, name, sizes))
    say(`${name} written in ${Math.round((performance.now() - began) / 1000)} s`)
  }
  const [small, large] = houses as [House, House]
  const figures = await measure(small, large)
  figures.push(...(await measureLimits(large.ctx)))
  figures.push(await measureStreamLimit(large))
  figures.push(...(await measureStorage(large)))
  if ('partitions'.includes(ONLY)) {
    figures.push(...(await measurePartitions(ground.pool, { part: PART, rounds: ROUNDS })))
  }
  await handOver(figures)
} finally {
  for (const { app, ctx, worker } of houses) {
    await app.close()
    await closeContext(worker)
    await closeContext(ctx)
  }
  await ground.stop()
}
