/** The columns of exported payments, by format (docs/EXPORTS.md). Pure. */
import { checksummed } from '@countersign/proof/values.ts'
import { GAS_DECIMALS, TOKEN_DECIMALS, TOKEN_SYMBOL, toDecimal } from '#platform/token.ts'
import { type Column, dayOfTimestamp, oneLine, textColumn, valueColumn } from './csv.ts'
import type { ExportFormat } from './export-format.ts'
import type { ExportedPayment } from './exports.store.ts'

type PaymentColumn = Column<ExportedPayment>

const gasPaid = ({ gasUsed, effectiveGasPrice }: ExportedPayment): string | null =>
  gasUsed === null || effectiveGasPrice === null
    ? null
    : toDecimal(gasUsed * effectiveGasPrice, GAS_DECIMALS)

const addressOrNull = (address: string | null): string | null => address && checksummed(address)

/** Both columns list the approvers in the same order; someone without a name keeps their place. */
const joined = (values: readonly (string | null)[]): string | null =>
  values.map((value) => value ?? '').join('; ') || null

const plain: PaymentColumn[] = [
  valueColumn('confirmed_at', (row) => row.confirmedAt),
  valueColumn('amount', (row) => toDecimal(row.amount, TOKEN_DECIMALS)),
  valueColumn('currency', () => TOKEN_SYMBOL),
  textColumn('recipient', (row) => row.recipientLabel),
  valueColumn('recipient_address', (row) => checksummed(row.recipientAddress)),
  textColumn('purpose', (row) => row.purpose),
  textColumn('reference', (row) => row.reference),
  textColumn('category', (row) => row.category),
  textColumn('category_name', (row) => row.categoryName),
  valueColumn('due_date', (row) => row.dueDate),
  textColumn('submitter', (row) => row.submitterName),
  valueColumn('submitter_account_id', (row) => row.submitterAccountId),
  textColumn('approver', ({ approvers }) =>
    joined(approvers.map(({ displayName }) => displayName)),
  ),
  valueColumn('approver_account_id', ({ approvers }) =>
    joined(approvers.map(({ accountId }) => accountId)),
  ),
  valueColumn('mode', (row) => row.mode),
  textColumn('vault', (row) => row.vaultLabel),
  valueColumn('vault_address', (row) => checksummed(row.vaultAddress)),
  valueColumn('chain_id', (row) => row.chainId),
  valueColumn('transaction_hash', (row) => row.transactionHash),
  valueColumn('block_number', (row) => row.blockNumber),
  valueColumn('executor_address', (row) => addressOrNull(row.executorAddress)),
  valueColumn('gas_paid', gasPaid),
  valueColumn('payment_id', (row) => row.paymentId),
  valueColumn('expense_id', (row) => row.expenseId),
  valueColumn('revision', (row) => row.revision),
]

/** Money leaves the account. */
const spent = ({ amount }: ExportedPayment): string => toDecimal(-amount, TOKEN_DECIMALS)

const xero: PaymentColumn[] = [
  valueColumn('*Date', (row) => dayOfTimestamp(row.confirmedAt)),
  valueColumn('*Amount', spent),
  textColumn('Payee', (row) => row.recipientLabel),
  textColumn('Description', (row) => oneLine(row.purpose)),
  textColumn('Reference', (row) => row.reference ?? row.transactionHash),
  valueColumn('Check Number', () => null),
]

/** QuickBooks reads three columns only, so the description has everything else. */
const description = ({
  recipientLabel,
  purpose,
  reference,
  transactionHash,
}: ExportedPayment): string =>
  [recipientLabel, oneLine(purpose), reference, transactionHash].filter(Boolean).join(' | ')

const quickbooks: PaymentColumn[] = [
  valueColumn('Date', (row) => dayOfTimestamp(row.confirmedAt)),
  textColumn('Description', description),
  valueColumn('Amount', spent),
]

export const paymentColumnsOf: Record<ExportFormat, readonly PaymentColumn[]> = {
  plain,
  xero,
  quickbooks,
}
