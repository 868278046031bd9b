/**
 * Traces. While they are off there is no tracer, the exporter is not loaded, and an instrumented
 * call costs one comparison. A trace has no id of its own: it is derived from the id of the
 * request, which already travels with jobs and audit events. So every process knows the trace and
 * the root span of a request without being told, and agrees on whether it is sampled.
 *
 * Spans name routes, operations, jobs, SQL texts and methods. They never contain parameters,
 * bodies, addresses of providers or the messages of errors.
 */
import type { Log } from './log.ts'

export type SpanAttributes = Record<string, string | number | boolean>

export type NewSpan = {
  name: string
  kind: 'server' | 'consumer' | 'client' | 'internal'
  attributes?: SpanAttributes
}

/** `fail` records the kind of the error. Rejections are recorded without it. */
export type OpenSpan = { fail(error: unknown): void }

export type RequestSpan = {
  /** Spans of `work` become children of this one. */
  run<T>(work: () => T): T
  end(outcome: { attributes: SpanAttributes; isFailed: boolean }): void
}

/** A stretch of time that is over. */
type PastSpan = { name: string; attributes: SpanAttributes; startMs: number; endMs: number }

export type Tracer = {
  /** The root span of a request; undefined if it is not sampled. */
  openRequest(
    requestId: string,
    span: NewSpan & { parentSpanId: string | undefined },
  ): RequestSpan | undefined
  /** In the trace of the request that caused the job. Without one it gets a trace of its own. */
  runJob<T>(requestId: string | null, span: NewSpan, work: () => Promise<T>): Promise<T>
  /** A child of the current span; without one, only the work is done. */
  inside<T>(span: NewSpan, work: (span: OpenSpan) => Promise<T>): Promise<T>
  /** In the trace of that request, with a link to the current span. */
  recordPast(requestId: string, span: PastSpan): void
  reportTo(to: TraceReports): void
}

export type TraceReports = {
  spans(seen: { outcome: 'exported' | 'dropped'; count: number }): void
  log: Pick<Log, 'warn'>
}

let tracer: Tracer | undefined

/** One per process, set before anything else starts. */
export function useTracer(next: Tracer | undefined): void {
  tracer = next
}

export const currentTracer = (): Tracer | undefined => tracer

const TRACEPARENT = /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(?:$|-)/

/** W3C Trace Context. Undefined unless it is well-formed. */
export function readTraceparent(
  value: string | string[] | undefined,
): { traceId: string; spanId: string } | undefined {
  const [, traceId = '', spanId = ''] =
    TRACEPARENT.exec(typeof value === 'string' ? value : '') ?? []
  const isUsable = /[1-9a-f]/.test(traceId) && /[1-9a-f]/.test(spanId)
  return isUsable && !String(value).startsWith('ff') ? { traceId, spanId } : undefined
}
