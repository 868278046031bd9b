/**
 * One request id identifies the request, the jobs that it caused and their audit events, and the
 * trace of them all.
 */
import { randomUUID } from 'node:crypto'
import pg from 'pg'
import type { Sql } from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { countPayments } from '#health/health.store.ts'
import { readTracing } from '#platform/config/tracing.ts'
import { createLog } from '#platform/log.ts'
import {
  attributeOf,
  type OtlpReceiver,
  type ReceivedSpan,
  startOtlpReceiver,
} from '#test/support/otlp-receiver.ts'
import { openPayingHouse, type PayingHouse, payable, untilState } from '#test/support/payments.ts'
import { liftOwnersRowSecurity } from '#test/support/steps.ts'
import { key, startTreasury, type Treasury } from '#test/support/treasury.ts'
import { startTracing, type Tracing } from '#tracing.ts'

type Line = Record<string, unknown> & { msg: string }

let treasury: Treasury
let house: PayingHouse
let receiver: OtlpReceiver
let tracing: Tracing
const lines: Line[] = []

beforeAll(async () => {
  receiver = await startOtlpReceiver()
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, TRUST_TRACEPARENT: 'true' }
  const about = { process: 'both', version: '1', environment: 'test' } as const
  tracing = await startTracing({ ...about, tracing: readTracing(env, true) })
  const destination = { write: (line: string) => void lines.push(JSON.parse(line)) }
  const log = createLog({ level: 'info', destination })
  treasury = await startTreasury({ env, replace: () => ({ log }) })
  house = await openPayingHouse(treasury)
})
afterAll(async () => {
  await treasury.stop()
  await tracing.stop()
  await receiver.close()
})

const linesOf = (requestId: string, msg: string) =>
  lines.filter((line) => line.requestId === requestId && line.msg === msg)

/** Submits an automatic expense, whose remaining steps are jobs. */
async function submit(requestId: string): Promise<string> {
  const { service } = house.treasury
  const { token } = house.employee
  const made = await service.call('POST', `${house.path}/expenses`, {
    token,
    headers: key(),
    body: payable(house, { requestedMode: 'automatic' }),
  })
  const submitted = await service.call('POST', `${house.path}/expenses/${made.body.id}/submit`, {
    token,
    headers: { 'x-request-id': requestId },
    body: { expectedVersion: 1 },
  })
  expect(submitted.status).toBe(202)
  return made.body.id
}

describe('the id of a request', () => {
  test('is in the log line of every job from the analysis to the payment', async () => {
    const requestId = `trace-${randomUUID()}`
    const id = await submit(requestId)
    await untilState(house, id, 'paid')
    expect(linesOf(requestId, 'request')).toMatchObject([{ method: 'POST', status: 202 }])
    await expect
      .poll(() => new Set(linesOf(requestId, 'job').map(({ job }) => job)))
      .toEqual(new Set(['analyze_expense', 'work_lane']))
    for (const line of linesOf(requestId, 'job')) {
      expect(Object.keys(line).sort()).toEqual(
        [
          ...['attempt', 'job', 'jobId', 'level', 'ms', 'msg', 'organizationId', 'outcome'],
          ...['requestId', 'service', 'time'],
        ].sort(),
      )
      expect(line).toMatchObject({
        level: 'info',
        outcome: 'done',
        attempt: 1,
        organizationId: house.id,
        jobId: expect.stringMatching(/^\d+$/),
      })
    }
  })

  test('is in the audit event of the request and in those of its jobs', async () => {
    const requestId = `trace-${randomUUID()}`
    const id = await submit(requestId)
    await untilState(house, id, 'paid')
    const rows = await treasury.service.database.asOwner<{ action: string; realm: string }>(
      `select action, actor_realm as realm from audit_events
       where organization_id = $1 and request_id = $2 order by seq`,
      [house.id, requestId],
    )
    expect(rows).toContainEqual({ action: 'expense.submitted', realm: 'consumer' })
    for (const action of ['agent_run.succeeded', 'payment.released', 'payment.submitted']) {
      expect(rows).toContainEqual({ action, realm: 'system' })
    }
  })

  test('is absent from the lines of jobs that reschedule themselves', async () => {
    await expect
      .poll(() => lines.find(({ job }) => job === 'watch_executor'), { timeout: 40_000 })
      .toMatchObject({ requestId: null, organizationId: house.id, outcome: 'done' })
  })
})

const spansOf = (traceId: string) => receiver.spans.filter((span) => span.traceId === traceId)
const named = (spans: readonly ReceivedSpan[], name: string) =>
  spans.filter((span) => span.name === name)

