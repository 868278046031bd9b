/** Rounds count, and reads and scrapes return the stored counts. */
import { Logger, runOnce } from 'graphile-worker'
import pg from 'pg'
import sql from 'sql-template-tag'
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { runProvisioning } from '#executor/run-provisioning.ts'
import { enqueue } from '#platform/jobs/jobs.ts'
import {
  createOrganization,
  type Organization,
  startTestApp,
  type TestApp,
} from '#test/support/app.ts'
import { openExpenseHouse } from '#test/support/expenses.ts'
import { healthOf, look } from '#test/support/health.ts'
import { writeReservedPayments } from '#test/support/reserved-payments.ts'
import { freshKey, liftOwnersRowSecurity } from '#test/support/steps.ts'

let service: TestApp
let organization: Organization

beforeAll(async () => {
  service = await startTestApp()
  organization = await createOrganization(service)
  await liftOwnersRowSecurity(service.database)
})
afterAll(() => service.stop())

const asOwner = (text: string, values: unknown[] = []) => service.database.asOwner(text, values)
const scrape = () => service.ctx.metrics.registry.metrics()

/** A scrape is cached for half a second. */
const expectScraped = (line: RegExp) => expect.poll(scrape).toMatch(line)

const found = async (id: 'worker' | 'database', organizationId: string | null = null) => {
  const { severity, code } = await healthOf(service, id, organizationId)
  return [severity, code]
}

describe('the queue', () => {
  const leaveJob = () =>
    service.ctx.db.transaction({}, (tx) => enqueue(tx, 'prune_expired', {}, { attemptsMax: 1 }))

  const fail = async () => {
    const broken = async () => {
      throw new Error('no')
    }
    await runOnce({
      connectionString: service.database.url,
      taskList: { prune_expired: broken },
      noHandleSignals: true,
      logger: new Logger(() => () => {}),
    })
  }

  beforeAll(() =>
    asOwner(`insert into worker_processes (beat_at) values (now() + interval '1 hour')`),
  )
  afterEach(() => asOwner('delete from graphile_worker._private_jobs'))
  afterAll(() => asOwner('delete from worker_processes'))

  test('is counted by rounds only: reads and scrapes use the stored count', async () => {
    await leaveJob()
    await look(service)
    await asOwner('revoke execute on function job_queue_state from countersign_app')
    await leaveJob()
    expect(await found('worker')).toEqual(['healthy', null])
    expect(await found('worker', organization.id)).toEqual(['healthy', null])
    await expectScraped(/^countersign_job_queue_due 1$/m)
    const { observerDb } = service.ctx
    const counted = observerDb.query(sql`select * from job_queue_state()`)
    await expect(counted).rejects.toMatchObject({ code: '42501' })
    await asOwner('grant execute on function job_queue_state to countersign_app')
  })

  test('has the age of its oldest due job', async () => {
    await leaveJob()
    await leaveJob()
    await asOwner(`update graphile_worker._private_jobs set run_at = now() - interval '90 seconds'`)
    await leaveJob()
    await look(service)
    await expectScraped(/^countersign_job_queue_oldest_due_seconds 9[0-9]$/m)
  })

  test('is unknown when counted over a minute ago, although a worker is alive', async () => {
    await look(service)
    await asOwner(`update service_health set checked_at = now() - interval '61 seconds'`)
    expect(await found('worker')).toEqual(['degraded', 'not_checked'])
    await expectScraped(/^countersign_job_queue_due Nan$/im)
    await asOwner('delete from service_health')
    expect(await found('worker')).toEqual(['degraded', 'not_checked'])
  })

  test('with a permanently failed job is reported to operators, for an hour', async () => {
    await leaveJob()
    await fail()
    // A failed job's run_at is when it would have been retried.
    await asOwner(`update graphile_worker._private_jobs set updated_at = now() - interval '1 day'`)
    await look(service)
    expect(await found('worker')).toEqual(['degraded', 'jobs_failed'])
    expect(await found('worker', organization.id)).toEqual(['healthy', null])
    await expectScraped(/^countersign_job_queue_failed 1$/m)
    const later = (minutes: number) =>
      asOwner(
        `update graphile_worker._private_jobs set run_at = run_at - make_interval(mins => $1)`,
        [minutes],
      )
    await later(59)
    await look(service)
    expect(await found('worker')).toEqual(['degraded', 'jobs_failed'])
    await later(1)
    await look(service)
    expect(await found('worker')).toEqual(['healthy', null])
    await expectScraped(/^countersign_job_queue_failed 0$/m)
  })

  test.each([
    ['retried', 'reschedule_jobs(array[$1::int], run_at => now(), attempts => 0)'],
    ['dropped', 'complete_jobs(array[$1::int])'],
  ])('forgets a failed job that an operator has %s', async (_what, call) => {
    await leaveJob()
    await fail()
    const [job] = await asOwner(
      `select id from graphile_worker.jobs where attempts >= max_attempts and locked_at is null`,
    )
    await look(service)
    expect(await found('worker')).toEqual(['degraded', 'jobs_failed'])
    await asOwner(`select id from graphile_worker.${call}`, [job?.id])
    await look(service)
    expect(await found('worker')).toEqual(['healthy', null])
  })

  test('shows its length and nothing of its contents', async () => {
    await leaveJob()
    const [row] = await service.api.db.query(sql`select * from job_queue_state()`)
    expect(row).toEqual({ due: 1, failed: 0, oldest_due_seconds: 0 })
    const jobs = service.api.db.query(sql`select * from graphile_worker._private_jobs`)
    await expect(jobs).rejects.toMatchObject({ code: '42501' })
  })

  test('has no job of a failed provisioning, which reports itself', async () => {
    const { owner, path, id: organizationId } = organization
    const { body } = await service.call('POST', `${path}/executor/provision`, {
      token: owner.token,
      headers: freshKey(),
    })
    const provision = () => Promise.reject(new Error('the provider is down'))
    const executor = { ...service.ctx.executor, provision }
    const payload = { organizationId, provisioningId: body.provisioning.id }
    const run = () => runProvisioning({ ...service.ctx, executor }, payload)
    for (let attempt = 1; attempt < 5; attempt += 1) {
      await expect(run()).rejects.toThrow('the provider is down')
    }
    await run()
    const own = await healthOf(service, 'executor', organizationId)
    expect([own.severity, own.code]).toEqual(['action_required', 'provisioning_failed'])
  })
})

