/** SQL for an organization's categories. */
import sql from 'sql-template-tag'
import type { Reader, Tx } from '#platform/database/database.ts'

export type ExpenseCategory = { code: string; name: string }

export async function listCategories(
  reader: Reader,
  organizationId: string,
): Promise<ExpenseCategory[]> {
  return reader.query<ExpenseCategory>(sql`
    select code, name from categories where organization_id = ${organizationId}
    order by position, code`)
}

export async function findCategory(
  tx: Tx,
  { organizationId, code }: { organizationId: string; code: string },
): Promise<ExpenseCategory | undefined> {
  const [row] = await tx.query<ExpenseCategory>(sql`
    select code, name from categories
    where organization_id = ${organizationId} and code = ${code}`)
  return row
}

/** Serialises replacements in an organization, so that two lists do not mix. */
export async function lockCategories(tx: Tx, organizationId: string): Promise<ExpenseCategory[]> {
  tx.write(sql`select pg_advisory_xact_lock(hashtextextended(${organizationId}, 11))`)
  return listCategories(tx, organizationId)
}

export function replaceCategories(
  tx: Tx,
  {
    organizationId,
    categories,
  }: { organizationId: string; categories: readonly ExpenseCategory[] },
): void {
  const codes = categories.map(({ code }) => code)
  tx.write(sql`
    delete from categories
    where organization_id = ${organizationId} and code <> all(${codes}::text[])`)
  tx.write(sql`
    insert into categories (organization_id, code, name, position)
    select ${organizationId}, n.code, n.name, n.number - 1
    from unnest(${codes}::text[], ${categories.map(({ name }) => name)}::text[])
      with ordinality as n (code, name, number)
    on conflict (organization_id, code)
      do update set name = excluded.name, position = excluded.position`)
}
