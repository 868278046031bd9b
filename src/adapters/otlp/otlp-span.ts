/** Spans in the JSON form of OTLP 1 (opentelemetry-proto, trace/v1). Pure. */
import type { NewSpan, SpanAttributes } from '#platform/tracing.ts'

export type SpanPlace = { traceId: string; spanId: string }

export type FinishedSpan = SpanPlace & {
  parentSpanId: string | undefined
  name: string
  kind: NewSpan['kind']
  attributes: SpanAttributes
  /** Unix time with fractions of a millisecond. */
  startMs: number
  endMs: number
  isFailed: boolean
  link: SpanPlace | undefined
}

const KINDS = { internal: 1, server: 2, client: 3, consumer: 5 } as const
const STATUS_ERROR = 2
const NANOS_PER_MS = 1_000_000

/** Nanoseconds exceed the safe integers, so the digits are joined as text. */
export function toUnixNano(ms: number): string {
  const whole = Math.floor(ms)
  const nanos = Math.min(NANOS_PER_MS - 1, Math.round((ms - whole) * NANOS_PER_MS))
  return `${whole}${String(nanos).padStart(6, '0')}`
}

function toValue(value: string | number | boolean) {
  if (typeof value === 'string') return { stringValue: value }
  if (typeof value === 'boolean') return { boolValue: value }
  return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value }
}

export const toAttributes = (attributes: SpanAttributes) =>
  Object.entries(attributes).map(([key, value]) => ({ key, value: toValue(value) }))

export const toOtlpSpan = (span: FinishedSpan) => ({
  traceId: span.traceId,
  spanId: span.spanId,
  ...(span.parentSpanId !== undefined && { parentSpanId: span.parentSpanId }),
  name: span.name,
  kind: KINDS[span.kind],
  startTimeUnixNano: toUnixNano(span.startMs),
  endTimeUnixNano: toUnixNano(span.endMs),
  attributes: toAttributes(span.attributes),
  ...(span.link && { links: [span.link] }),
  status: span.isFailed ? { code: STATUS_ERROR } : {},
})
