/**
 * A worker process loses its database at a specific statement for long enough to notice. It must
 * survive, write every outcome, and run no job more often than necessary.
 */
import pg from 'pg'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'
import { type Gate, openGate, throughGate } from '#test/support/gate.ts'
import { type Cut, startPostgresTap } from './postgres-tap.ts'
import { cleanUp, onCleanUp, type Running, runScript } from './processes.ts'

vi.setConfig({ testTimeout: 90_000, hookTimeout: 90_000 })
afterAll(cleanUp)

const FIXTURE = 'test/processes/fixtures/worker.ts'

type Outage = { statement: RegExp; cut: Cut }
type Bench = {
  database: TestDatabase
  add(job: string, label: string): Promise<unknown>
  began(label: string): Promise<number>
}

async function makeBench(): Promise<Bench> {
  const database = await createTestDatabase()
  onCleanUp(() => database.drop())
  const { asOwner } = database
  await asOwner(`create table public.runs (n serial, label text, event text, pid integer);
                 create table public.released (label text)`)
  return {
    database,
    add: (job, label) =>
      asOwner(`select graphile_worker.add_job($1, json_build_object('label', $2::text), 'lane')`, [
        job,
        label,
      ]),
    began: async (label) => {
      const rows = await asOwner(`select from public.runs where label = $1 and event = 'began'`, [
        label,
      ])
      return rows.length
    },
  }
}

const until = (check: () => unknown, timeout = 30_000) =>
  vi.waitFor(check, { timeout, interval: 50 })

/** At the first such statement every connection ends, and new ones are refused. */
async function withOutage({ url }: TestDatabase, { statement, cut }: Outage) {
  let isDue = true
  const happened = Promise.withResolvers<void>()
  const doors: Gate[] = []
  const tap = await startPostgresTap(url, {
    hear: ({ texts }) => {
      if (!isDue || !texts.some((text) => statement.test(text))) return undefined
      isDue = false
      return cut
    },
    cut: () => void doors[0]?.shut().then(happened.resolve),
  })
  const gate = await openGate(new URL(tap.url))
  doors.push(gate)
  onCleanUp(async () => {
    await gate.close()
    await tap.stop()
  })
  return { url: throughGate(url, gate), gate, happened: happened.promise }
}

const expectAlive = (worker: Running) => expect(worker.hasEnded(), worker.stderr()).toBe(false)

const COMPLETES = /^with j as \(\s*delete from/
const FAILS = /last_error = \(el/
const TAKES = /attempts = jobs\.attempts \+ 1/
const DESCRIBES = /_private_tasks as tasks/

type Case = Outage & { when: string; job: string; runs: number }

const cases: Case[] = [
  {
    when: 'before a completion is executed',
    statement: COMPLETES,
    cut: 'asked',
    job: 'quick',
    runs: 1,
  },
  {
    when: 'after a completion is executed',
    statement: COMPLETES,
    cut: 'answered',
    job: 'quick',
    runs: 1,
  },
  {
    when: 'before a failure is executed',
    statement: FAILS,
    cut: 'asked',
    job: 'fail_once',
    runs: 2,
  },
  {
    when: 'after a failure is executed',
    statement: FAILS,
    cut: 'answered',
    job: 'fail_once',
    runs: 2,
  },
  { when: 'before a job is locked', statement: TAKES, cut: 'asked', job: 'quick', runs: 1 },
  { when: 'after a job is locked', statement: TAKES, cut: 'answered', job: 'quick', runs: 1 },
  { when: 'at the first statement', statement: DESCRIBES, cut: 'asked', job: 'quick', runs: 1 },
]

describe.concurrent('a worker whose database refuses connections', () => {
  test.each(cases)('survives an outage $when and runs the job $runs times', async (given) => {
    const bench = await makeBench()
    await bench.add(given.job, 'first')
    await bench.add('quick', 'next')
    const { url, gate, happened } = await withOutage(bench.database, given)
    const worker = runScript(FIXTURE, { DATABASE_URL: url, WATCHER_URL: bench.database.url })
    await happened
    await worker.says(/worker heartbeat failed/)
    expectAlive(worker)
    await gate.open()
    await until(async () => {
      expect(await bench.database.asOwner('select from graphile_worker.jobs')).toEqual([])
    })
    expectAlive(worker)
    expect(await bench.began('first')).toBe(given.runs)
    expect(await bench.began('next')).toBe(1)
    worker.kill('SIGTERM')
    expect(await worker.ended).toEqual({ code: 0, signal: null })
  })

  const refusals = [
    { code: '53300', refuse: 'connection limit 0', allow: 'connection limit -1' },
    { code: '55000', refuse: 'allow_connections false', allow: 'allow_connections true' },
  ]

  test.each(refusals)('completes its job after PostgreSQL answered $code', async (given) => {
    const bench = await makeBench()
    const { url } = bench.database
    const name = new URL(url).pathname.slice(1)
    const server = await serverOf(url)
    const worker = runScript(FIXTURE, { DATABASE_URL: url })
    await worker.says(/working/)
    await bench.add('until_signal', 'held')
    await worker.says(/waiting for a signal/)
    await server.query(`alter database ${name} ${given.refuse}`)
    await server.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = $1',
      [name],
    )
    worker.kill('SIGUSR2')
    await worker.says(/job queue statement failed/)
    await worker.says(new RegExp(`"code":"${given.code}"`))
    expectAlive(worker)
    await server.query(`alter database ${name} ${given.allow}`)
    await until(async () => {
      expect(await bench.database.asOwner('select from graphile_worker.jobs')).toEqual([])
    })
    expect(worker.stdout().match(/waiting for a signal/g)).toHaveLength(1)
    worker.kill('SIGTERM')
    expect(await worker.ended).toEqual({ code: 0, signal: null })
  })
})

/** Connected to another database of the same server, which always accepts connections. */
async function serverOf(url: string): Promise<pg.Client> {
  const other = new URL(url)
  other.pathname = '/postgres'
  const client = new pg.Client(other.href)
  await client.connect()
  onCleanUp(() => client.end())
  return client
}
