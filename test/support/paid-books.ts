/** Paid expenses as rows only: no chain is used. The owner's row security must be lifted. */
import { randomUUID } from 'node:crypto'
import type { TestApp } from './app.ts'
import type { ExpenseHouse } from './expenses.ts'

export type PaidTerms = {
  purpose?: string
  amount?: bigint
  category?: string | null
  categoryName?: string | null
  reference?: string | null
  dueDate?: string | null
  recipientId?: string
  recipientLabel?: string
  vaultId?: string
  submitterAccountId?: string
  confirmedAt?: string
  blockNumber?: number
  gasUsed?: bigint | null
  effectiveGasPrice?: bigint | null
  /** Of the payment; without a receipt unless it is confirmed. */
  state?: 'confirmed' | 'failed' | 'queued'
}

export type PaidExpense = Required<PaidTerms> & {
  expenseId: string
  paymentId: string
  transactionHash: string
}

const hash = () => `0x${(randomUUID() + randomUUID()).replaceAll('-', '')}`

/** Ids increase with each row. */
export async function writePaid(
  { ctx, database }: Pick<TestApp, 'ctx' | 'database'>,
  house: ExpenseHouse,
  terms: PaidTerms = {},
): Promise<PaidExpense> {
  const { organization, employee, recipientAddress } = house
  const [expenseId, paymentId, runId, reportId] = [1, 2, 3, 4].map(() => ctx.ids.next())
  const paid: PaidExpense = {
    purpose: 'Invoice for paper',
    amount: 25_000_000n,
    category: null,
    categoryName: terms.category ?? null,
    reference: null,
    dueDate: null,
    recipientId: house.recipientId,
    recipientLabel: 'Acme Supplies',
    vaultId: house.vaultId,
    submitterAccountId: employee.accountId,
    confirmedAt: '2026-03-01T10:00:00.000Z',
    blockNumber: 17,
    gasUsed: 90_000n,
    effectiveGasPrice: 1_000_000_007n,
    state: 'confirmed',
    ...terms,
    expenseId: expenseId ?? '',
    paymentId: paymentId ?? '',
    transactionHash: hash(),
  }
  await writeExpense(database, house, paid)
  const at = paid.confirmedAt
  const address = recipientAddress.toLowerCase()
  await database.asOwner(
    `insert into agent_runs (id, organization_id, expense_id, expense_revision, state, created_at,
       updated_at) values ($1, $2, $3, 1, 'succeeded', $4, $4)`,
    [runId, organization.id, expenseId, at],
  )
  await database.asOwner(
    `insert into reports (id, organization_id, expense_id, expense_revision, run_id, version,
       report_hash, output, created_at) values ($1, $2, $3, 1, $4, 1, $5, '{}', $6)`,
    [reportId, organization.id, expenseId, runId, hash(), at],
  )
  await database.asOwner(
    `insert into payments (id, organization_id, expense_id, expense_revision,
       expense_version_hash, vault_id, chain_payment_id, mode, recipient_address, token_address,
       amount, policy_version, report_id, report_hash, deadline, state, block_code,
       executor_address, transaction_hash, created_at, updated_at)
     values ($1, $2, $3, 1, $4, $5, $6, 'automatic', $7, $7, $8, 1, $9, $10, $11, $12, $13, $14,
       $15, $11, $11)`,
    [
      ...[paymentId, organization.id, expenseId, hash(), paid.vaultId, hash(), address],
      ...[paid.amount, reportId, hash(), at, paid.state],
      ...[paid.state === 'failed' ? 'proven_failed' : null, `0x${'ee'.repeat(20)}`],
      paid.transactionHash,
    ],
  )
  if (paid.state === 'confirmed') {
    await database.asOwner(
      `insert into payment_receipts (organization_id, payment_id, transaction_hash, block_number,
         block_hash, log_index, status, gas_used, effective_gas_price, execution, confirmed_at)
       values ($1, $2, $3, $4, $5, 0, 'success', $6, $7, '{}', $8)`,
      [
        ...[organization.id, paymentId, paid.transactionHash, paid.blockNumber, hash()],
        ...[paid.gasUsed, paid.effectiveGasPrice, at],
      ],
    )
  }
  return paid
}

async function writeExpense(
  database: TestApp['database'],
  { organization, recipientAddress }: ExpenseHouse,
  { expenseId, paymentId, confirmedAt: at, ...paid }: PaidExpense,
): Promise<void> {
  const address = recipientAddress.toLowerCase()
  await database.asOwner(
    `insert into expenses (id, organization_id, submitter_account_id, payment_id,
       current_revision, state, block_code, created_at, updated_at)
     values ($1, $2, $3, $4, 1, $5, $6, $7, $7)`,
    [
      ...[expenseId, organization.id, paid.submitterAccountId, paymentId],
      ...(paid.state === 'confirmed' ? ['paid', null] : ['blocked', 'proven_failed']),
      at,
    ],
  )
  await database.asOwner(
    `insert into expense_revisions (organization_id, expense_id, revision, vault_id, recipient_id,
       recipient_label, recipient_address, amount, requested_mode, purpose, purpose_key,
       version_hash, author_account_id, created_at, category, category_name, reference, due_date)
     values ($1, $2, 1, $3, $4, $5, $6, $7, 'automatic', $8, '\\x00', $9, $10, $11, $12, $13, $14,
       $15)`,
    [
      ...[organization.id, expenseId, paid.vaultId, paid.recipientId, paid.recipientLabel, address],
      ...[paid.amount, paid.purpose, hash(), paid.submitterAccountId, at],
      ...[paid.category, paid.categoryName, paid.reference, paid.dueDate],
    ],
  )
}
