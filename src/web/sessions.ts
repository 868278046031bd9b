/**
 * Sessions of one web application. The cookie is a random id of 256 bits; the table has its hash
 * and the sealed tokens. Tokens are refreshed under the row's lock, so that neither tabs nor
 * gateways refresh twice: a provider that rotates refresh tokens would end the session.
 */
import { createHash, randomBytes } from 'node:crypto'
import { addSeconds, timestampToMilliseconds } from '#platform/clock.ts'
import { openJson, sealJson } from '#platform/sealing.ts'
import type { Authenticated, Tokens } from './oidc.ts'
import {
  deleteExpired,
  deleteSession,
  deleteSessionsOf,
  findLivingHashes,
  findSession,
  insertSession,
  type Living,
  lockSession,
  type SessionRow,
  updateLastSeen,
  updateTokens,
} from './sessions.store.ts'
import type { WebContext } from './web-context.ts'

const ID_BYTES = 32
const ID = /^[A-Za-z0-9_-]{43}$/
export const LIFETIME_SECONDS = 7 * 24 * 60 * 60
const UNUSED_SECONDS = 24 * 60 * 60
const SEEN_EVERY_SECONDS = 60
/** Refreshed this long before it expires, so that a request does not arrive with an expired one. */
const EXPIRES_SOON_SECONDS = 20
const SWEEP_EVERY_MS = 10 * 60 * 1_000
const SWEPT_AT_ONCE = 500
const REVOKED_AT_ONCE = 20

type KeptTokens = { accessToken: string; refreshToken?: string | undefined }

/** Whose session it is and until when. Sealed, so that who writes the table changes none of it. */
type Bearer = { accountId: string; subject: string; expiresAt: number }

type SealedSession = KeptTokens & Bearer

export type Session = {
  idHash: Buffer
  accountId: string
  subject: string
  expiresAt: number
  tokens: KeptTokens
  accessExpiresAt: string | null
}

const hashOf = (id: string): Buffer => createHash('sha256').update(id).digest()

const boxName = (ctx: WebContext, idHash: Buffer): string =>
  `web-tokens:${ctx.config.realm}:${idHash.toString('hex')}`

type Sealing = { idHash: Buffer; bearer: Bearer; tokens: Tokens }

function sealSession(ctx: WebContext, { idHash, bearer, tokens }: Sealing): Buffer {
  const { accountId, subject, expiresAt } = bearer
  const { accessToken, refreshToken } = tokens
  const value: SealedSession = { accountId, subject, expiresAt, accessToken, refreshToken }
  return sealJson(ctx.keys.tokenKey, { name: boxName(ctx, idHash), value })
}

/** Undefined if WEB_SECRET has changed since. */
function openSession(
  ctx: WebContext,
  { idHash, sealedTokens: box }: { idHash: Buffer; sealedTokens: Buffer },
): SealedSession | undefined {
  try {
    return openJson(ctx.keys.tokenKey, { name: boxName(ctx, idHash), box }) as SealedSession
  } catch {
    return undefined
  }
}

const expiryOf = (now: Date, { expiresInSeconds }: Tokens): Date | null =>
  expiresInSeconds === undefined ? null : addSeconds(now, expiresInSeconds)

const living = (ctx: WebContext, idHash: Buffer): Living => {
  const now = ctx.clock.now()
  const unusedSince = addSeconds(now, -UNUSED_SECONDS)
  return { realm: ctx.config.realm, idHash, now, unusedSince }
}

/** The columns are for queries. The sealed part counts; a row that differs from it is refused. */
function sessionOf(ctx: WebContext, row: SessionRow): Session | undefined {
  const sealed = openSession(ctx, row)
  if (!sealed) return undefined
  const { accountId, subject, expiresAt, accessToken, refreshToken } = sealed
  if (accountId !== row.accountId || subject !== row.subject) {
    ctx.log.error({ accountId: row.accountId }, 'a web session was changed in the database')
    return undefined
  }
  // Written so that a sealed value without an expiry has none left.
  if (!(expiresAt > ctx.clock.now().getTime())) return undefined
  const tokens = { accessToken, refreshToken }
  const { idHash, accessExpiresAt } = row
  return { idHash, accountId, subject, expiresAt, tokens, accessExpiresAt }
}

/** Returns the cookie's value. */
export async function createSession(
  ctx: WebContext,
  { accountId, ...authenticated }: Authenticated & { accountId: string },
): Promise<string> {
  const id = randomBytes(ID_BYTES).toString('base64url')
  const idHash = hashOf(id)
  const now = ctx.clock.now()
  const expiresAt = addSeconds(now, LIFETIME_SECONDS)
  const { subject } = authenticated
  const bearer = { accountId, subject, expiresAt: expiresAt.getTime() }
  await insertSession(ctx.db, {
    realm: ctx.config.realm,
    idHash,
    accountId,
    subject,
    sealedTokens: sealSession(ctx, { idHash, bearer, tokens: authenticated }),
    accessExpiresAt: expiryOf(now, authenticated),
    now,
    expiresAt,
  })
  return id
}

export async function findByHash(ctx: WebContext, idHash: Buffer): Promise<Session | undefined> {
  const row = await findSession(ctx.db, living(ctx, idHash))
  return row && sessionOf(ctx, row)
}

/** The hexadecimal hashes of those that have not ended. */
export async function findLivingSessions(
  ctx: WebContext,
  idHashes: readonly Buffer[],
): Promise<Set<string>> {
  const now = ctx.clock.now()
  const unusedSince = addSeconds(now, -UNUSED_SECONDS)
  const about = { realm: ctx.config.realm, idHashes, now, unusedSince }
  const living = await findLivingHashes(ctx.db, about)
  return new Set(living.map((idHash) => idHash.toString('hex')))
}

