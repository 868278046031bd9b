/**
 * Exports payments and expenses as CSV, a page of rows at a time: memory does not grow with the
 * export, and no transaction stays open while a client reads. The audit event of the export is
 * written before its first row is read.
 */
import type { Member } from '#access/permissions.ts'
import type { Context } from '#context.ts'
import { recordChange } from '#journal/journal.ts'
import { asActor, asMember, scopeOf } from '#organizations/actor.ts'
import { forgetRows, type Tx } from '#platform/database/database.ts'
import type { Period } from '#platform/period.ts'
import type { accountingActions } from './accounting.actions.ts'
import { type Column, headerLine, rowLine } from './csv.ts'
import { expenseColumnsOf, isExported } from './expense-columns.ts'
import type { ExportFormat } from './export-format.ts'
import {
  type ExportPage,
  type ExportPosition,
  type ExportRange,
  listConfirmedPayments,
  listCreatedExpenses,
} from './exports.store.ts'
import { paymentColumnsOf } from './payment-columns.ts'

const ROWS_PER_PAGE = 100

type ExportContext = Pick<Context, 'db' | 'clock' | 'ids'>

export type ExportRecords = { actor: Member; period: Period; format: ExportFormat }

/** Confirmed payments by the time of their confirmation. */
export async function exportPayments(
  ctx: ExportContext,
  { actor, period, format }: ExportRecords,
): Promise<AsyncGenerator<string>> {
  const action = 'organization.payments_exported'
  const range = await recordExport(ctx, { actor, period, format, action })
  return lines(ctx, {
    actor,
    range,
    columns: paymentColumnsOf[format],
    list: listConfirmedPayments,
    isShown: () => true,
  })
}

/** Expenses by the time of their creation. */
export async function exportExpenses(
  ctx: ExportContext,
  { actor, period, format }: ExportRecords,
): Promise<AsyncGenerator<string>> {
  const action = 'organization.expenses_exported'
  const range = await recordExport(ctx, { actor, period, format, action })
  return lines(ctx, {
    actor,
    range,
    columns: expenseColumnsOf[format],
    list: listCreatedExpenses,
    isShown: (row) => isExported(row, format),
  })
}

/** Without an end the export ends now; otherwise rows added meanwhile would prolong it. */
async function recordExport(
  ctx: ExportContext,
  { actor, period, format, action }: ExportRecords & { action: (typeof accountingActions)[number] },
): Promise<ExportRange> {
  const { organizationId } = actor
  const { from = null, before = ctx.clock.now() } = period
  const range = { organizationId, from, before }
  await asMember(ctx, actor, (tx) =>
    recordChange(ctx, tx, {
      organizationId,
      actor: asActor(actor),
      action,
      aggregateType: 'organization',
      aggregateId: organizationId,
      data: { format, from: from?.toISOString() ?? null, before: before.toISOString() },
    }),
  )
  return range
}

type Exported<Row> = {
  actor: Member
  range: ExportRange
  columns: readonly Column<Row>[]
  list(tx: Tx, page: ExportPage): Promise<Row[]>
  isShown(row: Row): boolean
}

async function* lines<Row extends ExportPosition>(
  { db }: Pick<ExportContext, 'db'>,
  { actor, range, columns, list, isShown }: Exported<Row>,
): AsyncGenerator<string> {
  yield headerLine(columns)
  let after: ExportPosition | undefined
  for (;;) {
    const page = { ...range, after, limit: ROWS_PER_PAGE }
    const rows = await db.transaction(scopeOf(actor), (tx) => list(tx, page))
    const text = rows.map((row) => (isShown(row) ? rowLine(columns, row) : '')).join('')
    const isLast = rows.length < ROWS_PER_PAGE
    after = rows.at(-1)
    forgetRows(rows)
    if (text !== '') yield text
    if (isLast) return
  }
}
