/** Health rounds: which process runs them and when, worker health, and stored results. */
import sql from 'sql-template-tag'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import {
  type ExecutorWithSeverity,
  findBeatAge,
  listExecutorFacts,
  listModelAnswers,
} from '#health/health.store.ts'
import { recordHealth } from '#health/record-health.ts'
import { runRound, startHealthWatch } from '#health/watch-health.ts'
import { addSeconds } from '#platform/clock.ts'
import { AppError } from '#platform/errors.ts'
import { enqueue } from '#platform/jobs/jobs.ts'
import { createMetrics } from '#platform/metrics.ts'
import { startRpcProxy } from '#test/chain/rpc-proxy.ts'
import { house } from '#test/security/house.ts'
import { createOrganization, startTestApp, type TestApp } from '#test/support/app.ts'
import { changesTold, healthOf, look } from '#test/support/health.ts'
import { liftOwnersRowSecurity } from '#test/support/steps.ts'
import { startWorker } from '#worker.ts'

let service: TestApp

beforeAll(async () => {
  service = await startTestApp()
  await liftOwnersRowSecurity(service.database)
})
afterAll(() => service.stop())

const asOwner = (text: string, values: unknown[] = []) => service.database.asOwner(text, values)

const workerFound = async () => {
  const { severity, code } = await healthOf(service, 'worker')
  return [severity, code]
}

/** Reads worker health after a round has counted the jobs. */
const lookAtWorker = async () => {
  await look(service)
  return workerFound()
}

describe('worker health, from the database', () => {
  afterEach(async () => {
    await asOwner('delete from worker_processes')
    await asOwner('delete from graphile_worker._private_jobs')
  })

  const beat = (age: string) =>
    asOwner('insert into worker_processes (beat_at) values (now() - $1::interval)', [age])

  /** A job that no worker takes. */
  const leaveJob = () => service.ctx.db.transaction({}, (tx) => enqueue(tx, 'prune_expired', {}))

  test('is worker_away before any worker has registered', async () => {
    expect(await lookAtWorker()).toEqual(['action_required', 'worker_away'])
    expect((await healthOf(service, 'worker')).heartbeatAgeSeconds).toBeNull()
  })

  test.each([
    ['1 second', ['healthy', null]],
    ['20 seconds', ['degraded', 'worker_late']],
    ['40 seconds', ['action_required', 'worker_away']],
  ])('of a worker killed %s ago, leaving its row, is %s', async (age, expected) => {
    await beat(age)
    expect(await lookAtWorker()).toEqual(expected)
    const { heartbeatAgeSeconds } = await healthOf(service, 'worker')
    expect(heartbeatAgeSeconds).toBeGreaterThanOrEqual(Number.parseInt(age, 10))
  })

  test('shows a heartbeat during the read as just now, not as in the future', async () => {
    const age = await service.ctx.db.transaction({}, async (tx) => {
      await tx.query(sql`select 1`)
      await beat('0 seconds')
      return findBeatAge(tx)
    })
    expect(age).toBe(0)
  })

  test('is healthy with one dead and one live worker', async () => {
    await beat('1 hour')
    await beat('1 second')
    expect(await lookAtWorker()).toEqual(['healthy', null])
  })

  test.each([
    ['2 minutes', ['degraded', 'queue_slow']],
    ['20 minutes', ['action_required', 'queue_stuck']],
  ])('with an oldest due job of %s is %s', async (age, expected) => {
    await beat('1 second')
    await leaveJob()
    expect(await lookAtWorker()).toEqual(['healthy', null])
    await asOwner('update graphile_worker._private_jobs set run_at = now() - $1::interval', [age])
    expect(await lookAtWorker()).toEqual(expected)
  })

  test('with a job that is not due yet is healthy', async () => {
    await beat('1 second')
    await leaveJob()
    await asOwner(`update graphile_worker._private_jobs set run_at = now() + interval '1 hour'`)
    expect(await lookAtWorker()).toEqual(['healthy', null])
  })
})

