/** SQL for finding organizations across tenants. Needs the observer's login. */
import { isEvmAddress, isHash, isUuid } from '@countersign/proof/values.ts'
import sql, { join, type Sql } from 'sql-template-tag'
import type { Tx } from '#platform/database/database.ts'
import type { Page } from '#platform/paging.ts'
import { lowerCased } from '#platform/values.ts'
import type { Condition } from './organization-severity.ts'

export type OrganizationFigures = Condition & {
  id: string
  name: string
  createdAt: string
  memberCount: number
  vaultCount: number
}

/** Ids, newest first, one more than the page holds. */
export async function listOrganizationIds(tx: Tx, page: Page): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(sql`
    select id from organizations where id < ${page.beforeId}
    order by id desc limit ${page.limit + 1}`)
  return rows.map(({ id }) => id)
}

/**
 * The trigram index narrows the candidates; `strpos` decides whether the name contains the term.
 */
const byName = (term: string, page: Page): Sql => sql`
  (select o.id from organizations o
   where name_grams(o.name) @> search_grams(${term}) and strpos(lower(o.name), lower(${term})) > 0
     and o.id < ${page.beforeId}
   order by o.id desc limit ${page.limit + 1})`

const byId = (id: string): Sql[] => [
  sql`select id from organizations where id = ${id}`,
  sql`select organization_id from expenses where payment_id = ${id}`,
  sql`select organization_id from expenses where id = ${id}`,
  sql`select organization_id from support_cases where id = ${id}`,
]

/** Of a vault, an executor, a recipient, or a wallet of somebody who is or was a member. */
const byAddress = (address: string): Sql[] => [
  sql`select organization_id from vaults where address = ${address}`,
  sql`select organization_id from executor_bindings where address = ${address}`,
  sql`select organization_id from recipients where address = ${address}`,
  sql`select m.organization_id from wallet_links l
    join memberships m on m.account_id = l.account_id where l.address = ${address}`,
]

/** Transactions with this hash, and payments whose id on chain it is. */
const byHash = (hash: string): Sql[] => [
  sql`select organization_id from payment_attempts where transaction_hash = ${hash}`,
  sql`select organization_id from payments where chain_payment_id = ${hash}`,
  sql`select organization_id from unrecorded_payments where transaction_hash = ${hash}`,
  sql`select organization_id from unrecorded_payments where chain_payment_id = ${hash}`,
  sql`select organization_id from vaults where deployment_transaction_hash = ${hash}`,
  sql`select organization_id from vault_deployments where transaction_hash = ${hash}`,
  sql`select organization_id from policies where chain_transaction_hash = ${hash}`,
  sql`select organization_id from policy_intents where transaction_hash = ${hash}`,
  sql`select organization_id from approvals where invalidation_transaction_hash = ${hash}`,
]

function byExactValue(term: string): Sql[] {
  const stored = lowerCased(term)
  if (isUuid(term)) return byId(stored)
  if (isHash(term)) return byHash(stored)
  return isEvmAddress(term) ? byAddress(stored) : []
}

/** By a case-insensitive part of the name, or by an exact id, address or hash. */
export async function listMatchingIds(
  tx: Tx,
  { term, page }: { term: string; page: Page },
): Promise<string[]> {
  // Rare and common names need different plans, so no plan is cached.
  tx.write(sql`select set_config('plan_cache_mode', 'force_custom_plan', true)`)
  const rows = await tx.query<{ id: string }>(sql`
    select id from (${join([byName(term, page), ...byExactValue(term)], ' union ')}) as found (id)
    where id < ${page.beforeId} order by id desc limit ${page.limit + 1}`)
  return rows.map(({ id }) => id)
}

/**
 * Scalar subqueries instead of `exists`, which the planner would turn into a hash of the whole
 * table.
 */
export async function listFigures(tx: Tx, ids: readonly string[]): Promise<OrganizationFigures[]> {
  return tx.query<OrganizationFigures>(sql`
    select o.id, o.name, o.created_at as "createdAt",
      (select count(*) from memberships m
       where m.organization_id = o.id and m.state = 'active') as "memberCount",
      (select count(*) from vaults v
       where v.organization_id = o.id and v.state <> 'disabled') as "vaultCount",
      (select count(*) from support_cases c
       where c.organization_id = o.id and c.state <> 'resolved') as "openSupportCases",
      coalesce((select max(c.priority) from support_cases c
        where c.organization_id = o.id and c.state <> 'resolved'), 0) = 3 as "hasUrgentCase",
      (select count(*) from payments p
       where p.organization_id = o.id and p.state in ('failed', 'blocked')) as "failedPayments",
      (select count(*) from unrecorded_payments u
       where u.organization_id = o.id and u.state = 'open') as "unrecordedPayments",
      coalesce((select true from payments p
        where p.organization_id = o.id and p.state = 'reconciling' limit 1), false)
        as "isReconciling",
      coalesce((select true from executor_bindings b where b.organization_id = o.id
        and b.state <> 'disabled' and b.is_held limit 1), false) as "isExecutorHeld",
      coalesce((select x.state = 'failed' from executor_provisionings x
        where x.organization_id = o.id order by x.id desc limit 1), false) as "hasExecutorFailed"
    from organizations o where o.id = any(${ids}::uuid[]) order by o.id desc`)
}

export type OrganizationName = { id: string; name: string }

export async function listOrganizationNames(
  tx: Tx,
  ids: readonly string[],
): Promise<OrganizationName[]> {
  return tx.query<OrganizationName>(sql`
    select id, name from organizations where id = any(${ids}::uuid[]) order by id desc`)
}

export async function findIsOrganization(tx: Tx, organizationId: string): Promise<boolean> {
  const rows = await tx.query(sql`
    select 1 as found from organizations where id = ${organizationId}`)
  return rows.length > 0
}
