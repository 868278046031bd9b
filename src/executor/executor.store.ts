/** SQL for executor bindings and their provisioning. */
import sql from 'sql-template-tag'
import type { ExecutorProviderType } from '#platform/config/providers.ts'
import type { Db, Reader, Tx } from '#platform/database/database.ts'
import type { BindingState, ProvisioningState } from './executor.machine.ts'

export type Binding = {
  id: string
  organizationId: string
  providerType: ExecutorProviderType
  /** Lower case. */
  address: string
  chainId: number
  state: BindingState
  nativeBalanceWei: bigint
  balanceReadAt: string | null
  /** False where the provider sponsors gas. */
  paysOwnGas: boolean
  createdAt: string
}

export type Provisioning = {
  id: string
  organizationId: string
  state: ProvisioningState
  attempts: number
  failureCode: string | null
  createdAt: string
  updatedAt: string
}

const bindingColumns = sql`
  id, organization_id as "organizationId", provider_type as "providerType", address,
  chain_id as "chainId", state, native_balance_wei as "nativeBalanceWei",
  balance_read_at as "balanceReadAt", pays_own_gas as "paysOwnGas", created_at as "createdAt"`

/** The one of the policies in force; before the first policy, the one that it will name. */
export async function findActiveBinding(
  tx: Tx,
  organizationId: string,
): Promise<Binding | undefined> {
  const [row] = await tx.query<Binding>(sql`
    select ${bindingColumns}
    from executor_bindings where organization_id = ${organizationId} and state = 'active'`)
  return row
}

/** The one that the policy names, unless it is retired; otherwise the active one. */
export async function findNamedBinding(
  tx: Reader,
  {
    organizationId,
    policy,
  }: { organizationId: string; policy: { executorAddress: string | null } | undefined },
): Promise<Binding | undefined> {
  const address = policy?.executorAddress ?? ''
  const [row] = await tx.query<Binding>(sql`
    select ${bindingColumns} from executor_bindings
    where organization_id = ${organizationId} and state <> 'disabled'
      and (state = 'active' or address = ${address}::text)
    order by address = ${address}::text desc limit 1`)
  return row
}

/** The one that policies prepared now name. */
export async function findNextBinding(
  tx: Tx,
  organizationId: string,
): Promise<Binding | undefined> {
  const [row] = await tx.query<Binding>(sql`
    select ${bindingColumns} from executor_bindings
    where organization_id = ${organizationId} and state in ('next', 'active')
    order by id desc limit 1`)
  return row
}

/** Newest first. The quota of provisionings limits their number. */
export const listBindings = (tx: Reader, organizationId: string): Promise<Binding[]> =>
  tx.query<Binding>(sql`
    select ${bindingColumns} from executor_bindings
    where organization_id = ${organizationId} order by id desc`)

export function insertBinding(
  tx: Tx,
  row: Omit<Binding, 'nativeBalanceWei' | 'balanceReadAt' | 'createdAt'> & {
    reference: Uint8Array
    at: Date
  },
): void {
  tx.write(sql`
    insert into executor_bindings (id, organization_id, provider_type, address, chain_id, state,
      provider_reference, pays_own_gas, created_at)
    values (${row.id}, ${row.organizationId}, ${row.providerType}, ${row.address},
      ${row.chainId}, ${row.state}, ${row.reference}, ${row.paysOwnGas}, ${row.at})`)
}

/** Across organizations. Needs the observer's login. */
export async function findNewestBinding(
  observer: Pick<Tx, 'query'>,
): Promise<Pick<Binding, 'id' | 'organizationId' | 'address'> | undefined> {
  const [row] = await observer.query<Pick<Binding, 'id' | 'organizationId' | 'address'>>(sql`
    select id, organization_id as "organizationId", address
    from executor_bindings where state = 'active' order by id desc limit 1`)
  return row
}

export async function findBindingReference(
  tx: Reader,
  { organizationId, id }: Pick<Binding, 'organizationId' | 'id'>,
): Promise<Buffer | undefined> {
  const [row] = await tx.query<{ reference: Buffer }>(sql`
    select provider_reference as reference from executor_bindings
    where organization_id = ${organizationId} and id = ${id}`)
  return row?.reference
}

export function updateBindingBalance(
  tx: Tx,
  row: { organizationId: string; bindingId: string; nativeBalanceWei: bigint; at: Date },
): void {
  tx.write(sql`
    update executor_bindings set native_balance_wei = ${row.nativeBalanceWei},
      balance_read_at = ${row.at}
    where organization_id = ${row.organizationId} and id = ${row.bindingId}`)
}

const columns = sql`
  id, organization_id as "organizationId", state, attempts, failure_code as "failureCode",
  created_at as "createdAt", updated_at as "updatedAt"`

export async function findLatestProvisioning(
  tx: Reader,
  organizationId: string,
): Promise<Provisioning | undefined> {
  const [row] = await tx.query<Provisioning>(sql`
    select ${columns} from executor_provisionings where organization_id = ${organizationId}
    order by id desc limit 1`)
  return row
}

/** Serialises provisioning per organization. */
export async function lockLatestProvisioning(
  tx: Tx,
  organizationId: string,
): Promise<Provisioning | undefined> {
  tx.write(sql`select pg_advisory_xact_lock(hashtextextended(${organizationId}, 2))`)
  return findLatestProvisioning(tx, organizationId)
}

/** Includes failed ones. The caller holds the lock of `lockLatestProvisioning`. */
export async function countProvisionings(tx: Tx, organizationId: string): Promise<number> {
  const [row] = await tx.query<{ asked: number }>(sql`
    select count(*) as asked from executor_provisionings where organization_id = ${organizationId}`)
  return row?.asked ?? 0
}

export function insertProvisioning(
  tx: Tx,
  row: { id: string; organizationId: string; at: Date },
): void {
  tx.write(sql`
    insert into executor_provisionings (id, organization_id, state, created_at, updated_at)
    values (${row.id}, ${row.organizationId}, 'requested', ${row.at}, ${row.at})`)
}

export function updateProvisioningState(
  tx: Tx,
  move: {
    provisioning: Provisioning
    to: ProvisioningState
    attempts: number
    failureCode: string | null
    at: Date
  },
): void {
  const { provisioning } = move
  tx.write(sql`
    update executor_provisionings set state = ${move.to}, attempts = ${move.attempts},
      failure_code = ${move.failureCode}, updated_at = ${move.at}
    where organization_id = ${provisioning.organizationId} and id = ${provisioning.id}
      and state = ${provisioning.state}`)
}

export type SealedExecutor = { id: string; organizationId: string; address: string }

const BATCH_SIZE = 100

/** Needs the database owner's login. Lists executors of the local keystore, one batch at a time. */
export async function listSealedExecutors(
  db: Pick<Db, 'query'>,
  afterId: string,
): Promise<SealedExecutor[]> {
  return db.query<SealedExecutor>(sql`
    select id, organization_id as "organizationId", address from executor_bindings
    where provider_type = 'local' and id > ${afterId} order by id limit ${BATCH_SIZE}`)
}

export async function lockExecutorReference(tx: Tx, id: string): Promise<Buffer | undefined> {
  const [row] = await tx.query<{ reference: Buffer }>(sql`
    select provider_reference as reference from executor_bindings where id = ${id} for update`)
  return row?.reference
}

export function updateExecutorReference(
  tx: Tx,
  { id, reference }: { id: string; reference: Uint8Array },
): void {
  tx.write(sql`
    update executor_bindings set provider_reference = ${reference} where id = ${id}`)
}