const failedExecutor = (organizationId: string): ExecutorWithSeverity => ({
  organizationId,
  providerType: null,
  address: null,
  isHeld: false,
  unrecordedPayments: 0,
  nativeBalanceWei: 0n,
  paysOwnGas: true,
  balanceAgeSeconds: null,
  provisioningState: 'failed',
  provisioningAgeSeconds: 0,
  told: null,
})

describe('a round', () => {
  const due = () => asOwner('update health_rounds set lease_until = null, due_at = now()')

  test('is run by one of many concurrent processes', async () => {
    await due()
    const tries = await Promise.all([1, 2, 3, 4].map(() => runRound(service.ctx)))
    expect(tries.filter(Boolean)).toHaveLength(1)
    expect(await runRound(service.ctx)).toBe(false)
  })

  test('of a dead process is taken over when its lease has ended, not before', async () => {
    await asOwner(
      `update health_rounds set due_at = now(), lease_until = now() + interval '5 seconds'`,
    )
    expect(await runRound(service.ctx)).toBe(false)
    await asOwner(`update health_rounds set lease_until = now() - interval '1 second'`)
    expect(await runRound(service.ctx)).toBe(true)
  })

  test('that lost its lease writes nothing and leaves the new lease in place', async () => {
    await due()
    await asOwner('delete from service_health')
    const inspectNodes = async () => {
      await asOwner(`update health_rounds set lease_until = now() + interval '1 minute'`)
      return []
    }
    const chain = { ...service.ctx.chain, inspectNodes }
    expect(await runRound({ ...service.ctx, chain })).toBe(true)
    expect(await asOwner('select id from service_health')).toEqual([])
    const held = 'select from health_rounds where lease_until > now() and due_at <= now()'
    expect(await asOwner(held)).toHaveLength(1)
  })

  test('at its deadline stops between executors, and the next one does the rest', async () => {
    const organizations = [await createOrganization(service), await createOrganization(service)]
    const executors = organizations.map(({ id }) => failedExecutor(id))
    const looks = { services: new Map(), figures: new Map(), executors }
    const told = async () =>
      (await changesTold(service)).filter(({ organizationId }) => organizationId !== null)
    const answers = [true, true, false]
    await recordHealth(service.ctx, looks, { goesOn: async () => answers.shift() ?? false })
    expect(await told()).toHaveLength(1)
    await recordHealth(service.ctx, looks)
    expect((await told()).map(({ organizationId }) => organizationId)).toEqual(
      organizations.map(({ id }) => id),
    )
    // Their executors do not exist, so a later round would find them recovered.
    await asOwner('delete from executor_health')
  })

  test('reports the recovery of an organization that has no executor', async () => {
    const { id } = await createOrganization(service)
    const told = async () =>
      (await changesTold(service))
        .filter(({ organizationId }) => organizationId === id)
        .map(({ severity }) => severity)
    const round = async (unrecordedPayments: number) => {
      const read = await listExecutorFacts(service.ctx.observerDb)
      const known = read.filter(({ organizationId }) => organizationId === id)
      const left = { ...failedExecutor(id), provisioningState: null, unrecordedPayments }
      const executors =
        unrecordedPayments > 0 ? [{ ...left, ...known[0], unrecordedPayments }] : known
      await recordHealth(service.ctx, { services: new Map(), figures: new Map(), executors })
    }
    await round(1)
    await round(0)
    await round(0)
    await round(2)
    expect(await told()).toEqual(['action_required', 'healthy', 'action_required'])
    await round(0)
  })

  test('reports a change once, even when two rounds find it concurrently', async () => {
    await asOwner('delete from service_health')
    const before = (await changesTold(service)).length
    await Promise.all([look(service), look(service), look(service)])
    await look(service)
    const told = (await changesTold(service)).slice(before)
    const named = told.map(({ service: name, severity }) => `${name} ${severity}`).sort()
    expect(named).toEqual(['chain action_required', 'worker action_required'])
    expect(new Set(told.map(({ audience }) => audience))).toEqual(new Set(['admin']))
    const text = await service.ctx.metrics.registry.metrics()
    expect(text).toMatch(/^countersign_service_severity\{service="chain"\} 2$/m)
    expect(text).toMatch(/^countersign_service_severity\{service="identity"\} 0$/m)
  })

  test('is started by a new worker, which can stop although a node is silent', async () => {
    const node = await startRpcProxy('http://127.0.0.1:1')
    node.trouble = () => 'silence'
    const silent = await startTestApp({ env: { RPC_URLS: node.url } })
    const watch = startHealthWatch(silent.ctx)
    await expect.poll(() => node.calls.length).toBeGreaterThan(0)
    const startedAt = performance.now()
    await watch.stop()
    expect(performance.now() - startedAt).toBeLessThan(4_500)
    // An aborted check stores nothing.
    expect((await healthOf(silent, 'chain')).code).toBe('not_checked')
    await silent.stop()
    await node.stop()
  })

  test('shows a running worker as healthy, and as worker_away after it has stopped', async () => {
    await due()
    const worker = await startWorker({ ...service.ctx, metrics: createMetrics() })
    await expect.poll(workerFound).toEqual(['healthy', null])
    const checked = 'select severity from service_health where id = $1'
    await expect.poll(() => asOwner(checked, ['worker'])).toEqual([{ severity: 'healthy' }])
    await worker.stop()
    expect(await workerFound()).toEqual(['action_required', 'worker_away'])
  })
})

