/** SQL for the executors of all organizations. Needs the observer's login. */
import sql from 'sql-template-tag'
import type { ExecutorProviderType } from '#platform/config/providers.ts'
import type { Tx } from '#platform/database/database.ts'
import type { Page } from '#platform/paging.ts'

export type ExecutorRow = {
  id: string
  organizationId: string
  organizationName: string
  providerType: ExecutorProviderType
  /** Lower case. */
  address: string
  chainId: number
  status: 'active' | 'disabled'
  nativeBalanceWei: bigint
  balanceReadAt: string | null
  paysOwnGas: boolean
  isHeld: boolean
  createdAt: string
}

/** Newest first, one more than the page holds. */
export async function listExecutors(tx: Tx, page: Page): Promise<ExecutorRow[]> {
  return tx.query<ExecutorRow>(sql`
    select b.id, b.organization_id as "organizationId",
      (select o.name from organizations o where o.id = b.organization_id) as "organizationName",
      b.provider_type as "providerType", b.address, b.chain_id as "chainId", 
      case when b.state = 'disabled' then 'disabled' else 'active' end as status,
      b.native_balance_wei as "nativeBalanceWei", b.balance_read_at as "balanceReadAt",
      b.pays_own_gas as "paysOwnGas", b.is_held as "isHeld", b.created_at as "createdAt"
    from executor_bindings b where b.id < ${page.beforeId}
    order by b.id desc limit ${page.limit + 1}`)
}
