/** SQL of executors that take over from one another. */
import sql from 'sql-template-tag'
import type { Tx } from '#platform/database/database.ts'
import type { BindingState } from './executor.machine.ts'
import type { RotatedBinding } from './rotation.ts'

export type RotationRow = RotatedBinding & { organizationId: string; address: string }

/** A payment or an activation is on its lane until the chain's outcome is final. */
const hasWork = sql`(
  exists (select from payments p
    where p.organization_id = b.organization_id and p.lane_id = b.id
      and (p.state in ('queued', 'submitting', 'broadcast', 'reconciling') or p.has_open_attempt))
  or exists (select from policy_activations a
    where a.organization_id = b.organization_id and a.lane_id = b.id
      and (a.state in ('queued', 'submitting', 'broadcast', 'reconciling')
        or a.has_open_attempt)))`

/** A policy that names it may still come into force. */
const isExpected = sql`(
  exists (select from vault_proposals w
    where w.organization_id = b.organization_id and w.state = 'waiting'
      and w.policy ->> 'executorAddress' = b.address)
  or exists (select from policy_intents i
    where i.organization_id = b.organization_id and i.executor_address = b.address
      and i.kind <> 'recipients' and i.state in ('prepared', 'submitted', 'reconciling')))`

/** The policy in force of one of the vaults names it. */
const isNamed = sql`exists (
  select from vaults v
  join policies y on y.organization_id = v.organization_id and y.vault_id = v.id
    and y.version = v.policy_version
  where v.organization_id = b.organization_id and v.archived_at is null
    and y.executor_address = b.address)`

export async function findIsNamed(
  tx: Tx,
  { organizationId, id }: Pick<RotationRow, 'organizationId' | 'id'>,
): Promise<boolean> {
  const [row] = await tx.query<{ isNamed: boolean }>(sql`
    select ${isNamed} as "isNamed" from executor_bindings b
    where b.organization_id = ${organizationId} and b.id = ${id}`)
  return row?.isNamed ?? false
}

/** Those that are not retired, oldest first. A policy is replaced for good at the final block. */
export const listRotation = (
  tx: Tx,
  { organizationId, finalBlock }: { organizationId: string; finalBlock: number },
): Promise<RotationRow[]> =>
  tx.query<RotationRow>(sql`
    select b.id, b.organization_id as "organizationId", b.address, b.state,
      ${isNamed} as "isNamed",
      ${hasWork} or ${isExpected} or exists (
        select from vaults v
        join policies y on y.organization_id = v.organization_id and y.vault_id = v.id
        where v.organization_id = b.organization_id and v.archived_at is null
          and y.executor_address = b.address and not exists (
            select from policies s where s.organization_id = y.organization_id
              and s.vault_id = y.vault_id and s.version > y.version
              and s.block_number <= ${finalBlock}::bigint)) as "isNeeded"
    from executor_bindings b
    where b.organization_id = ${organizationId} and b.state <> 'disabled'
    order by b.id`)

/**
 * Only `moveBinding` calls this. The balance of an executor that no longer drains counts as unread:
 * while it drained, a low balance was not announced, so the next reading must announce it.
 */
export function updateBindingState(
  tx: Tx,
  { binding, to }: { binding: RotationRow; to: BindingState },
): void {
  const returns = binding.state === 'draining' && to !== 'disabled'
  tx.write(sql`
    update executor_bindings set state = ${to},
      balance_read_at = case when ${returns}::boolean then null else balance_read_at end
    where organization_id = ${binding.organizationId} and id = ${binding.id}
      and state = ${binding.state}`)
}
