/** SQL of funding actions. */
import sql from 'sql-template-tag'
import { type Db, isUniqueViolation, type Reader, type Tx } from '#platform/database/database.ts'
import { AppError } from '#platform/errors.ts'
import type { Page } from '#platform/paging.ts'
import type { ActionState } from './funding-action.machine.ts'
import type { ReconciliationState } from './funding-reconciliation.machine.ts'

export type FundingActionKind = 'deposit' | 'withdraw_probe'

export type ActionRow = {
  id: string
  organizationId: string
  vaultId: string
  controlId: string
  walletId: string
  action: FundingActionKind
  amount: bigint
  state: ActionState
  reconciliationState: ReconciliationState
  transactionHash: string | null
  providerReference: string | null
  failureCode: string | null
  /** The requesting account and its key; null for a request of the service. */
  accountId: string | null
  idempotencyKey: string | null
  fingerprint: Buffer | null
  submittedAt: string | null
  /** The newest block when it was submitted. */
  submittedBlock: number | null
  /** The last request to a sending provider that has no answer. */
  unansweredAt: string | null
  broadcastAt: string | null
  confirmedAt: string | null
  reconciledAt: string | null
  balanceBefore: bigint | null
  balanceAfter: bigint | null
  createdAt: string
  updatedAt: string
}

const columns = sql`
  id, organization_id as "organizationId", vault_id as "vaultId", control_id as "controlId",
  wallet_id as "walletId", action, amount, state, reconciliation_state as "reconciliationState",
  transaction_hash as "transactionHash", provider_reference as "providerReference",
  failure_code as "failureCode", account_id as "accountId", idempotency_key as "idempotencyKey",
  fingerprint, submitted_at as "submittedAt",
  submitted_block as "submittedBlock", unanswered_at as "unansweredAt",
  broadcast_at as "broadcastAt", confirmed_at as "confirmedAt", reconciled_at as "reconciledAt",
  balance_before as "balanceBefore", balance_after as "balanceAfter", created_at as "createdAt",
  updated_at as "updatedAt"`

export type NewAction = Pick<
  ActionRow,
  'id' | 'organizationId' | 'vaultId' | 'controlId' | 'walletId' | 'action' | 'amount'
> & {
  approvalTransactionHash: string | null
  /** Null: a request of the service. */
  asked: { accountId: string; idempotencyKey: string; fingerprint: Buffer } | null
  at: Date
}

/** Undefined when the key was used. Waits for an uncommitted action with the same key. */
export async function insertAction(tx: Tx, row: NewAction): Promise<ActionRow | undefined> {
  const { accountId = null, idempotencyKey = null, fingerprint = null } = row.asked ?? {}
  const [inserted] = await tx
    .query<ActionRow>(sql`
      insert into funding_actions (id, organization_id, vault_id, control_id, wallet_id, action,
        amount, state, reconciliation_state, approval_transaction_hash, account_id,
        idempotency_key, fingerprint, created_at, updated_at)
      values (${row.id}, ${row.organizationId}, ${row.vaultId}, ${row.controlId}, ${row.walletId},
        ${row.action}, ${row.amount}, 'requested', 'pending', ${row.approvalTransactionHash},
        ${accountId}, ${idempotencyKey}, ${fingerprint}, ${row.at}, ${row.at})
      on conflict (organization_id, account_id, idempotency_key) do nothing
      returning ${columns}`)
    .catch((error) => {
      if (!isUniqueViolation(error, 'funding_actions_open_deposit')) throw error
      throw new AppError('state_conflict', {
        message: 'A deposit of this wallet is in progress. Wait until it has ended.',
      })
    })
  return inserted
}

export async function findActionByKey(
  tx: Tx,
  key: { organizationId: string; accountId: string; idempotencyKey: string },
): Promise<ActionRow | undefined> {
  const [row] = await tx.query<ActionRow>(sql`
    select ${columns} from funding_actions
    where organization_id = ${key.organizationId} and account_id = ${key.accountId}
      and idempotency_key = ${key.idempotencyKey}`)
  return row
}

type ActionKey = { organizationId: string; actionId: string }

export async function findAction(tx: Reader, key: ActionKey): Promise<ActionRow | undefined> {
  const [row] = await tx.query<ActionRow>(sql`
    select ${columns} from funding_actions
    where organization_id = ${key.organizationId} and id = ${key.actionId}`)
  return row
}

export async function lockAction(tx: Tx, key: ActionKey): Promise<ActionRow | undefined> {
  const [row] = await tx.query<ActionRow>(sql`
    select ${columns} from funding_actions
    where organization_id = ${key.organizationId} and id = ${key.actionId} for no key update`)
  return row
}