describe('payments, executors, nodes and vault histories', () => {
  const counted = async () => {
    const metrics = await service.ctx.metrics.registry.getMetricsAsJSON()
    const values = (name: string, label: string) => {
      const found = metrics.find((metric) => metric.name === `countersign_${name}`)
      const entries = found?.values.map(({ labels, value }) => [labels[label as never], value])
      return Object.fromEntries(entries ?? [])
    }
    return {
      payments: values('payments', 'state'),
      ages: values('payments_oldest_seconds', 'state'),
      depth: values('lane_depth', 'stage'),
      executors: values('executors', 'gas'),
      lag: values('rpc_lag_blocks', 'node'),
      histories: values('vault_histories_unread', 'state'),
      oldestHistories: values('vault_histories_unread_oldest_seconds', 'state'),
    }
  }

  test('are counted by rounds, over all organizations', async () => {
    const inspectNodes = async () => [
      { outcome: 'answers' as const, latencyMs: 1, headNumber: 7, commonHash: '0x1' },
      { outcome: 'answers' as const, latencyMs: 1, headNumber: 9, commonHash: '0x1' },
    ]
    await look(service, { chain: { ...service.ctx.chain, inspectNodes } })
    const states = ['reserved', 'queued', 'submitting', 'broadcast', 'reconciling', 'blocked']
    const none = Object.fromEntries(states.map((state) => [state, 0]))
    await expect.poll(counted).toEqual({
      payments: none,
      ages: none,
      depth: { queued: 0, in_flight: 0 },
      executors: { enough: 0, low: 0, unread: 0, sponsored: 0 },
      lag: { 1: 2, 2: 0 },
      histories: { reading: 0, failing: 0 },
      oldestHistories: { reading: 0, failing: 0 },
    })
    await asOwner('delete from service_health')
    const unknown = { payments: {}, ages: {}, depth: {}, executors: {}, lag: {} }
    await expect.poll(counted).toEqual({ ...unknown, histories: {}, oldestHistories: {} })
  })

  test('count payments by state, the oldest of each, and the deepest lane', async () => {
    const house = await openExpenseHouse(service)
    await writeReservedPayments(service, house, 6)
    const lane = `(select id from executor_bindings where organization_id = $1)`
    const move = (state: string, count: number, age: string) =>
      asOwner(
        `update payments set state = $2, lane_id = ${lane}, state_since = now() - $4::interval
         where id in (select id from payments where organization_id = $1 and state = 'reserved'
           order by id limit $3)`,
        [house.organization.id, state, count, age],
      )
    await move('queued', 2, '100 seconds')
    await move('broadcast', 1, '10 minutes')
    await asOwner('update payments set state_since = now() where state = $1', ['reserved'])
    await look(service)
    await expect.poll(async () => (await counted()).depth).toEqual({ queued: 2, in_flight: 1 })
    const { payments, ages } = await counted()
    expect(payments).toMatchObject({ reserved: 3, queued: 2, broadcast: 1, blocked: 0 })
    const minutes = Object.entries(ages).map(([state, age]) => [
      state,
      Math.floor(Number(age) / 60),
    ])
    const oldest = { reserved: 0, queued: 1, submitting: 0, broadcast: 10, reconciling: 0 }
    expect(Object.fromEntries(minutes)).toEqual({ ...oldest, blocked: 0 })
    await expectScraped(/^countersign_lanes_busy 1$/m)
    await expectScraped(/^countersign_executors_held 0$/m)
  })

  test('count a vault until its history is read, apart from those that fail', async () => {
    const addressOf = (n: number) => `0x${String(n).repeat(40)}`
    /** Registered this long ago. Another organization refused the first one before. */
    const register = (n: number, age: string, state = 'verified') =>
      asOwner(
        `insert into vaults (id, organization_id, label, chain_id, address, token_address,
           owner_address, artifact_hash, deployment_transaction_hash, state, created_at)
         values (gen_random_uuid(), $1, 'Vault', 31337, $2, $2, $2, '', '', $3,
           now() - $4::interval)`,
        [organization.id, addressOf(n), state, age],
      )
    await register(1, '9 hours', 'disabled')
    await register(1, '100 seconds')
    await register(2, '10 seconds')
    await register(3, '2 hours')
    await register(4, '5 hours')
    await asOwner(
      `insert into chain_watches (address, from_block, failures, caught_up)
       values ($1, 1, 0, false), ($2, 1, 0, false), ($3, 1, 4, false), ($4, 1, 0, true)`,
      [1, 2, 3, 4].map(addressOf),
    )
    await look(service)
    await expect.poll(async () => (await counted()).histories).toEqual({ reading: 2, failing: 1 })
    const { reading, failing } = (await counted()).oldestHistories
    expect([Math.floor(reading / 60), Math.floor(failing / 60)]).toEqual([1, 120])

    // Nothing else about the chain is worse because of it, and its last failure is forgotten.
    await asOwner('update chain_watches set caught_up = true, failures = 0')
    await look(service)
    await expect.poll(async () => (await counted()).histories).toEqual({ reading: 0, failing: 0 })
    expect((await counted()).oldestHistories).toEqual({ reading: 0, failing: 0 })
  })
})