/** The hash of a cookie's value; undefined if it cannot be one of ours. */
export const hashOfCookie = (cookie: string | undefined): Buffer | undefined =>
  cookie !== undefined && ID.test(cookie) ? hashOf(cookie) : undefined

/** The session of a cookie; undefined if there is none. Does not refresh. */
export async function readSession(
  ctx: WebContext,
  cookie: string | undefined,
): Promise<Session | undefined> {
  const idHash = hashOfCookie(cookie)
  if (!idHash) return undefined
  const key = living(ctx, idHash)
  const row = await findSession(ctx.db, key)
  if (!row) return undefined
  const seenBefore = addSeconds(key.now, -SEEN_EVERY_SECONDS).getTime()
  if (timestampToMilliseconds(row.lastSeenAt) < seenBefore) await updateLastSeen(ctx.db, key)
  return sessionOf(ctx, row)
}

const expiresSoon = ({ clock }: WebContext, { accessExpiresAt }: Session): boolean =>
  accessExpiresAt !== null &&
  timestampToMilliseconds(accessExpiresAt) <=
    addSeconds(clock.now(), EXPIRES_SOON_SECONDS).getTime()

const refreshing = new WeakMap<WebContext, Map<string, Promise<Session | undefined>>>()

/**
 * Refreshes the session's tokens, unless somebody else just has. Requests of one process share one
 * refresh, so that they do not each wait with a connection. Undefined: the session has ended.
 */
export function refreshSession(ctx: WebContext, session: Session): Promise<Session | undefined> {
  const running = refreshing.get(ctx) ?? new Map<string, Promise<Session | undefined>>()
  refreshing.set(ctx, running)
  const name = session.idHash.toString('hex')
  const shared = running.get(name)
  if (shared) return shared
  const own = refreshUnderLock(ctx, session).finally(() => running.delete(name))
  running.set(name, own)
  return own
}

async function refreshUnderLock(ctx: WebContext, session: Session): Promise<Session | undefined> {
  const { idHash } = session
  const { realm } = ctx.config
  return ctx.db.transaction({}, async (tx) => {
    const row = await lockSession(tx, living(ctx, idHash))
    const current = row && sessionOf(ctx, row)
    if (!current) return undefined
    const isNewer = current.tokens.accessToken !== session.tokens.accessToken
    if (isNewer) return current
    const { refreshToken } = current.tokens
    const tokens = refreshToken && (await ctx.provider.refresh(refreshToken))
    if (!tokens) {
      await deleteSession(tx, { realm, idHash })
      ctx.log.info({ realm, accountId: current.accountId }, 'web session ended by the provider')
      return undefined
    }
    const accessExpiresAt = expiryOf(ctx.clock.now(), tokens)
    const sealedTokens = sealSession(ctx, { idHash, bearer: current, tokens })
    updateTokens(tx, { realm, idHash, sealedTokens, accessExpiresAt })
    return { ...current, tokens, accessExpiresAt: accessExpiresAt?.toISOString() ?? null }
  })
}

/** The session of a cookie with an access token that is still valid; undefined if there is none. */
export async function currentSession(
  ctx: WebContext,
  cookie: string | undefined,
): Promise<Session | undefined> {
  const found = await readSession(ctx, cookie)
  return found && expiresSoon(ctx, found) ? refreshSession(ctx, found) : found
}

/** Deletes the rows first: whatever the provider does, the session is over here. */
export async function endSession(
  ctx: WebContext,
  session: Session,
  { everywhere }: { everywhere: boolean },
): Promise<void> {
  const { realm } = ctx.config
  const { accountId, idHash } = session
  const one = everywhere ? undefined : await deleteSession(ctx.db, { realm, idHash })
  const ended = everywhere
    ? await deleteSessionsOf(ctx.db, { realm, accountId })
    : [...(one ? [one] : [])]
  const revocations = ended
    .slice(0, REVOKED_AT_ONCE)
    .map((row) => revoke(ctx, openSession(ctx, row)))
  await Promise.all(revocations)
}

/**
 * Ends the session that a new one takes the place of. Of the same person nothing is revoked: some
 * providers would end the new session with the old one's token.
 */
export async function replaceSession(
  ctx: WebContext,
  idHash: Buffer,
  { subject }: Pick<Session, 'subject'>,
): Promise<void> {
  const ended = await deleteSession(ctx.db, { realm: ctx.config.realm, idHash })
  const kept = ended && openSession(ctx, ended)
  if (kept && kept.subject !== subject) await revoke(ctx, kept)
}

async function revoke(ctx: WebContext, tokens: KeptTokens | undefined): Promise<void> {
  if (!tokens) return
  const { accessToken, refreshToken } = tokens
  try {
    if (refreshToken) await ctx.provider.revoke(refreshToken, 'refresh_token')
    else await ctx.provider.revoke(accessToken, 'access_token')
  } catch (error) {
    ctx.log.warn({ err: error }, 'cannot revoke a token at the identity provider')
  }
}

export async function sweepSessions(ctx: WebContext): Promise<number> {
  const now = ctx.clock.now()
  const unusedSince = addSeconds(now, -UNUSED_SECONDS)
  return deleteExpired(ctx.db, { now, unusedSince, most: SWEPT_AT_ONCE })
}

/** Returns a function that stops it. */
export function startSweeping(ctx: WebContext): () => void {
  const sweep = () =>
    sweepSessions(ctx).catch((error: unknown) =>
      ctx.log.warn({ err: error }, 'cannot remove expired web sessions'),
    )
  const timer = setInterval(sweep, SWEEP_EVERY_MS).unref()
  return () => clearInterval(timer)
}