describe('a stored result', () => {
  test('is valid for a minute, and then not_checked', async () => {
    await look(service)
    expect((await healthOf(service, 'identity')).severity).toBe('healthy')
    await asOwner(`update service_health set checked_at = now() - interval '61 seconds'`)
    const { severity, code } = await healthOf(service, 'identity')
    expect([severity, code]).toEqual(['degraded', 'not_checked'])
    // Problems remain: a missing check does not clear them.
    expect((await healthOf(service, 'chain')).code).toBe('chain_away')
  })

  test('is not_checked before the first round', async () => {
    await asOwner('delete from service_health')
    const { severity, code } = await healthOf(service, 'analyst')
    expect([severity, code]).toEqual(['degraded', 'not_checked'])
  })
})

test('detects a failing model from its reports, without calling it', async () => {
  let asked = 0
  const analyst = {
    name: 'a-model',
    version: '1',
    review: () => {
      asked += 1
      return Promise.reject(new AppError('dependency_unavailable'))
    },
  }
  const modelled = await startTestApp({ replace: { analyst } })
  await look(modelled)
  const first = await healthOf(modelled, 'analyst')
  expect([first.severity, first.code, asked]).toEqual(['healthy', null, 0])
  await house(modelled)
  const before = asked
  expect(before).toBeGreaterThan(0)
  await look(modelled)
  const { severity, code } = await healthOf(modelled, 'analyst')
  expect([severity, code, asked - before]).toEqual(['degraded', 'model_away', 0])
  await modelled.stop()
})

test('counts only those of the last reports that are recent enough', async () => {
  const modelled = await startTestApp()
  await house(modelled)
  await liftOwnersRowSecurity(modelled.database)
  const hourAgo = addSeconds(new Date(), -3_600)
  const last = (limit: number) =>
    listModelAnswers(modelled.ctx.observerDb, { since: hourAgo, limit })
  const all = (await last(20)).length
  expect([all, await last(1)]).toEqual([expect.any(Number), [false]])
  await modelled.database.asOwner(
    `update reports set created_at = now() - interval '2 hours'
     where id = (select id from reports order by id desc limit 1)`,
  )
  // The last one is too old, and the one before it is not the last.
  expect([await last(1), (await last(20)).length]).toEqual([[], all - 1])
  await modelled.stop()
})
