/** Prometheus metrics, served on a separate loopback port. */
import type { AddressInfo } from 'node:net'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { StartupError } from './errors.ts'
import { http } from './node-http.ts'

export type Metrics = {
  registry: Registry
  request(seen: { method: string; route: string; status: number; seconds: number }): void
  job(seen: { job: string; ok: boolean; seconds: number }): void
  /** A request to a chain node. Nodes are numbered: a host name can contain a key. */
  rpc(seen: RpcRequestSeen): void
  /** A message that was handed to a push service, a mail server or the receiver of a webhook. */
  sent(seen: { channel: Channel; outcome: string }): void
  /** Spans that were exported to the collector, or lost. */
  spans(seen: { outcome: 'exported' | 'dropped'; count: number }): void
  streamOpened(): void
  streamEnded(ending: string): void
  /** The lag from a change to its delivery; undefined for events of a catch-up. */
  eventsSent(seen: { sent: number; lagSeconds?: number }): void
  /** Evaluated at every scrape. */
  gauge(name: string, help: string, read: () => number | Promise<number>): void
  /** One value per label. Labels that are no longer returned disappear. */
  gauges(
    name: string,
    input: { help: string; label: string; read: () => Promise<Record<string, number>> },
  ): void
}

type Channel = 'push' | 'email' | 'webhook'

/** `error` is a JSON-RPC error, reverted calls included; `unusable` is any other answer. */
export type RpcOutcome = 'answered' | 'error' | 'timeout' | 'unreachable' | 'unusable'
export type RpcRequestSeen = { node: string; outcome: RpcOutcome; seconds: number }

/** Of every metric, those of the Node process included. */
export const METRICS_PREFIX = 'countersign_'

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

export type Build = { version: string; process: string }

export function createMetrics(build: Build = { version: 'unknown', process: 'unknown' }): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry, prefix: METRICS_PREFIX })
  registerBuild(registry, build)
  const requests = new Histogram({
    name: 'countersign_http_request_duration_seconds',
    help: 'Time to answer, by method, route template and status',
    labelNames: ['method', 'route', 'status'],
    buckets: SECONDS,
    registers: [registry],
  })
  const jobs = new Histogram({
    name: 'countersign_job_duration_seconds',
    help: 'Time a durable job took, by name',
    labelNames: ['job'],
    buckets: SECONDS,
    registers: [registry],
  })
  const failures = new Counter({
    name: 'countersign_job_failures_total',
    help: 'Tries of durable jobs that failed, by name',
    labelNames: ['job'],
    registers: [registry],
  })
  return {
    registry,
    ...createStreamMetrics(registry),
    ...createOutsideMetrics(registry),
    request: ({ method, route, status, seconds }) =>
      requests.observe({ method, route, status }, seconds),
    job: ({ job, ok, seconds }) => {
      jobs.observe({ job }, seconds)
      if (!ok) failures.inc({ job })
    },
    gauge: (name, help, read) => {
      new Gauge({
        name,
        help,
        registers: [registry],
        async collect() {
          this.set(await read())
        },
      })
    },
    gauges: (name, { help, label, read }) => {
      new Gauge({
        name,
        help,
        labelNames: [label],
        registers: [registry],
        async collect() {
          const values = await read()
          this.reset()
          for (const [value, number] of Object.entries(values)) this.set({ [label]: value }, number)
        },
      })
    },
  }
}

function registerBuild(registry: Registry, { version, process: kind }: Build): void {
  const info = new Gauge({
    name: 'countersign_build_info',
    help: 'Always 1; the labels say what runs',
    labelNames: ['version', 'node', 'process'],
    registers: [registry],
  })
  info.set({ version, node: process.versions.node, process: kind }, 1)
}

function createOutsideMetrics(registry: Registry): Pick<Metrics, 'rpc' | 'sent' | 'spans'> {
  const registers = [registry]
  const durations = new Histogram({
    name: 'countersign_rpc_duration_seconds',
    help: 'Time a chain node took to answer, by its place in RPC_URLS',
    labelNames: ['node'],
    buckets: SECONDS,
    registers,
  })
  const counter = (name: string, help: string, labelNames: string[]) =>
    new Counter({ name, help, labelNames, registers })
  const requests = counter(
    'countersign_rpc_requests_total',
    'Requests to chain nodes, by place in RPC_URLS and outcome',
    ['node', 'outcome'],
  )
  const sent = {
    push: counter('countersign_push_messages_total', 'Attempts to send a push message', [
      'outcome',
    ]),
    email: counter('countersign_emails_total', 'Attempts to send an e-mail', ['outcome']),
    webhook: counter('countersign_webhooks_total', 'Attempts to call a webhook', ['outcome']),
  }
  const spans = counter(
    'countersign_trace_spans_total',
    'Spans that were exported to the collector, or lost',
    ['outcome'],
  )
  return {
    rpc: ({ node, outcome, seconds }) => {
      durations.observe({ node }, seconds)
      requests.inc({ node, outcome })
    },
    sent: ({ channel, outcome }) => sent[channel].inc({ outcome }),
    spans: ({ outcome, count }) => spans.inc({ outcome }, count),
  }
}

function createStreamMetrics(
  registry: Registry,
): Pick<Metrics, 'streamOpened' | 'streamEnded' | 'eventsSent'> {
  const registers = [registry]
  const open = new Gauge({
    name: 'countersign_live_streams_open',
    help: 'Open live streams',
    registers,
  })
  const ended = new Counter({
    name: 'countersign_live_streams_ended_total',
    help: 'Live streams that ended, by reason; slow ones were cut off',
    labelNames: ['reason'],
    registers,
  })
  const events = new Counter({
    name: 'countersign_live_events_sent_total',
    help: 'Live events written to streams',
    registers,
  })
  const lag = new Histogram({
    name: 'countersign_live_lag_seconds',
    help: 'Time from a change to its being written to the streams',
    buckets: SECONDS,
    registers,
  })
  return {
    streamOpened: () => open.inc(),
    streamEnded: (reason) => {
      open.dec()
      ended.inc({ reason })
    },
    eventsSent: ({ sent, lagSeconds }) => {
      events.inc(sent)
      if (lagSeconds !== undefined) lag.observe(lagSeconds)
    },
  }
}

export type MetricsServer = { url: string; close(): Promise<void> }

export async function serveMetrics({
  registry,
  host,
  port,
}: {
  registry: Registry
  host: string
  port: number
}): Promise<MetricsServer> {
  const server = http.createServer(async (request, response) => {
    if (request.method !== 'GET' || request.url !== '/metrics') {
      response.writeHead(404).end()
      return
    }
    const body = await registry.metrics().catch(() => undefined)
    if (body === undefined) response.writeHead(503).end()
    else response.writeHead(200, { 'content-type': registry.contentType }).end(body)
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(
        new StartupError(
          `METRICS_PORT ${port} on ${host} cannot be used: ${error.code}. Choose another.`,
        ),
      ),
    )
    server.listen(port, host, resolve)
  })
  const { port: actual } = server.address() as AddressInfo
  return {
    url: `http://${host}:${actual}/metrics`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
