import sql from 'sql-template-tag'
import type { Realm } from '#platform/config/config.ts'
import type { Db, Tx } from '#platform/database/database.ts'
import type { AccountState, OperatorState } from './identity.machine.ts'

export type Account = { id: string; subject: string; status: AccountState }
export type OperatorAccount = Account & { operator: OperatorState | null }

export type Identity = { realm: Realm; issuer: string; subject: string }

/** Runs for every request: one lookup by the unique (realm, issuer, subject). */
export async function findAccount(
  db: Pick<Db, 'query'>,
  { realm, issuer, subject }: Identity,
): Promise<OperatorAccount | undefined> {
  const [account] = await db.query<OperatorAccount>(sql`
    select a.id, a.subject, a.status, o.status as operator
    from accounts a left join operators o on o.account_id = a.id
    where a.realm = ${realm} and a.issuer = ${issuer} and a.subject = ${subject}`)
  return account
}

export async function lockAccount(tx: Tx, accountId: string): Promise<Account | undefined> {
  const [account] = await tx.query<Account>(sql`
    select id, subject, status from accounts where id = ${accountId} for update`)
  return account
}

/** Undefined when the identity already has an account. */
export async function insertAccount(
  tx: Tx,
  { id, realm, issuer, subject, at }: Identity & { id: string; at: Date },
): Promise<Account | undefined> {
  const [account] = await tx.query<Account>(sql`
    insert into accounts (id, realm, issuer, subject, created_at)
    values (${id}, ${realm}, ${issuer}, ${subject}, ${at})
    on conflict do nothing returning id, subject, status`)
  return account
}

export function updateAccountStatus(
  tx: Tx,
  { accountId, from, to }: { accountId: string; from: AccountState; to: AccountState },
): void {
  tx.write(sql`
    update accounts set status = ${to} where id = ${accountId} and status = ${from}`)
}

export type Operator = {
  issuer: string
  subject: string
  status: OperatorState
  grantedAt: string
  revokedAt: string | null
}

export async function listOperators(db: Pick<Db, 'query'>): Promise<Operator[]> {
  return db.query<Operator>(sql`
    select a.issuer, a.subject, o.status, o.granted_at as "grantedAt", o.revoked_at as "revokedAt"
    from operators o join accounts a on a.id = o.account_id order by a.subject`)
}

export async function lockOperator(tx: Tx, accountId: string): Promise<OperatorState | undefined> {
  const [operator] = await tx.query<{ status: OperatorState }>(sql`
    select status from operators where account_id = ${accountId} for update`)
  return operator?.status
}

export function upsertOperator(
  tx: Tx,
  { accountId, to, at }: { accountId: string; to: OperatorState; at: Date },
): void {
  const revokedAt = to === 'revoked' ? at : null
  tx.write(sql`
    insert into operators (account_id, status, granted_at) values (${accountId}, ${to}, ${at})
    on conflict (account_id) do update set status = ${to}, revoked_at = ${revokedAt},
      granted_at = case when ${to} = 'active' then ${at} else operators.granted_at end`)
}
