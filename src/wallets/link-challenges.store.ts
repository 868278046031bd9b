/** SQL for the challenges by which an account links a wallet. */
import sql from 'sql-template-tag'
import type { Reader, Tx } from '#platform/database/database.ts'

export type LinkChallenge = {
  id: string
  /** Lower case. */
  address: string
  message: string
  expiresAt: string
  isUsed: boolean
}

/** Deletes expired challenges, and returns when the others expire, soonest first. */
export async function lockChallenges(
  tx: Tx,
  { accountId, at }: { accountId: string; at: Date },
): Promise<string[]> {
  tx.write(sql`select pg_advisory_xact_lock(hashtextextended(${accountId}, 37))`)
  tx.write(sql`
    delete from wallet_link_challenges where account_id = ${accountId} and expires_at <= ${at}`)
  const rows = await tx.query<{ expiresAt: string }>(sql`
    select expires_at as "expiresAt" from wallet_link_challenges
    where account_id = ${accountId} order by expires_at`)
  return rows.map(({ expiresAt }) => expiresAt)
}

export function insertChallenge(
  tx: Tx,
  row: {
    id: string
    accountId: string
    address: string
    message: string
    at: Date
    expiresAt: Date
  },
): void {
  tx.write(sql`
    insert into wallet_link_challenges (id, account_id, address, message, created_at, expires_at)
    values (${row.id}, ${row.accountId}, ${row.address}, ${row.message}, ${row.at},
      ${row.expiresAt})`)
}

export async function findChallenge(
  tx: Reader,
  { accountId, challengeId }: { accountId: string; challengeId: string },
): Promise<LinkChallenge | undefined> {
  const [row] = await tx.query<LinkChallenge>(sql`
    select id, address, message, expires_at as "expiresAt", used_at is not null as "isUsed"
    from wallet_link_challenges where account_id = ${accountId} and id = ${challengeId}`)
  return row
}

/** False when another request has used it in the meantime. */
export async function useChallenge(
  tx: Tx,
  { accountId, challengeId, at }: { accountId: string; challengeId: string; at: Date },
): Promise<boolean> {
  const rows = await tx.query(sql`
    update wallet_link_challenges set used_at = ${at}
    where account_id = ${accountId} and id = ${challengeId} and used_at is null returning id`)
  return rows.length > 0
}

/** For the request that used it, and could not learn whether the signature is valid. */
export async function releaseChallenge(
  tx: Tx,
  { accountId, challengeId }: { accountId: string; challengeId: string },
): Promise<void> {
  await tx.query(sql`
    update wallet_link_challenges set used_at = null
    where account_id = ${accountId} and id = ${challengeId}`)
}
