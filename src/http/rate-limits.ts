/**
 * Per-minute rate limits, counted in each process: per account, and per address for requests
 * without a valid token.
 */
import rateLimit, { normalizeIP } from '@fastify/rate-limit'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Config } from '#platform/config/config.ts'
import { AppError } from '#platform/errors.ts'

export type RateLimits = {
  countAccount(request: FastifyRequest): Promise<void>
  countAnonymous(request: FastifyRequest): Promise<void>
  /** A lower limit that slows down guessing of invitation tokens. */
  countInvitationAttempt(request: FastifyRequest): Promise<void>
  /** Exports read everything that an organization has. */
  countExport(request: FastifyRequest): Promise<void>
}

const MINUTE_MS = 60_000
const INVITATION_TRIES_MAX = 10
const EXPORTS_MAX = 10

export async function registerRateLimits(
  app: FastifyInstance,
  { perAccount, perAddress }: Config['rateLimit'],
): Promise<RateLimits> {
  await app.register(rateLimit, { global: false, cache: 50_000 })

  const counter = (max: number, keyGenerator: (request: FastifyRequest) => string) => {
    const count = app.createRateLimit({ max, timeWindow: MINUTE_MS, keyGenerator })
    return async (request: FastifyRequest) => {
      const result = await count(request)
      if (result.isAllowed || !result.isExceeded) return
      throw new AppError('rate_limited', { retryAfterSeconds: Math.max(1, result.ttlInSeconds) })
    }
  }
  const byCaller = ({ caller }: FastifyRequest) =>
    caller ? `${caller.realm} ${caller.issuer} ${caller.subject}` : ''

  return {
    countAccount: counter(perAccount, byCaller),
    // An IPv6 client usually controls a whole /64, so a /64 counts as one address.
    countAnonymous: counter(perAddress, (request) => normalizeIP(request.ip)),
    countInvitationAttempt: counter(INVITATION_TRIES_MAX, byCaller),
    countExport: counter(EXPORTS_MAX, byCaller),
  }
}
