/** Structured logs. Secrets are redacted by path, and requests appear by route template only. */
import { type DestinationStream, type Logger, type LoggerOptions, levels, pino } from 'pino'

export type Log = Logger

const secretFields = [
  'authorization',
  'accessToken',
  'identityToken',
  'inviteToken',
  'mfaAssertion',
  'authorizationSignature',
  'signature',
  'token',
  'secret',
  'password',
  'privateKey',
  'apiKey',
  'ciphertext',
  'endpoint',
  'p256dh',
  'auth',
  'databaseUrl',
  'directUrl',
]

const WARN = levels.values.warn ?? 40

const options: LoggerOptions = {
  base: { service: 'countersign' },
  redact: {
    paths: secretFields.flatMap((field) => [field, `*.${field}`, `*.*.${field}`]),
    censor: '[redacted]',
  },
  formatters: { level: (label) => ({ level: label }) },
  timestamp: pino.stdTimeFunctions.isoTime,
  serializers: {
    // A URL can contain an invitation token; the route template cannot.
    req: (request: { method?: string; routeOptions?: { url?: string }; id?: string }) => ({
      method: request.method,
      route: request.routeOptions?.url ?? 'unmatched',
      requestId: request.id,
    }),
    // Other fields of a driver's error can contain row contents.
    err: (error: Error & { code?: unknown }) => ({
      type: error.name,
      message: error.message,
      code: error.code,
      stack: error.stack,
      cause: error.cause instanceof Error ? error.cause.message : undefined,
    }),
  },
}

export const createLog = ({
  level,
  destination = standardError(),
}: {
  level: string
  destination?: DestinationStream
}): Log => pino({ ...options, level }, destination)

/**
 * Lines leave together, at the latest after 50 ms: to write each by itself took a fifth of the CPU
 * time of a request. A warning or an error does not wait, and an exit writes what still waits; a
 * killed process loses it.
 */
export function gathered(fd: number): DestinationStream {
  const out = pino.destination({ fd, sync: false, minLength: 4096, periodicFlush: 50 })
  return {
    // Makes pino set `lastLevel` before each line.
    [Symbol.for('pino.metadata')]: true,
    write(this: { lastLevel?: number }, line: string) {
      out.write(line)
      if ((this.lastLevel ?? 0) >= WARN) out.flush()
    },
  }
}

let shared: DestinationStream | undefined

/** One for the process: lines of all its loggers stay in order. */
function standardError(): DestinationStream {
  shared ??= gathered(2)
  return shared
}