/** Across tenants: run as the observer. */
export async function findActionOrganization(
  db: Pick<Db, 'query'>,
  actionId: string,
): Promise<string | undefined> {
  const [row] = await db.query<{ organizationId: string }>(sql`
    select organization_id as "organizationId" from funding_actions where id = ${actionId}`)
  return row?.organizationId
}

/** Transactions that moved exactly this amount from the wallet to the vault after the block. */
export async function listReceived(
  tx: Reader,
  from: { vaultAddress: string; address: string; amount: bigint; afterBlock: number },
): Promise<string[]> {
  const rows = await tx.query<{ hash: string }>(sql`
    select transaction_hash as hash from chain_logs
    where vault_address = ${from.vaultAddress} and name = 'TokenReceived'
      and block_number > ${from.afterBlock} and args ->> 'from' = ${from.address}
      and args ->> 'amount' = ${String(from.amount)}
    order by block_number, log_index`)
  return rows.map(({ hash }) => hash)
}

/** Newest first. */
export async function listActions(
  tx: Reader,
  { organizationId, page }: { organizationId: string; page: Page },
): Promise<ActionRow[]> {
  return tx.query<ActionRow>(sql`
    select ${columns} from funding_actions
    where organization_id = ${organizationId} and id < ${page.beforeId}
    order by id desc limit ${page.limit + 1}`)
}

export async function findOpenProbe(
  tx: Tx,
  { organizationId, controlId }: { organizationId: string; controlId: string },
): Promise<boolean> {
  const rows = await tx.query(sql`
    select 1 as found from funding_actions
    where organization_id = ${organizationId} and control_id = ${controlId}
      and action = 'withdraw_probe' and state = 'requested' limit 1`)
  return rows.length > 0
}

export type ActionMove = {
  action: ActionRow
  to: ActionState
  reconciliation: ReconciliationState
  failureCode: string | null
  transactionHash: string | null
  providerReference: string | null
  balanceAfter: bigint | null
  at: Date
}

export function updateActionState(tx: Tx, move: ActionMove): void {
  const { action, to, at } = move
  const isEnded = to !== 'broadcast'
  tx.write(sql`
    update funding_actions set state = ${to}, reconciliation_state = ${move.reconciliation},
      failure_code = ${move.failureCode},
      transaction_hash = coalesce(${move.transactionHash}, transaction_hash),
      provider_reference = coalesce(${move.providerReference}, provider_reference),
      balance_after = coalesce(${move.balanceAfter}, balance_after),
      broadcast_at = ${to === 'broadcast' ? at : action.broadcastAt},
      confirmed_at = ${to === 'confirmed' ? at : null},
      reconciled_at = ${isEnded ? at : null}, updated_at = ${at}
    where organization_id = ${action.organizationId} and id = ${action.id}
      and state = ${action.state}`)
}

/** The transaction has already confirmed another deposit of the wallet. */
export const isConfirmedBefore = (error: unknown): boolean =>
  isUniqueViolation(error, 'funding_actions_confirmed_by')

/** Written before the provider or a node is called. */
export function updateActionSubmitted(
  tx: Tx,
  row: ActionKey & {
    balanceBefore: bigint | null
    transactionHash: string | null
    submittedBlock?: number
    at: Date
  },
): void {
  tx.write(sql`
    update funding_actions set submitted_at = coalesce(submitted_at, ${row.at}),
      submitted_block = coalesce(submitted_block, ${row.submittedBlock ?? null}),
      balance_before = coalesce(balance_before, ${row.balanceBefore}),
      transaction_hash = coalesce(${row.transactionHash}, transaction_hash), updated_at = ${row.at}
    where organization_id = ${row.organizationId} and id = ${row.actionId}`)
}

/** Written before a sending provider is asked, and again after its answer. */
export function updateActionUnanswered(
  tx: Tx,
  row: ActionKey & { unansweredAt: Date | string | null; at: Date },
): void {
  tx.write(sql`
    update funding_actions set unanswered_at = ${row.unansweredAt}, updated_at = ${row.at}
    where organization_id = ${row.organizationId} and id = ${row.actionId}`)
}

/** The provider has replaced the transaction. */
export function updateActionHash(
  tx: Tx,
  row: ActionKey & { transactionHash: string; at: Date },
): void {
  tx.write(sql`
    update funding_actions set transaction_hash = ${row.transactionHash}, updated_at = ${row.at}
    where organization_id = ${row.organizationId} and id = ${row.actionId}`)
}

export function updateActionDoubted(
  tx: Tx,
  row: ActionKey & { reconciliation: ReconciliationState; at: Date },
): void {
  tx.write(sql`
    update funding_actions set reconciliation_state = ${row.reconciliation}, updated_at = ${row.at}
    where organization_id = ${row.organizationId} and id = ${row.actionId}`)
}
