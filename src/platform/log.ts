/** Structured logs. Secrets are redacted by path, and requests appear by route template only. */
import { type Logger, type LoggerOptions, pino } from 'pino'

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
  destination,
}: {
  level: string
  destination?: { write(line: string): void }
}): Log => pino({ ...options, level }, destination ?? pino.destination({ sync: false, fd: 2 }))