describe('the trace of a request', () => {
  let traceId: string
  let spans: ReceivedSpan[]

  beforeAll(async () => {
    const requestId = randomUUID()
    traceId = requestId.replaceAll('-', '')
    await untilState(house, await submit(requestId), 'paid')
    // Spans are exported every second, and the job that confirms ends after the payment.
    const ended = () => {
      const names = spansOf(traceId).map(({ name }) => name)
      expect(names).toEqual(expect.arrayContaining(['payment confirmed', 'job work_lane']))
    }
    await vi.waitFor(ended, { timeout: 20_000 })
    spans = spansOf(traceId)
  })

  test('is counted, as are the requests to the node', async () => {
    const text = await treasury.service.ctx.metrics.registry.metrics()
    expect(text).toMatch(/^countersign_trace_spans_total\{outcome="exported"\} [1-9]/m)
    expect(text).toMatch(/^countersign_rpc_requests_total\{node="1",outcome="answered"\} [1-9]/m)
    expect(text).toMatch(/^countersign_rpc_duration_seconds_count\{node="1"\} [1-9]/m)
  })

  test('goes from the request to the confirmed payment', () => {
    const [root] = spans.filter(({ kind }) => kind === 2)
    const route = '/v1/consumer/organizations/:organizationId/expenses/:expenseId/submit'
    expect(root).toMatchObject({ name: `POST ${route}` })
    expect(root).not.toHaveProperty('parentSpanId')
    const [operation] = named(spans, 'submitExpense')
    expect(operation).toMatchObject({ parentSpanId: root?.spanId })
    for (const name of ['job analyze_expense', 'job work_lane']) {
      expect(named(spans, name)[0]).toMatchObject({ parentSpanId: root?.spanId, kind: 5 })
    }
    const lanes = named(spans, 'job work_lane').map(({ spanId }) => spanId)
    const sent = named(spans, 'chain eth_sendRawTransaction')
    expect(sent.map(({ parentSpanId = '' }) => lanes.includes(parentSpanId))).toContain(true)
    expect(spans.some(({ name }) => name.startsWith('provider executor.'))).toBe(true)
    expect(
      spans.some(({ parentSpanId, name }) => {
        return parentSpanId === operation?.spanId && name.startsWith('SQL ')
      }),
    ).toBe(true)
  })

  test('has the time of the payment in each state, one after the other', () => {
    const moves = spans
      .filter(({ name }) => name.startsWith('payment '))
      .toSorted((a, b) => (a.endTimeUnixNano < b.endTimeUnixNano ? -1 : 1))
    const states = moves.map((span) => [
      attributeOf(span, 'countersign.payment.from'),
      attributeOf(span, 'countersign.payment.to'),
    ])
    expect(states.slice(0, 2)).toEqual([
      ['reserved', 'queued'],
      ['queued', 'submitting'],
    ])
    expect(states.at(-1)?.[1]).toBe('confirmed')
    for (const [n, { startTimeUnixNano: start }] of moves.entries()) {
      expect(start >= (moves[n - 1]?.endTimeUnixNano ?? '')).toBe(true)
    }
  })

  test('contains no parameter, text, name, address or token', () => {
    const text = JSON.stringify(receiver.spans).toLowerCase()
    expect(text).toContain('$1')
    const { recipient, employee, ownerWallet, executor, vault } = house
    const hidden = [
      ...[recipient, ownerWallet.address, executor, vault.address, house.recipientId],
      ...[employee.token, employee.subject, employee.accountId, 'printers', 'annual report'],
    ].map((word) => word.toLowerCase())
    expect(payable(house).purpose).toContain('annual report')
    expect(hidden.filter((word) => text.includes(word))).toEqual([])
  })

  test('begins with the span of a trusted caller', async () => {
    const caller = { traceId: randomUUID().replaceAll('-', ''), spanId: 'b7ad6b7169203331' }
    const { headers } = await treasury.service.call('GET', house.path, {
      token: house.owner.token,
      headers: {
        traceparent: `00-${caller.traceId}-${caller.spanId}-01`,
        'x-request-id': 'ours',
      },
    })
    expect(headers['x-request-id']).toBe(caller.traceId)
    await expect
      .poll(() => spansOf(caller.traceId).find(({ kind }) => kind === 2))
      .toMatchObject({ parentSpanId: caller.spanId })
  })
})

describe('the counts of payments', () => {
  test('are by state, with the age of the oldest and the depth of the deepest lane', async () => {
    // Rolled back: the worker must not see these states.
    const { database } = treasury.service
    await liftOwnersRowSecurity(database)
    const client = new pg.Client(database.url)
    await client.connect()
    onTestFinished(() => client.end())
    await client.query('begin')
    await client.query('set local search_path to countersign')
    const { rows } = await client.query<{ id: string }>('select id from payments order by id')
    expect(rows.length).toBeGreaterThanOrEqual(3)
    const states = ['queued', 'broadcast', 'broadcast']
    for (const [n, state] of states.entries()) {
      await client.query(
        `update payments set state = $2, state_since = now() - make_interval(secs => $3)
         where id = $1`,
        [rows[n]?.id, state, 100 * (n + 1)],
      )
    }
    const observer = {
      query: async (statement: Sql) => (await client.query(statement)).rows,
    }
    const { payments, laneDepth, busyLanes } = await countPayments(observer as never)
    expect(payments).toMatchObject({
      queued: { count: '1', oldestSeconds: 100 },
      broadcast: { count: '2', oldestSeconds: 300 },
      reserved: { count: 0, oldestSeconds: 0 },
    })
    expect({ ...laneDepth, busyLanes }).toEqual({ queued: '1', inFlight: '2', busyLanes: '1' })
    await client.query('rollback')
  })
})
