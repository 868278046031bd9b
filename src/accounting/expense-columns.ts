/** The columns of exported expenses, by format (docs/EXPORTS.md). Pure. */
import { checksummed } from '@countersign/proof/values.ts'
import type { ExpenseState } from '#expenses/expense.machine.ts'
import { TOKEN_DECIMALS, TOKEN_SYMBOL, toDecimal } from '#platform/token.ts'
import { type Column, dayOfTimestamp, oneLine, textColumn, valueColumn } from './csv.ts'
import type { ExportFormat } from './export-format.ts'
import type { ExportedExpense } from './exports.store.ts'

type ExpenseColumn = Column<ExportedExpense>

const amount = (row: ExportedExpense): string => toDecimal(row.amount, TOKEN_DECIMALS)

const plain: ExpenseColumn[] = [
  valueColumn('created_at', (row) => row.createdAt),
  valueColumn('updated_at', (row) => row.updatedAt),
  valueColumn('state', (row) => row.state),
  valueColumn('amount', amount),
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
  textColumn('vault', (row) => row.vaultLabel),
  valueColumn('vault_address', (row) => checksummed(row.vaultAddress)),
  valueColumn('chain_id', (row) => row.chainId),
  valueColumn('paid_at', (row) => row.paidAt),
  valueColumn('transaction_hash', (row) => row.transactionHash),
  valueColumn('expense_id', (row) => row.expenseId),
  valueColumn('revision', (row) => row.revision),
]

const billNumber = ({ reference, expenseId }: ExportedExpense): string => reference ?? expenseId
const billDate = ({ createdAt }: ExportedExpense): string => dayOfTimestamp(createdAt)
const dueDate = (row: ExportedExpense): string => row.dueDate ?? billDate(row)

/** Both systems take ISO 4217 codes only; USDC is worth a US dollar in the ledger. */
const LEDGER_CURRENCY = 'USD'

const blank = (header: string): ExpenseColumn => valueColumn(header, () => null)

const xero: ExpenseColumn[] = [
  textColumn('*ContactName', (row) => row.recipientLabel),
  ...['EmailAddress', 'POAddressLine1', 'POAddressLine2', 'POAddressLine3'].map(blank),
  ...['POAddressLine4', 'POCity', 'PORegion', 'POPostalCode', 'POCountry'].map(blank),
  textColumn('*InvoiceNumber', billNumber),
  valueColumn('*InvoiceDate', billDate),
  valueColumn('*DueDate', dueDate),
  valueColumn('Total', amount),
  blank('InventoryItemCode'),
  textColumn('Description', (row) => oneLine(row.purpose)),
  valueColumn('*Quantity', () => 1),
  valueColumn('*UnitAmount', amount),
  textColumn('*AccountCode', (row) => row.category),
  ...['*TaxType', 'TaxAmount', 'TrackingName1', 'TrackingOption1'].map(blank),
  ...['TrackingName2', 'TrackingOption2'].map(blank),
  valueColumn('Currency', () => LEDGER_CURRENCY),
]

const quickbooks: ExpenseColumn[] = [
  textColumn('Bill No.', billNumber),
  textColumn('Vendor', (row) => row.recipientLabel),
  valueColumn('Bill Date', billDate),
  valueColumn('Due Date', dueDate),
  textColumn('Memo', (row) => oneLine(row.purpose)),
  textColumn('Account', (row) => row.categoryName),
  textColumn('Line Description', (row) => oneLine(row.purpose)),
  valueColumn('Line Amount', amount),
  valueColumn('Currency', () => LEDGER_CURRENCY),
]

export const expenseColumnsOf: Record<ExportFormat, readonly ExpenseColumn[]> = {
  plain,
  xero,
  quickbooks,
}

const NO_BILL: readonly ExpenseState[] = ['draft', 'rejected', 'cancelled']

/** An expense that was not submitted, or ended unpaid, is not a bill. */
export const isExported = ({ state }: Pick<ExportedExpense, 'state'>, format: ExportFormat) =>
  format === 'plain' || !NO_BILL.includes(state)
