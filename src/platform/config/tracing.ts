/** Where traces are exported to. The variables are those of OpenTelemetry, as far as they apply. */
import { choice, type Environment, flag, problem, safeUrl } from './values.ts'

export type TracingConfig = {
  /** The collector, without the path of the signal. */
  url: string
  /** May contain a key of the collector. */
  headers: Readonly<Record<string, string>>
  /** From 0 to 1: the share of requests that are traced. */
  sampleRatio: number
  /** Whether `traceparent` of a request is accepted. */
  trustsTraceparent: boolean
}

const HEADERS = 'OTEL_EXPORTER_OTLP_HEADERS'
const RATIO = 'OTEL_TRACES_SAMPLER_ARG'

/** `name=value,name=value`, with percent-encoded values. The message never repeats them. */
function readHeaders(env: Environment): Record<string, string> {
  const parts = (env[HEADERS] ?? '').split(',').filter((part) => part.trim() !== '')
  return Object.fromEntries(
    parts.map((part) => {
      const [, name = '', value = ''] = /^\s*([\w.-]+)\s*=(.*)$/.exec(part) ?? []
      const decoded = decoded7Bit(value.trim())
      if (name === '' || decoded === undefined) {
        throw problem(`${HEADERS} must be a list like name=value,name=value (percent-encoded).`)
      }
      return [name.toLowerCase(), decoded]
    }),
  )
}

function decoded7Bit(value: string): string | undefined {
  try {
    const text = decodeURIComponent(value)
    return /^[\x20-\x7e]+$/.test(text) ? text : undefined
  } catch {
    return undefined
  }
}

function readRatio(env: Environment): number {
  const value = env[RATIO] || '1'
  if (/^(?:0|1|0?\.[0-9]{1,9}|1\.0{1,9})$/.test(value)) return Number(value)
  throw problem(`${RATIO} must be a number from 0 to 1, not ${JSON.stringify(value)}.`)
}

/** Undefined: no traces. */
export function readTracing(env: Environment, production: boolean): TracingConfig | undefined {
  const headers = readHeaders(env)
  const sampleRatio = readRatio(env)
  const trustsTraceparent = flag(env, 'TRUST_TRACEPARENT', false)
  choice(env, 'OTEL_EXPORTER_OTLP_PROTOCOL', { options: ['http/json'], fallback: 'http/json' })
  const name = 'OTEL_EXPORTER_OTLP_ENDPOINT'
  const value = env[name]
  if (!value) return undefined
  // Spans hold no secret, so a collector in the same network may use http; a key must not.
  const mustBeSafe = production && Object.keys(headers).length > 0
  return { url: safeUrl(name, value, mustBeSafe), headers, sampleRatio, trustsTraceparent }
}
