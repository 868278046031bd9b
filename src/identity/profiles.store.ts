/** SQL for profiles: the name and e-mail address of an account. */
import sql from 'sql-template-tag'
import type { Reader, Tx } from '#platform/database/database.ts'
import type { IdentityProfile } from '#ports/identity-provider.ts'

/** Replaces both values with those of the newest token, and keeps a chosen name. */
export function keepProfile(
  tx: Tx,
  { accountId, name, email, at }: IdentityProfile & { accountId: string; at: Date },
): void {
  tx.write(sql`
    insert into profiles (account_id, name, email, updated_at)
    values (${accountId}, ${name}, ${email}, ${at})
    on conflict (account_id) do update set name = ${name}, email = ${email}, updated_at = ${at}
    where profiles.name is distinct from ${name} or profiles.email is distinct from ${email}`)
}

/** Null removes the chosen name: the name in the token shows again. */
export function chooseName(
  tx: Tx,
  { accountId, name, at }: { accountId: string; name: string | null; at: Date },
): void {
  tx.write(sql`
    insert into profiles (account_id, chosen_name, updated_at) values (${accountId}, ${name}, ${at})
    on conflict (account_id) do update set chosen_name = ${name}, updated_at = ${at}`)
}

export async function findDisplayName(tx: Reader, accountId: string): Promise<string | null> {
  const [row] = await tx.query<{ displayName: string | null }>(sql`
    select display_name as "displayName" from profiles where account_id = ${accountId}`)
  return row?.displayName ?? null
}

/** The verified address of the account, in lower case. */
export async function findVerifiedEmail(tx: Tx, accountId: string): Promise<string | null> {
  const [row] = await tx.query<{ email: string | null }>(sql`
    select email from profiles where account_id = ${accountId}`)
  return row?.email ?? null
}
