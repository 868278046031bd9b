import { describe, expect, test } from 'vitest'
import type { FinishedSpan } from './otlp-span.ts'
import { createOtlpTracer, isSampled, kindOfError, rootSpanIdOf, traceIdOf } from './otlp-tracer.ts'

const requestId = '0199f3c2-6b1e-7c44-9d0a-5f3f0c1d2e3a'
const traceId = '0199f3c26b1e7c449d0a5f3f0c1d2e3a'

function trace(sampleRatio = 1) {
  const spans: FinishedSpan[] = []
  const exporter = { add: (span: FinishedSpan) => void spans.push(span), reportTo: () => {} }
  return { spans, tracer: createOtlpTracer({ exporter, sampleRatio }) }
}

const server = { name: 'GET /', kind: 'server', parentSpanId: undefined } as const
const job = { name: 'job prune_expired', kind: 'consumer' } as const
const query = { name: 'SQL select', kind: 'client' } as const

describe('the id of a trace', () => {
  test('is the request id if that is a UUID or a trace id', () => {
    expect(traceIdOf(requestId)).toBe(traceId)
    expect(traceIdOf(requestId.toUpperCase())).toBe(traceId)
    expect(traceIdOf(traceId)).toBe(traceId)
  })

  test.each(['order-17', '0'.repeat(32), 'a'])('is a digest of any other id, such as %s', (id) => {
    expect(traceIdOf(id)).toMatch(/^[0-9a-f]{32}$/)
    expect(traceIdOf(id)).not.toBe(id)
    expect(traceIdOf(id)).toBe(traceIdOf(id))
  })

  test('decides whether the trace is sampled, equally in every process', () => {
    const ids = Array.from({ length: 2_000 }, (_, n) => traceIdOf(`request ${n}`))
    expect(ids.filter((id) => isSampled(id, 1))).toHaveLength(2_000)
    expect(ids.filter((id) => isSampled(id, 0))).toHaveLength(0)
    const quarter = ids.filter((id) => isSampled(id, 0.25)).length
    expect(quarter).toBeGreaterThan(400)
    expect(quarter).toBeLessThan(600)
  })
})

describe('a span', () => {
  test('of a job is a child of its request, though another process made that', async () => {
    const { spans, tracer } = trace()
    await tracer.runJob(requestId, job, () => tracer.inside(query, async () => {}))
    const [sql, run] = spans
    expect(run).toMatchObject({ traceId, parentSpanId: rootSpanIdOf(traceId) })
    expect(sql).toMatchObject({ traceId, parentSpanId: run?.spanId })
    const request = tracer.openRequest(requestId, server)
    request?.end({ attributes: { status: 200 }, isFailed: false })
    expect(spans[2]).toMatchObject({ traceId, spanId: rootSpanIdOf(traceId) })
  })

  test('of a job without a request begins a trace of its own', async () => {
    const { spans, tracer } = trace()
    await tracer.runJob(null, job, async () => {})
    await tracer.runJob(null, job, async () => {})
    expect(spans.map(({ parentSpanId }) => parentSpanId)).toEqual([undefined, undefined])
    expect(new Set(spans.map((span) => span.traceId)).size).toBe(2)
  })

  test('is not made outside of requests and jobs, nor for what is not sampled', async () => {
    const none = trace(0)
    const { spans, tracer } = trace()
    expect(await tracer.inside(query, async () => 'rows')).toBe('rows')
    expect(none.tracer.openRequest(requestId, server)).toBeUndefined()
    await none.tracer.runJob(requestId, job, () => none.tracer.inside(query, async () => {}))
    none.tracer.recordPast(requestId, { name: 'past', attributes: {}, startMs: 1, endMs: 2 })
    expect([...spans, ...none.spans]).toEqual([])
  })

  test('says which kind of error ended it, never its message', async () => {
    const { spans, tracer } = trace()
    const error = Object.assign(new Error('Key (email)=(mail@example) exists'), { code: '23505' })
    const failing = tracer.runJob(requestId, job, () => Promise.reject(error))
    await expect(failing).rejects.toBe(error)
    expect(spans).toMatchObject([{ isFailed: true, attributes: { 'error.type': '23505' } }])
    expect(JSON.stringify(spans)).not.toContain('mail@example')
  })

  test('of the past is in the trace of its request, with a link to the current one', async () => {
    const { spans, tracer } = trace()
    const past = { name: 'payment confirmed', attributes: {}, startMs: 5, endMs: 9 }
    await tracer.runJob('another', job, async () => tracer.recordPast(requestId, past))
    const [span, run] = spans
    expect(span).toMatchObject({ traceId, startMs: 5, endMs: 9 })
    expect(span?.link).toEqual({ traceId: run?.traceId, spanId: run?.spanId })
  })
})

test.each([
  [Object.assign(new Error('x'), { code: 'ECONNREFUSED' }), 'ECONNREFUSED'],
  [new TypeError('x'), 'TypeError'],
  [Object.assign(new Error('x'), { code: 'a secret with spaces', name: '' }), 'Error'],
  ['thrown text', 'Error'],
  [undefined, 'Error'],
])('the kind of %s is %s', (error, kind) => {
  expect(kindOfError(error)).toBe(kind)
})
