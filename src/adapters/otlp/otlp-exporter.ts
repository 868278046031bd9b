/**
 * Sends finished spans to a collector: OTLP over HTTP, in JSON, in batches. A collector that is
 * slow or away costs spans, which are counted, and nothing else. Written here, because
 * OpenTelemetry's own exporter is at version 0 and brings some ten packages, the SDKs of logs and
 * metrics among them.
 */
import type { SpanAttributes, TraceReports } from '#platform/tracing.ts'
import { type FinishedSpan, toAttributes, toOtlpSpan } from './otlp-span.ts'

const BATCH_MAX = 512
const WAITING_MAX = 4_096
const SEND_EVERY_MS = 1_000
const SENT_WITHIN_MS = 5_000
const STOPPED_WITHIN_MS = 2_000

export type OtlpExporterOptions = {
  /** Without the path of the signal. */
  url: string
  headers: Readonly<Record<string, string>>
  resource: SpanAttributes
  stopWithinMs?: number
}

export type OtlpExporter = {
  add(span: FinishedSpan): void
  reportTo(to: TraceReports): void
  /** Sends what waits. What takes longer than two seconds is dropped. */
  stop(): Promise<void>
}

export function createOtlpExporter({
  url,
  headers,
  resource,
  stopWithinMs = STOPPED_WITHIN_MS,
}: OtlpExporterOptions): OtlpExporter {
  const scope = { name: 'countersign' }
  const timeUp = new AbortController()
  let waiting: FinishedSpan[] = []
  let timer: NodeJS.Timeout | undefined
  let sending: Promise<void> | undefined
  let reports: TraceReports | undefined
  let isFailing = false

  const send = async (spans: readonly FinishedSpan[]): Promise<void> => {
    const problem = await post(url, {
      headers,
      signal: AbortSignal.any([AbortSignal.timeout(SENT_WITHIN_MS), timeUp.signal]),
      body: {
        resourceSpans: [
          {
            resource: { attributes: toAttributes(resource) },
            scopeSpans: [{ scope, spans: spans.map(toOtlpSpan) }],
          },
        ],
      },
    })
    reports?.spans({ outcome: problem ? 'dropped' : 'exported', count: spans.length })
    if (problem && !isFailing) reports?.log.warn({ reason: problem }, 'cannot export traces')
    isFailing = problem !== undefined
  }
  const sendAll = async (): Promise<void> => {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, BATCH_MAX)
      waiting = waiting.slice(BATCH_MAX)
      await send(batch)
    }
  }
  const sendSoon = (): void => {
    timer = undefined
    sending ??= sendAll().finally(() => {
      sending = undefined
    })
  }

  return {
    add(span) {
      if (waiting.length >= WAITING_MAX) {
        reports?.spans({ outcome: 'dropped', count: 1 })
        return
      }
      waiting.push(span)
      timer ??= setTimeout(sendSoon, SEND_EVERY_MS).unref()
    },
    reportTo(to) {
      reports = to
    },
    async stop() {
      clearTimeout(timer)
      const giveUp = setTimeout(() => timeUp.abort(), stopWithinMs)
      await sending
      await sendAll()
      clearTimeout(giveUp)
    },
  }
}

type Posted = { headers: Readonly<Record<string, string>>; body: object; signal: AbortSignal }

/** The reason for a failure; undefined if the collector accepted the spans. */
async function post(url: string, { headers, body, signal }: Posted): Promise<string | undefined> {
  try {
    const response = await fetch(`${url}/v1/traces`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      redirect: 'error',
      signal,
    })
    await response.body?.cancel()
    return response.ok ? undefined : `the collector answered ${response.status}`
  } catch {
    return 'the collector does not answer'
  }
}
