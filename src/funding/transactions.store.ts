/** SQL of what a funding wallet's key has signed here: on record before it is sent. */
import sql from 'sql-template-tag'
import { isUniqueViolation, type Tx } from '#platform/database/database.ts'

export type FundingTransaction = {
  id: string
  organizationId: string
  controlId: string
  /** Null: the token approval of the control. */
  actionId: string | null
  walletId: string
  nonce: number
  transactionHash: string
  raw: string
  outcome: TransactionOutcome | null
  createdAt: string
}

export type TransactionOutcome = 'succeeded' | 'reverted' | 'lost'

const columns = sql`
  id, organization_id as "organizationId", control_id as "controlId", action_id as "actionId",
  wallet_id as "walletId", nonce, transaction_hash as "transactionHash", raw, outcome,
  created_at as "createdAt"`

export async function insertTransaction(
  tx: Tx,
  row: Omit<FundingTransaction, 'outcome' | 'createdAt'> & { at: Date },
): Promise<void> {
  await tx.query(sql`
    insert into funding_transactions (id, organization_id, control_id, action_id, wallet_id, nonce,
      transaction_hash, raw, created_at)
    values (${row.id}, ${row.organizationId}, ${row.controlId}, ${row.actionId}, ${row.walletId},
      ${row.nonce}, ${row.transactionHash}, ${row.raw}, ${row.at})`)
}

/** Somebody else's transaction of this wallet is in flight, maybe of another organization. */
export const isInFlight = (error: unknown): boolean =>
  isUniqueViolation(error, 'funding_transactions_in_flight')

type ActionKey = { organizationId: string; actionId: string }

export async function findTransactionOfAction(
  tx: Tx,
  key: ActionKey,
): Promise<FundingTransaction | undefined> {
  const [row] = await tx.query<FundingTransaction>(sql`
    select ${columns} from funding_transactions
    where organization_id = ${key.organizationId} and action_id = ${key.actionId}`)
  return row
}

/** The approval that may count; one that is lost does not. */
export async function findApproval(
  tx: Tx,
  key: { organizationId: string; controlId: string },
): Promise<FundingTransaction | undefined> {
  const [row] = await tx.query<FundingTransaction>(sql`
    select ${columns} from funding_transactions
    where organization_id = ${key.organizationId} and control_id = ${key.controlId}
      and action_id is null and outcome is distinct from 'lost'`)
  return row
}

/** What was read of the chain before a lock may be old: the nonce after those that are settled. */
export async function findNonceAfter(tx: Tx, walletId: string): Promise<number> {
  const [row] = await tx.query<{ nonce: number }>(sql`
    select coalesce(max(nonce) + 1, 0) as nonce from funding_transactions
    where wallet_id = ${walletId} and outcome in ('succeeded', 'reverted')`)
  return row?.nonce ?? 0
}

export async function updateTransactionOutcome(
  tx: Tx,
  {
    organizationId,
    id,
    outcome,
  }: Pick<FundingTransaction, 'organizationId' | 'id'> & {
    outcome: TransactionOutcome
  },
): Promise<void> {
  await tx.query(sql`
    update funding_transactions set outcome = ${outcome}
    where organization_id = ${organizationId} and id = ${id} and outcome is null`)
}
