/** The tracer of `platform/tracing.ts`. Loaded only when traces are exported. */
import { AsyncLocalStorage } from 'node:async_hooks'
import { createHash, randomBytes } from 'node:crypto'
import { systemClock } from '#platform/clock.ts'
import type { NewSpan, OpenSpan, Tracer } from '#platform/tracing.ts'
import type { OtlpExporter } from './otlp-exporter.ts'
import type { FinishedSpan, SpanPlace } from './otlp-span.ts'

const TRACE_ID = /^[0-9a-f]{32}$/
const ID_HEX = 32
const SPAN_HEX = 16

/** `offsetMs` turns the monotonic clock into Unix time: one for all spans below a root. */
type Current = SpanPlace & { offsetMs: number }

const digestOf = (text: string, length: number): string =>
  createHash('sha256').update(text).digest('hex').slice(0, length)

/** A UUID without its dashes, so that one can be found by the other; else a digest. */
export function traceIdOf(requestId: string): string {
  const hex = requestId.toLowerCase().replaceAll('-', '')
  return TRACE_ID.test(hex) && /[1-9a-f]/.test(hex) ? hex : digestOf(`trace:${requestId}`, ID_HEX)
}

/** Known to every process, so that jobs can name it as their parent. */
export const rootSpanIdOf = (traceId: string): string => digestOf(`root:${traceId}`, SPAN_HEX)

const POOL_BYTES = 4_096
let pool = Buffer.alloc(0)
let taken = 0

/** Random bytes are cheaper by the thousand. */
function newSpanId(): string {
  if (taken + SPAN_HEX / 2 > pool.length) {
    pool = randomBytes(POOL_BYTES)
    taken = 0
  }
  taken += SPAN_HEX / 2
  return pool.toString('hex', taken - SPAN_HEX / 2, taken)
}

const SAMPLED_HEX = 12
const SAMPLED_BELOW = 16 ** SAMPLED_HEX

/** By the last digits, which are random in a UUID too. */
export const isSampled = (traceId: string, ratio: number): boolean =>
  Number.parseInt(traceId.slice(-SAMPLED_HEX), 16) < ratio * SAMPLED_BELOW

/** Messages can repeat a row or a request; codes and class names cannot. */
export function kindOfError(error: unknown): string {
  const { code, name } = (error ?? {}) as { code?: unknown; name?: unknown }
  const found = [code, name].find((one) => typeof one === 'string' && /^\w{1,60}$/.test(one))
  return typeof found === 'string' ? found : 'Error'
}

type Add = (span: FinishedSpan) => void

function openSpan(
  place: Current,
  { parentSpanId, about }: { parentSpanId: string | undefined; about: NewSpan },
  add: Add,
) {
  const startMs = performance.now() + place.offsetMs
  const span: FinishedSpan = {
    traceId: place.traceId,
    spanId: place.spanId,
    parentSpanId,
    name: about.name,
    kind: about.kind,
    attributes: { ...about.attributes },
    startMs,
    endMs: startMs,
    isFailed: false,
    link: undefined,
  }
  return {
    span,
    end() {
      span.endMs = performance.now() + place.offsetMs
      add(span)
    },
  }
}

const rootOf = (traceId: string, spanId: string): Current => ({
  traceId,
  spanId,
  offsetMs: systemClock.now().getTime() - performance.now(),
})

export function createOtlpTracer({
  exporter,
  sampleRatio,
}: {
  exporter: Pick<OtlpExporter, 'add' | 'reportTo'>
  sampleRatio: number
}): Tracer {
  const storage = new AsyncLocalStorage<Current | undefined>()

  const runIn = async <T>(
    place: Current,
    below: { parentSpanId: string | undefined; about: NewSpan },
    work: (span: OpenSpan) => Promise<T>,
  ): Promise<T> => {
    const { span, end } = openSpan(place, below, exporter.add)
    const fail = (error: unknown) => {
      span.isFailed = true
      span.attributes['error.type'] = kindOfError(error)
    }
    try {
      return await storage.run(place, () => work({ fail }))
    } catch (error) {
      fail(error)
      throw error
    } finally {
      end()
    }
  }

  return {
    openRequest(requestId, { parentSpanId, ...about }) {
      const traceId = traceIdOf(requestId)
      if (!isSampled(traceId, sampleRatio)) return undefined
      const place = rootOf(traceId, rootSpanIdOf(traceId))
      const { span, end } = openSpan(place, { parentSpanId, about }, exporter.add)
      return {
        run: (work) => storage.run(place, work),
        end({ attributes, isFailed }) {
          Object.assign(span.attributes, attributes)
          span.isFailed = isFailed
          end()
        },
      }
    },
    runJob(requestId, about, work) {
      const traceId = requestId === null ? newTraceId() : traceIdOf(requestId)
      if (!isSampled(traceId, sampleRatio)) return storage.run(undefined, work)
      const parentSpanId = requestId === null ? undefined : rootSpanIdOf(traceId)
      return runIn(rootOf(traceId, newSpanId()), { parentSpanId, about }, work)
    },
    inside(about, work) {
      const current = storage.getStore()
      if (!current) return work(NO_SPAN)
      const { spanId: parentSpanId } = current
      return runIn({ ...current, spanId: newSpanId() }, { parentSpanId, about }, work)
    },
    recordPast(requestId, past) {
      const traceId = traceIdOf(requestId)
      if (!isSampled(traceId, sampleRatio)) return
      exporter.add(pastSpan(traceId, past, storage.getStore()))
    },
    reportTo: exporter.reportTo,
  }
}

const pastSpan = (
  traceId: string,
  { name, attributes, startMs, endMs }: Parameters<Tracer['recordPast']>[1],
  current: Current | undefined,
): FinishedSpan => ({
  traceId,
  spanId: newSpanId(),
  parentSpanId: rootSpanIdOf(traceId),
  name,
  kind: 'internal',
  attributes,
  // The database's clock may be ahead of this one.
  startMs: Math.min(startMs, endMs),
  endMs,
  isFailed: false,
  link: current && { traceId: current.traceId, spanId: current.spanId },
})

const newTraceId = (): string => randomBytes(ID_HEX / 2).toString('hex')

const NO_SPAN: OpenSpan = { fail: () => {} }