describe('live events withheld by an open transaction', () => {
  test('make the database degraded after ten seconds, until it ends', async () => {
    const client = new pg.Client(service.database.url)
    await client.connect()
    onTestFinished(() => client.end())
    await client.query('begin')
    await client.query('select pg_current_xact_id()')
    // Then the round records changes of severity, and their live events are withheld.
    await asOwner('delete from service_health')
    await look(service)
    expect(await found('database')).toEqual(['healthy', null])
    // All of them: which comes first depends on other tests' transactions too.
    await asOwner(
      `update live_events set occurred_at = now() - interval '90 seconds'
       where transaction_id >= pg_snapshot_xmin(pg_current_snapshot())`,
    )
    await look(service)
    const { severity, code, summary } = await healthOf(service, 'database')
    expect([severity, code]).toEqual(['degraded', 'live_withheld'])
    expect(summary).toMatch(/^Live events have waited 9[0-9] s .* pg_stat_activity/)
    expect(await found('database', organization.id)).toEqual(['degraded', 'live_withheld'])
    await expectScraped(/^countersign_live_withheld_seconds 9[0-9]$/m)
    await client.query('rollback')
    // Snapshots span the cluster: another test's open transaction withholds events as well.
    const healthy = async () => {
      await look(service)
      return found('database')
    }
    await expect.poll(healthy, { timeout: 90_000 }).toEqual(['healthy', null])
    await expectScraped(/^countersign_live_withheld_seconds 0$/m)
  }, 120_000)
})
