/**
 * Per-minute rate limits, shared by all processes: per account, and per address for requests
 * without a valid token.
 */
import { normalizeIP } from '@fastify/rate-limit'
import type { FastifyRequest } from 'fastify'
import type { Context } from '#context.ts'
import { AppError } from '#platform/errors.ts'
import { createRateCounter } from '#platform/rate-leases.ts'

export type RateLimits = {
  countAccount(request: FastifyRequest): Promise<void>
  countAnonymous(request: FastifyRequest): Promise<void>
  /** A lower limit that slows down guessing of invitation tokens. */
  countInvitationAttempt(request: FastifyRequest): Promise<void>
  /** Exports read everything that an organization has. */
  countExport(request: FastifyRequest): Promise<void>
  /** Of the account that an unsubscribe link names: its requests carry no access token. */
  countUnsubscription(accountId: string): Promise<void>
}

const MINUTE_MS = 60_000
const INVITATION_TRIES_MAX = 10
const EXPORTS_MAX = 10
const UNSUBSCRIPTIONS_MAX = 10

export function createRateLimits({
  db,
  clock,
  config: { rateLimit },
}: Pick<Context, 'db' | 'clock' | 'config'>): RateLimits {
  const keyCounter = (name: string, max: number) => {
    const counter = createRateCounter({ db, clock }, { name, max, windowMs: MINUTE_MS })
    return async (key: string) => {
      const waitMs = await counter.count(key)
      if (waitMs === 0) return
      throw new AppError('rate_limited', { retryAfterSeconds: Math.ceil(waitMs / 1_000) })
    }
  }
  const counter = (name: string, max: number, keyOf: (request: FastifyRequest) => string) => {
    const countKey = keyCounter(name, max)
    return async (request: FastifyRequest) => countKey(keyOf(request))
  }
  const byCaller = ({ caller }: FastifyRequest) =>
    caller ? `${caller.realm} ${caller.issuer} ${caller.subject}` : ''

  return {
    countAccount: counter('account', rateLimit.perAccount, byCaller),
    // An IPv6 client usually controls a whole /64, so a /64 counts as one address.
    countAnonymous: counter('address', rateLimit.perAddress, ({ ip }) => normalizeIP(ip)),
    countInvitationAttempt: counter('invitation', INVITATION_TRIES_MAX, byCaller),
    countExport: counter('export', EXPORTS_MAX, byCaller),
    countUnsubscription: keyCounter('unsubscription', UNSUBSCRIPTIONS_MAX),
  }
}
