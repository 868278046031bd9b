/**
 * The fresh sign-in that a wallet export needs. The ID token that comes back is kept sealed for one
 * export request; the page names the request, and the gateway puts the token into its body.
 */

import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import type { FastifyRequest } from 'fastify'
import { addSeconds } from '#platform/clock.ts'
import { AppError } from '#platform/errors.ts'
import { openJson, sealJson } from '#platform/sealing.ts'
import { takeStepUp, updateStepUp } from './sessions.store.ts'
import type { Session } from './sessions.ts'
import type { WebContext } from './web-context.ts'

export const STEP_UP_HEADER = 'x-step-up'

/** As long as an export request is open. */
const KEPT_SECONDS = 300
const BODY_MAX_BYTES = 64 * 1024
export const REQUEST_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** With its expiry, because the column can be written by whoever can write the table. */
type Kept = { idToken: string; expiresAt: number }

type StepUp = { idHash: Buffer; requestId: string }

const boxName = ({ config }: WebContext, { idHash, requestId }: StepUp): string =>
  `web-step-up:${config.realm}:${idHash.toString('hex')}:${requestId}`

export async function keepAssertion(
  ctx: WebContext,
  { idHash, requestId, idToken }: StepUp & { idToken: string },
): Promise<void> {
  const name = boxName(ctx, { idHash, requestId })
  const expiresAt = addSeconds(ctx.clock.now(), KEPT_SECONDS)
  const value: Kept = { idToken, expiresAt: expiresAt.getTime() }
  await updateStepUp(ctx.db, {
    realm: ctx.config.realm,
    idHash,
    requestId,
    sealed: sealJson(ctx.keys.tokenKey, { name, value }),
    expiresAt,
  })
}

/** Forgets it: a second request needs another sign-in. */
async function takeAssertion(ctx: WebContext, { idHash, requestId }: StepUp): Promise<string> {
  const key = { realm: ctx.config.realm, idHash, requestId, now: ctx.clock.now() }
  const box = await ctx.db.transaction({}, (tx) => takeStepUp(tx, key))
  if (!box) throw new AppError('fresh_authentication_required')
  const name = boxName(ctx, { idHash, requestId })
  const { idToken, expiresAt } = openJson(ctx.keys.tokenKey, { name, box }) as Kept
  if (!(expiresAt > key.now.getTime())) throw new AppError('fresh_authentication_required')
  return idToken
}

const COMPLETION = /^\/v1\/\w+\/wallets\/[^/]+\/export-requests\/([^/]+)\/complete$/

/** The token is for this one export, so it goes to no other address. */
function requireExport({ method, raw }: FastifyRequest, requestId: string): void {
  const [path = ''] = (raw.url ?? '').split('?')
  if (method === 'POST' && COMPLETION.exec(path)?.[1] === requestId) return
  throw new AppError('validation_failed', {
    message: `${STEP_UP_HEADER} must name the export request that this completes.`,
  })
}

/** The request's JSON body with the assertion in it. */
export async function withAssertion(
  ctx: WebContext,
  { request, session }: { request: FastifyRequest; session: Session },
): Promise<Buffer> {
  const requestId = String(request.headers[STEP_UP_HEADER])
  if (!REQUEST_ID.test(requestId)) throw new AppError('validation_failed')
  requireExport(request, requestId)
  const body = await jsonOf(request)
  if (body.mfaAssertion) {
    throw new AppError('validation_failed', {
      message: `Leave mfaAssertion out: ${STEP_UP_HEADER} supplies it.`,
    })
  }
  const { idHash } = session
  const mfaAssertion = await takeAssertion(ctx, { idHash, requestId })
  return Buffer.from(JSON.stringify({ ...body, mfaAssertion }))
}

async function jsonOf(request: FastifyRequest): Promise<Record<string, unknown>> {
  const stated = Number(request.headers['content-length'] ?? Number.NaN)
  if (!(stated <= BODY_MAX_BYTES)) throw new AppError('payload_too_large')
  const bytes = request.body instanceof Readable ? await buffer(request.body) : Buffer.alloc(0)
  try {
    const value: unknown = JSON.parse(bytes.toString())
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      return value as Record<string, unknown>
    }
  } catch {
    // Reported below.
  }
  throw new AppError('malformed_json')
}
