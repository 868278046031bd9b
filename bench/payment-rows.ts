/** Confirmed payments of a benchmark's organization, written directly into the tables. */
import type pg from 'pg'
import { addressOf, type DataSet, HASH, inBulk, uuidOf } from './data-set.ts'

export const PAYMENT_TABLES = ['payments', 'payment_receipts']

/**
 * A confirmed payment with its receipt for each of the first expenses. They are in no total: a
 * transaction with so many changes of one row would take minutes.
 */
export async function writePayments(
  pool: pg.Pool,
  { name, count, data }: { name: string; count: number; data: DataSet },
): Promise<void> {
  const at = (kind: string) => uuidOf(kind, name, 'n')
  const time = `now() - (${count} - n) * interval '1 minute' - interval '1 hour'`
  const rows = `from generate_series(1, ${count}) n`
  const text = `
    alter table payments disable trigger count_automatic_reserved;
    insert into payments (id, organization_id, expense_id, expense_revision,
        expense_version_hash, vault_id, chain_payment_id, mode, recipient_address, token_address,
        amount, policy_version, report_id, report_hash, deadline, state, executor_address,
        created_at, updated_at)
      select ${at('payment')}, '${data.organizationId}', ${at('expense')}, 2, ${HASH},
        '${data.vaultId}', '0x' || lpad(to_hex(n), 64, '0'), 'automatic', ${addressOf('1')},
        ${addressOf('1')}, 20000000 + n % 997, 1, ${at('report')}, ${HASH}, now(), 'confirmed',
        ${addressOf('3')}, ${time}, ${time} ${rows};
    alter table payments enable trigger count_automatic_reserved;
    insert into payment_receipts (organization_id, payment_id, transaction_hash, block_number,
        block_hash, log_index, status, gas_used, effective_gas_price, execution, confirmed_at)
      select '${data.organizationId}', ${at('payment')}, '0x' || lpad(to_hex(n), 64, '0'), n,
        ${HASH}, 0, 'success', 90000, 1000000007, '{}', ${time} ${rows}`
  await inBulk(pool, PAYMENT_TABLES, () => pool.query(text))
}
