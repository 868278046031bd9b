/**
 * Hash partitions by organization beside one plain table, with one row for each of a million
 * organizations: what reading and writing in one organization costs in each, and whether plans read
 * one partition. The product has plain tables; docs/SIZING.md says when partitions pay.
 */
import type pg from 'pg'
import type { Figure } from './figures.ts'
import { PARTITIONED } from './sizes.ts'
import { inTurns, rounded, say } from './turns.ts'

const PARTITIONS = PARTITIONED.partitions
const CALLS = 50

const columns = `organization_id uuid not null, id uuid not null, state text not null,
  submitter_account_id uuid not null, payment_id uuid not null, current_revision integer not null,
  created_at timestamptz not null, updated_at timestamptz not null,
  primary key (organization_id, id)`

/** The main columns of `expenses`, the table with the most rows that lists read. */
async function createTables(pool: pg.Pool): Promise<void> {
  await pool.query(`create schema partitions_bench;
    create table partitions_bench.plain (${columns});
    create table partitions_bench.hashed (${columns}) partition by hash (organization_id)`)
  for (let n = 0; n < PARTITIONS; n += 1) {
    await pool.query(`create table partitions_bench.hashed_${n}
      partition of partitions_bench.hashed for values with (modulus ${PARTITIONS}, remainder ${n})`)
  }
}

const organizationOf = (n: string) => `md5('organization ' || (${n}))::uuid`

async function fill(pool: pg.Pool, table: string, organizations: number): Promise<number> {
  const began = performance.now()
  await pool.query(`
    insert into partitions_bench.${table}
    select ${organizationOf(`n % ${organizations}`)}, md5(n::text)::uuid,
      case n % 10 when 0 then 'needs_review' else 'paid' end, md5('a' || n)::uuid,
      md5('p' || n)::uuid, 1, now(), now() - n * interval '1 second'
    from generate_series(1, ${organizations * PARTITIONED.rowsEach}) n`)
  await pool.query(`create index on partitions_bench.${table}
    (organization_id, state, updated_at desc)`)
  await pool.query(`vacuum analyze partitions_bench.${table}`)
  return (performance.now() - began) / 1_000
}

/** Partitions that a plan names. */
async function partitionsRead(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query(`explain (format json)
    select * from partitions_bench.hashed where organization_id = ${organizationOf('7')}
      and state = 'paid' order by updated_at desc limit 20`)
  return new Set(JSON.stringify(rows).match(/hashed_\d+/g) ?? []).size
}

const list = (pool: pg.Pool, table: string, organizations: number) => async () => {
  const began = performance.now()
  for (let n = 0; n < CALLS; n += 1) {
    const organization = Math.floor(Math.random() * organizations)
    await pool.query({
      name: `list ${table}`,
      text: `select * from partitions_bench.${table}
        where organization_id = md5('organization ' || $1::integer)::uuid and state = 'paid'
        order by updated_at desc limit 20`,
      values: [organization],
    })
  }
  return (performance.now() - began) / CALLS
}

const write = (pool: pg.Pool, table: string, organizations: number) => async () => {
  const began = performance.now()
  for (let n = 0; n < CALLS; n += 1) {
    await pool.query({
      name: `write ${table}`,
      text: `insert into partitions_bench.${table}
        values (md5('organization ' || $1::integer)::uuid, gen_random_uuid(), 'draft',
          gen_random_uuid(), gen_random_uuid(), 1, now(), now())`,
      values: [Math.floor(Math.random() * organizations)],
    })
  }
  return (performance.now() - began) / CALLS
}

/** Seconds to vacuum everything, and the largest single vacuum, which is what holds back others. */
async function vacuum(pool: pg.Pool, table: string): Promise<number> {
  const began = performance.now()
  await pool.query(`vacuum (disable_page_skipping) partitions_bench.${table}`)
  return performance.now() - began
}

async function sizeOf(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query(
    `select pg_total_relation_size('partitions_bench.plain')::float8 as bytes`,
  )
  return rows[0].bytes / 2 ** 20
}

export async function measurePartitions(
  pool: pg.Pool,
  { part, rounds }: { part: number; rounds: number },
): Promise<Figure[]> {
  const organizations = Math.ceil(PARTITIONED.organizations * part)
  await createTables(pool)
  const filled = {
    plain: await fill(pool, 'plain', organizations),
    hashed: await fill(pool, 'hashed', organizations),
  }
  say(`partitions filled in ${rounded(filled.plain)} s and ${rounded(filled.hashed)} s`)
  const read = await partitionsRead(pool)
  const count = organizations.toLocaleString('en')
  const beside = `one plain table, a row for each of ${count} organizations`
  const compare = async (what: string, work: typeof list): Promise<Figure> => {
    const { values, ratios } = await inTurns(
      { plain: work(pool, 'plain', organizations), hashed: work(pool, 'hashed', organizations) },
      rounds,
    )
    return {
      what,
      value: rounded(1 / ratios.hashed),
      unit: '',
      beside,
      more: { 'ms plain': rounded(values.plain, 3), 'ms partitioned': rounded(values.hashed, 3) },
    }
  }
  const figures: Figure[] = [
    {
      what: `partitions that a list of one organization reads, of ${PARTITIONS}`,
      value: read,
      unit: '',
      target: { atMost: 1 },
    },
    await compare('list of one organization, partitioned', list),
    await compare('insert into one organization, partitioned', write),
  ]
  const plainMs = await vacuum(pool, 'plain')
  const oneMs = await vacuum(pool, 'hashed_0')
  figures.push({
    what: 'vacuum of one partition',
    value: rounded(oneMs / plainMs, 3),
    unit: '',
    beside: 'vacuum of the plain table',
    more: {
      'ms plain': rounded(plainMs),
      'ms of one partition': rounded(oneMs),
      'MiB plain': rounded(await sizeOf(pool)),
    },
  })
  await pool.query('drop schema partitions_bench cascade')
  return figures
}
