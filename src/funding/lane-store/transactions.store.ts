/** SQL of signed transactions of funding wallets. Each is persisted before it is sent. */
import sql from 'sql-template-tag'
import { isUniqueViolation, type Reader, type Tx } from '#platform/database/database.ts'

export type FundingTransaction = {
  id: string
  organizationId: string
  controlId: string
  /** Null: the token approval of the control. */
  actionId: string | null
  walletId: string
  nonce: number
  /** 0 for the first attempt at its nonce; each replacement adds one. */
  feeRank: number
  transactionHash: string
  raw: string
  outcome: TransactionOutcome | null
  writtenAtMs: number
  /** When a send of these bytes was last recorded. */
  sentAtMs: number | null
}

/** `lost`: another transaction used the nonce, possibly a replacement. */
export type TransactionOutcome = 'succeeded' | 'reverted' | 'lost'

const columns = sql`
  id, organization_id as "organizationId", control_id as "controlId", action_id as "actionId",
  wallet_id as "walletId", nonce, fee_rank as "feeRank", transaction_hash as "transactionHash",
  raw, outcome, (extract(epoch from created_at) * 1000)::bigint as "writtenAtMs",
  (extract(epoch from sent_at) * 1000)::bigint as "sentAtMs"`

export async function insertTransaction(
  tx: Tx,
  row: Omit<FundingTransaction, 'outcome' | 'writtenAtMs' | 'sentAtMs'>,
): Promise<FundingTransaction> {
  const [inserted] = await tx.query<FundingTransaction>(sql`
    insert into funding_transactions (id, organization_id, control_id, action_id, wallet_id, nonce,
      fee_rank, transaction_hash, raw, created_at)
    values (${row.id}, ${row.organizationId}, ${row.controlId}, ${row.actionId}, ${row.walletId},
      ${row.nonce}, ${row.feeRank}, ${row.transactionHash}, ${row.raw}, now())
    returning ${columns}`)
  if (!inserted) throw new Error('A funding transaction was not written')
  return inserted
}

/** Another transaction of this wallet is in flight, possibly of another organization. */
export const isWalletBusy = (error: unknown): boolean =>
  isUniqueViolation(error, 'funding_transactions_in_flight')

type ActionKey = { organizationId: string; actionId: string }
type WalletKey = { organizationId: string; walletId: string }

/** All of one order, because an index allows no second one. Ordered by fee rank. */
export async function listInFlight(
  tx: Tx,
  { organizationId, walletId }: WalletKey,
): Promise<FundingTransaction[]> {
  return tx.query<FundingTransaction>(sql`
    select ${columns} from funding_transactions
    where organization_id = ${organizationId} and wallet_id = ${walletId} and outcome is null
    order by fee_rank`)
}

export async function hasTransaction(tx: Reader, key: ActionKey): Promise<boolean> {
  const rows = await tx.query(sql`
    select 1 as found from funding_transactions
    where organization_id = ${key.organizationId} and action_id = ${key.actionId} limit 1`)
  return rows.length > 0
}

/** The token approval of the control that is not lost. */
export async function findApproval(
  tx: Reader,
  key: { organizationId: string; controlId: string },
): Promise<FundingTransaction | undefined> {
  const [row] = await tx.query<FundingTransaction>(sql`
    select ${columns} from funding_transactions
    where organization_id = ${key.organizationId} and control_id = ${key.controlId}
      and action_id is null and outcome is distinct from 'lost'
    order by fee_rank desc limit 1`)
  return row
}

/** The nonce after the settled ones. The chain's nonce, read before the lock, may be older. */
export async function findNonceAfter(
  tx: Tx,
  { organizationId, walletId }: WalletKey,
): Promise<number> {
  const [row] = await tx.query<{ nonce: number }>(sql`
    select coalesce(max(nonce) + 1, 0) as nonce from funding_transactions
    where organization_id = ${organizationId} and wallet_id = ${walletId}
      and outcome in ('succeeded', 'reverted')`)
  return row?.nonce ?? 0
}

export function updateTransactionSent(
  tx: Tx,
  { organizationId, id }: { organizationId: string; id: string },
): void {
  tx.write(sql`
    update funding_transactions set sent_at = now()
    where organization_id = ${organizationId} and id = ${id}`)
}

/** Ends the transactions in flight: `minedHash` gets the outcome, the others are `lost`. */
export function updateOutcomes(
  tx: Tx,
  row: WalletKey & { outcome: TransactionOutcome; minedHash?: string },
): void {
  tx.write(sql`
    update funding_transactions set outcome = case
      when ${row.minedHash ?? null}::text is null or transaction_hash = ${row.minedHash ?? null}
        then ${row.outcome} else 'lost' end
    where organization_id = ${row.organizationId} and wallet_id = ${row.walletId}
      and outcome is null`)
}
