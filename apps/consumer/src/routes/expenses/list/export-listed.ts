/** A file of exactly what is listed, made from the same reads as the list. */

import { client } from '@countersign/app-kit/data/api.ts'
import type { Failure } from '@countersign/client/errors.ts'
import { pages } from '@countersign/client/pages.ts'
import { asDecimal } from '@countersign/ui/amounts.ts'
import type { ListedExpense } from '../expense-types.ts'
import { csvOf } from './csv.ts'
import type { Query } from './filters.ts'

const HEADINGS = [
  'Expense',
  'Created',
  'State',
  'Purpose',
  'Recipient',
  'Address',
  'Amount',
  'Currency',
  'Category',
  'Reference',
  'Due',
  'Submitter',
  'Mode',
  'Revision',
  'Payment',
]

type Asked = {
  organizationId: string
  query: Query
  token: { symbol: string; decimals: number }
  signal: AbortSignal
  onProgress(count: number): void
}

const rowOf = (
  { id, createdAt, state, revision, paymentId, ...expense }: ListedExpense,
  { symbol, decimals }: Asked['token'],
): string[] => [
  id,
  createdAt,
  state,
  revision.purpose,
  revision.recipientLabel,
  revision.recipientAddress,
  asDecimal(revision.amountBaseUnits, decimals),
  symbol,
  revision.category ?? '',
  revision.reference ?? '',
  revision.dueDate ?? '',
  expense.submitterDisplayName ?? expense.submitterAccountId,
  revision.requestedMode,
  String(revision.revision),
  paymentId,
]

export async function exportListed(
  asked: Asked,
): Promise<{ ok: true; file: Blob } | { ok: false; failure: Failure }> {
  const { organizationId, query, token, signal, onProgress } = asked
  const rows: string[][] = [HEADINGS]
  const input = { path: { organizationId }, query: { ...query, limit: 200 }, signal }
  for await (const page of pages(client, 'listExpenses', input)) {
    if (!page.ok) return page
    rows.push(...page.data.items.map((expense) => rowOf(expense, token)))
    onProgress(rows.length - 1)
  }
  return { ok: true, file: new Blob([csvOf(rows)], { type: 'text/csv' }) }
}
