/** The columns of exported expenses, by format (docs/EXPORTS.md). Pure. */
import { checksummed } from '@countersign/proof/values.ts'
import type { ExpenseState } from '#expenses/expense.machine.ts'
import { TOKEN_DECIMALS, TOKEN_SYMBOL, toDecimal } from '#platform/token.ts'
import { type Column, computed, dayOfTimestamp, oneLine, written } from './csv.ts'
import type { ExportFormat } from './export-format.ts'
import type { ExportedExpense } from './exports.store.ts'

type ExpenseColumn = Column<ExportedExpense>

const amount = (row: ExportedExpense): string => toDecimal(row.amount, TOKEN_DECIMALS)

const plain: ExpenseColumn[] = [
  computed('created_at', (row) => row.createdAt),
  computed('updated_at', (row) => row.updatedAt),
  computed('state', (row) => row.state),
  computed('amount', amount),
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
  written('vault', (row) => row.vaultLabel),
  computed('vault_address', (row) => checksummed(row.vaultAddress)),
  computed('chain_id', (row) => row.chainId),
  computed('paid_at', (row) => row.paidAt),
  computed('transaction_hash', (row) => row.transactionHash),
  computed('expense_id', (row) => row.expenseId),
  computed('revision', (row) => row.revision),
]

const billNumber = ({ reference, expenseId }: ExportedExpense): string => reference ?? expenseId
const billDate = ({ createdAt }: ExportedExpense): string => dayOfTimestamp(createdAt)
const dueDate = (row: ExportedExpense): string => row.dueDate ?? billDate(row)

/** Both systems take ISO 4217 codes only; USDC is worth a US dollar in the ledger. */
const LEDGER_CURRENCY = 'USD'

const blank = (header: string): ExpenseColumn => computed(header, () => null)

const xero: ExpenseColumn[] = [
  written('*ContactName', (row) => row.recipientLabel),
  ...['EmailAddress', 'POAddressLine1', 'POAddressLine2', 'POAddressLine3'].map(blank),
  ...['POAddressLine4', 'POCity', 'PORegion', 'POPostalCode', 'POCountry'].map(blank),
  written('*InvoiceNumber', billNumber),
  computed('*InvoiceDate', billDate),
  computed('*DueDate', dueDate),
  computed('Total', amount),
  blank('InventoryItemCode'),
  written('Description', (row) => oneLine(row.purpose)),
  computed('*Quantity', () => 1),
  computed('*UnitAmount', amount),
  written('*AccountCode', (row) => row.category),
  ...['*TaxType', 'TaxAmount', 'TrackingName1', 'TrackingOption1'].map(blank),
  ...['TrackingName2', 'TrackingOption2'].map(blank),
  computed('Currency', () => LEDGER_CURRENCY),
]

const quickbooks: ExpenseColumn[] = [
  written('Bill No.', billNumber),
  written('Vendor', (row) => row.recipientLabel),
  computed('Bill Date', billDate),
  computed('Due Date', dueDate),
  written('Memo', (row) => oneLine(row.purpose)),
  written('Account', (row) => row.categoryName),
  written('Line Description', (row) => oneLine(row.purpose)),
  computed('Line Amount', amount),
  computed('Currency', () => LEDGER_CURRENCY),
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
