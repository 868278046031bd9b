/** Traces cost nothing while they are off, and a collector that is away costs spans only. */
import { execFile } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { createOtlpExporter } from '#adapters/otlp/otlp-exporter.ts'
import type { FinishedSpan } from '#adapters/otlp/otlp-span.ts'
import { requestIdOf } from '#http/requests.ts'
import { readTraceparent } from '#platform/tracing.ts'
import { type OtlpReceiver, startOtlpReceiver } from '#test/support/otlp-receiver.ts'

const run = promisify(execFile)

const sources = globSync('src/**/*.ts')
  .filter((path) => !path.endsWith('.test.ts'))
  .map((path) => ({ path, text: readFileSync(path, 'utf8') }))

describe('without a collector', () => {
  test('the exporter is not loaded', async () => {
    const program = `
      import { registerHooks } from 'node:module'
      const loaded = []
      registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) })
      const { startTracing } = await import('#tracing.ts')
      const { currentTracer } = await import('#platform/tracing.ts')
      const about = { process: 'api', version: '1', environment: 'test' }
      await startTracing({ ...about, tracing: undefined })
      const off = [loaded.some((url) => url.includes('/otlp/')), currentTracer() === undefined]
      const tracing = { url: 'http://127.0.0.1:1', headers: {}, sampleRatio: 1 }
      const { stop } = await startTracing({ ...about, tracing })
      const on = [loaded.some((url) => url.includes('/otlp/')), currentTracer() === undefined]
      await stop()
      console.log(JSON.stringify({ off, on }))`
    const args = ['--input-type=module', '--eval', program]
    const { stdout } = await run(process.execPath, args)
    expect(JSON.parse(stdout)).toEqual({ off: [false, true], on: [true, false] })
  })

  test('nothing else can load it: only tracing.ts names it, in a dynamic import', () => {
    const outside = sources.filter(
      ({ path, text }) => !path.startsWith('src/adapters/otlp/') && text.includes('adapters/otlp/'),
    )
    expect(outside.map(({ path }) => path)).toEqual(['src/tracing.ts'])
    expect(outside[0]?.text).not.toMatch(/from '#adapters/)
  })
})

test('no adapter sends a trace to a provider', () => {
  const senders = sources.filter(
    ({ path, text }) => path.startsWith('src/adapters/') && /traceparent|tracestate/i.test(text),
  )
  expect(senders).toEqual([])
})

test.each([
  ['00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', true],
  ['cc-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-later', true],
  ['ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', false],
  ['00-00000000000000000000000000000000-b7ad6b7169203331-01', false],
  ['00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01', false],
  ['00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01', false],
  ['0af7651916cd43dd8448eb211c80319c', false],
  ['', false],
])('traceparent %s is usable: %s', (value, isUsable) => {
  expect(readTraceparent(value) !== undefined).toBe(isUsable)
})

test('traceparent names the request only if callers are trusted', () => {
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
  const headers = { traceparent, 'x-request-id': 'given' }
  const idOf = (trust?: { trustsTraceparent: boolean }, own: object = headers) =>
    requestIdOf({ headers: own } as never, { ids: { next: () => 'made' } }, trust)
  expect(idOf()).toBe('given')
  expect(idOf({ trustsTraceparent: false })).toBe('given')
  expect(idOf({ trustsTraceparent: false }, { traceparent })).toBe('made')
  expect(idOf({ trustsTraceparent: true })).toBe('0af7651916cd43dd8448eb211c80319c')
  expect(idOf({ trustsTraceparent: true }, { traceparent: 'bad' })).toBe('made')
})

describe('the exporter', () => {
  let receiver: OtlpReceiver
  beforeAll(async () => {
    receiver = await startOtlpReceiver()
  })
  afterAll(() => receiver.close())

  const span: FinishedSpan = {
    traceId: '0199f3c26b1e7c449d0a5f3f0c1d2e3a',
    spanId: '00f067aa0ba902b7',
    parentSpanId: undefined,
    name: 'one',
    kind: 'internal',
    attributes: {},
    startMs: 1,
    endMs: 2,
    isFailed: false,
    link: undefined,
  }

  function start(url: string) {
    const counts = { exported: 0, dropped: 0 }
    const warnings: unknown[] = []
    const headers = { 'x-key': 'secret' }
    const resource = { 'service.name': 'test' }
    const exporter = createOtlpExporter({ url, headers, resource, stopWithinMs: 500 })
    exporter.reportTo({
      spans: ({ outcome, count }) => {
        counts[outcome] += count
      },
      log: { warn: (about: unknown) => void warnings.push(about) } as never,
    })
    return { exporter, counts, warnings }
  }

  test('sends what waits when it stops, with its headers', async () => {
    const { exporter, counts } = start(receiver.url)
    for (let n = 0; n < 600; n += 1) exporter.add(span)
    await exporter.stop()
    expect(counts).toEqual({ exported: 600, dropped: 0 })
    expect(receiver.headers).toHaveLength(2)
    expect(receiver.headers[0]).toMatchObject({ path: '/v1/traces', 'x-key': 'secret' })
    expect(receiver.headers[0]).not.toHaveProperty('traceparent')
  })

  test('holds a limited number of spans and counts the rest', async () => {
    const { exporter, counts } = start(receiver.url)
    for (let n = 0; n < 5_000; n += 1) exporter.add(span)
    expect(counts.dropped).toBe(5_000 - 4_096)
    await exporter.stop()
    expect(counts.exported).toBe(4_096)
  })

  test('does not hold up the end of a process, even if the collector hangs', async () => {
    const silent = createServer(() => {})
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => {
      silent.closeAllConnections()
      silent.close()
    })
    const { port } = silent.address() as AddressInfo
    const { exporter, counts } = start(`http://127.0.0.1:${port}`)
    for (let n = 0; n < 2_000; n += 1) exporter.add(span)
    const began = performance.now()
    await exporter.stop()
    // Four batches, each of which would wait for five seconds.
    expect(performance.now() - began).toBeLessThan(4_000)
    expect(counts).toEqual({ exported: 0, dropped: 2_000 })
  })

  test('says once why the collector takes nothing, and drops the spans', async () => {
    receiver.answer(401)
    onTestFinished(() => receiver.answer(200))
    const { exporter, counts, warnings } = start(receiver.url)
    for (let n = 0; n < 600; n += 1) exporter.add(span)
    await exporter.stop()
    expect(counts).toEqual({ exported: 0, dropped: 600 })
    expect(warnings).toEqual([{ reason: 'the collector answered 401' }])
    const away = start('http://127.0.0.1:1')
    away.exporter.add(span)
    await away.exporter.stop()
    expect(away.warnings).toEqual([{ reason: 'the collector does not answer' }])
  })
})
