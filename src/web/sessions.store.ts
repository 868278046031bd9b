import sql from 'sql-template-tag'
import type { Realm } from '#platform/config/config.ts'
import type { Db, Tx } from '#platform/database/database.ts'

/** With the realm, so that a cookie of one application opens nothing in another. */
export type SessionKey = { realm: Realm; idHash: Buffer }

export type SessionRow = {
  idHash: Buffer
  accountId: string
  subject: string
  sealedTokens: Buffer
  accessExpiresAt: string | null
  lastSeenAt: string
}

/** Sessions that were not used since `unusedSince` are over. */
export type Living = SessionKey & { now: Date; unusedSince: Date }

const columns = sql`id_hash as "idHash", account_id as "accountId", subject,
  sealed_tokens as "sealedTokens", access_expires_at as "accessExpiresAt",
  last_seen_at as "lastSeenAt"`

export async function findSession(
  db: Pick<Db, 'query'>,
  { realm, idHash, now, unusedSince }: Living,
): Promise<SessionRow | undefined> {
  const [row] = await db.query<SessionRow>(sql`
    select ${columns} from web_sessions
    where id_hash = ${idHash} and realm = ${realm}
      and expires_at > ${now} and last_seen_at > ${unusedSince}`)
  return row
}

/** Those of the hashes whose sessions are not over. */
export async function findLivingHashes(
  db: Pick<Db, 'query'>,
  { realm, idHashes, now, unusedSince }: Omit<Living, 'idHash'> & { idHashes: readonly Buffer[] },
): Promise<Buffer[]> {
  const rows = await db.query<{ idHash: Buffer }>(sql`
    select id_hash as "idHash" from web_sessions
    where id_hash = any(${idHashes}::bytea[]) and realm = ${realm}
      and expires_at > ${now} and last_seen_at > ${unusedSince}`)
  return rows.map(({ idHash }) => idHash)
}

export async function lockSession(
  tx: Tx,
  { realm, idHash, now, unusedSince }: Living,
): Promise<SessionRow | undefined> {
  const [row] = await tx.query<SessionRow>(sql`
    select ${columns} from web_sessions
    where id_hash = ${idHash} and realm = ${realm}
      and expires_at > ${now} and last_seen_at > ${unusedSince}
    for update`)
  return row
}

export type NewSession = SessionKey & {
  accountId: string
  subject: string
  sealedTokens: Buffer
  accessExpiresAt: Date | null
  now: Date
  expiresAt: Date
}

export async function insertSession(db: Pick<Db, 'query'>, session: NewSession): Promise<void> {
  const { idHash, realm, accountId, subject, sealedTokens, accessExpiresAt } = session
  await db.query(sql`
    insert into web_sessions (id_hash, realm, account_id, subject, sealed_tokens,
      access_expires_at, created_at, last_seen_at, expires_at)
    values (${idHash}, ${realm}, ${accountId}, ${subject}, ${sealedTokens}, ${accessExpiresAt},
      ${session.now}, ${session.now}, ${session.expiresAt})`)
}

export function updateTokens(
  tx: Tx,
  {
    realm,
    idHash,
    sealedTokens,
    accessExpiresAt,
  }: SessionKey & { sealedTokens: Buffer; accessExpiresAt: Date | null },
): void {
  tx.write(sql`
    update web_sessions set sealed_tokens = ${sealedTokens}, access_expires_at = ${accessExpiresAt}
    where id_hash = ${idHash} and realm = ${realm}`)
}

export async function updateLastSeen(
  db: Pick<Db, 'query'>,
  { realm, idHash, now }: SessionKey & { now: Date },
): Promise<void> {
  await db.query(sql`
    update web_sessions set last_seen_at = ${now}
    where id_hash = ${idHash} and realm = ${realm} and last_seen_at < ${now}`)
}

export async function updateStepUp(
  db: Pick<Db, 'query'>,
  {
    realm,
    idHash,
    requestId,
    sealed,
    expiresAt,
  }: SessionKey & { requestId: string; sealed: Buffer; expiresAt: Date },
): Promise<void> {
  await db.query(sql`
    update web_sessions set step_up_request_id = ${requestId}, sealed_step_up = ${sealed},
      step_up_expires_at = ${expiresAt}
    where id_hash = ${idHash} and realm = ${realm}`)
}

/** Returns it once: whoever comes second finds nothing. */
export async function takeStepUp(
  tx: Tx,
  { realm, idHash, requestId, now }: SessionKey & { requestId: string; now: Date },
): Promise<Buffer | undefined> {
  const [row] = await tx.query<{ sealed: Buffer }>(sql`
    select sealed_step_up as sealed from web_sessions
    where id_hash = ${idHash} and realm = ${realm} and step_up_request_id = ${requestId}
      and step_up_expires_at > ${now}
    for update`)
  if (!row) return undefined
  tx.write(sql`
    update web_sessions
    set step_up_request_id = null, sealed_step_up = null, step_up_expires_at = null
    where id_hash = ${idHash} and realm = ${realm}`)
  return row.sealed
}

type Ended = { idHash: Buffer; sealedTokens: Buffer }

export async function deleteSession(
  db: Pick<Db, 'query'>,
  { realm, idHash }: SessionKey,
): Promise<Ended | undefined> {
  const [row] = await db.query<Ended>(sql`
    delete from web_sessions where id_hash = ${idHash} and realm = ${realm}
    returning id_hash as "idHash", sealed_tokens as "sealedTokens"`)
  return row
}

export const deleteSessionsOf = (
  db: Pick<Db, 'query'>,
  { realm, accountId }: { realm: Realm; accountId: string },
): Promise<Ended[]> =>
  db.query<Ended>(sql`
    delete from web_sessions where realm = ${realm} and account_id = ${accountId}
    returning id_hash as "idHash", sealed_tokens as "sealedTokens"`)

/** Returns how many were removed. Bounded, so that a sweep never holds many locks. */
export async function deleteExpired(
  db: Pick<Db, 'query'>,
  { now, unusedSince, most }: { now: Date; unusedSince: Date; most: number },
): Promise<number> {
  const removed = await db.query(sql`
    delete from web_sessions where id_hash in (
      select id_hash from web_sessions where expires_at <= ${now} or last_seen_at <= ${unusedSince}
      limit ${most} for update skip locked)
    returning 1 as removed`)
  return removed.length
}

export const isStoreReachable = (db: Pick<Db, 'query'>): Promise<boolean> =>
  db.query(sql`select 1 from web_sessions limit 1`).then(
    () => true,
    () => false,
  )
