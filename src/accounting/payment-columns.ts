/** The columns of exported payments, by format (docs/EXPORTS.md). Pure. */
import { checksummed } from '@countersign/proof/values.ts'
import { GAS_DECIMALS, TOKEN_DECIMALS, TOKEN_SYMBOL, toDecimal } from '#platform/token.ts'
import { type Column, computed, dayOfTimestamp, oneLine, written } from './csv.ts'
import type { ExportFormat } from './export-format.ts'
import type { ExportedPayment } from './exports.store.ts'

type PaymentColumn = Column<ExportedPayment>

const gasPaid = ({ gasUsed, effectiveGasPrice }: ExportedPayment): string | null =>
  gasUsed === null || effectiveGasPrice === null
    ? null
    : toDecimal(gasUsed * effectiveGasPrice, GAS_DECIMALS)

const addressOrNull = (address: string | null): string | null => address && checksummed(address)

const plain: PaymentColumn[] = [
  computed('confirmed_at', (row) => row.confirmedAt),
  computed('amount', (row) => toDecimal(row.amount, TOKEN_DECIMALS)),
  computed('currency', () => TOKEN_SYMBOL),
  written('recipient', (row) => row.recipientLabel),
  computed('recipient_address', (row) => checksummed(row.recipientAddress)),
  written('purpose', (row) => row.purpose),
  written('reference', (row) => row.reference),
  written('category', (row) => row.category),
  written('category_name', (row) => row.categoryName),
  computed('due_date', (row) => row.dueDate),
  written('submitter', (row) => row.submitterName),
  computed('submitter_account_id', (row) => row.submitterAccountId),
  written('approver', (row) => row.approverName),
  computed('approver_account_id', (row) => row.approverAccountId),
  computed('mode', (row) => row.mode),
  written('vault', (row) => row.vaultLabel),
  computed('vault_address', (row) => checksummed(row.vaultAddress)),
  computed('chain_id', (row) => row.chainId),
  computed('transaction_hash', (row) => row.transactionHash),
  computed('block_number', (row) => row.blockNumber),
  computed('executor_address', (row) => addressOrNull(row.executorAddress)),
  computed('gas_paid', gasPaid),
  computed('payment_id', (row) => row.paymentId),
  computed('expense_id', (row) => row.expenseId),
  computed('revision', (row) => row.revision),
]

/** Money leaves the account. */
const spent = ({ amount }: ExportedPayment): string => toDecimal(-amount, TOKEN_DECIMALS)

const xero: PaymentColumn[] = [
  computed('*Date', (row) => dayOfTimestamp(row.confirmedAt)),
  computed('*Amount', spent),
  written('Payee', (row) => row.recipientLabel),
  written('Description', (row) => oneLine(row.purpose)),
  written('Reference', (row) => row.reference ?? row.transactionHash),
  computed('Check Number', () => null),
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
  computed('Date', (row) => dayOfTimestamp(row.confirmedAt)),
  written('Description', description),
  computed('Amount', spent),
]

export const paymentColumnsOf: Record<ExportFormat, readonly PaymentColumn[]> = {
  plain,
  xero,
  quickbooks,
}
