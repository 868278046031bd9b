/**
 * Many authorised expenses at once: rows like those of a complete workflow, so that pipeline tests
 * need not run it. Reserved and released by the service itself.
 */
import { randomUUID } from 'node:crypto'
import { versionHashOf } from '@countersign/proof/version-hash.ts'
import { type ExpenseRow, findRevision, lockExpense } from '#expenses/expenses.store.ts'
import { SYSTEM } from '#journal/actor.ts'
import { requireMacKeys } from '#payments/accepted-keys.ts'
import { automaticUntil } from '#payments/payment.ts'
import { releasePayment } from '#payments/release-payment.ts'
import { reservePayment } from '#payments/reserve-payment.ts'
import { sealReport } from '#payments/worker-mac.ts'
import type { TestDatabase } from '#test/support/database.ts'
import { automaticReady, type PayingHouse } from '#test/support/payments.ts'

type Model = { id: string; reportId: string; reportHash: string; runId: string; purpose: string }

/** Of a service with `PAYMENT_RELEASE=manual`, whose rows its owner may change. */
export async function authorisedExpenses(
  house: PayingHouse,
  { count, amount }: { count: number; amount: bigint },
): Promise<string[]> {
  const { id } = await automaticReady(house, { amountBaseUnits: amount.toString() })
  const { asOwner } = house.treasury.service.database
  const [model] = await asOwner<Model>(
    `select e.id, t.id as "reportId", t.report_hash as "reportHash", t.run_id as "runId", r.purpose
     from expenses e join reports t on t.id = e.current_report_id
     join expense_revisions r on r.expense_id = e.id where e.id = $1`,
    [id],
  )
  if (!model) throw new Error('The model has no report')
  const ids = Array.from({ length: count }, () => randomUUID())
  for (const expenseId of ids) await copy(house, { model, expenseId, amount })
  return ids
}

async function copy(
  house: PayingHouse,
  { model, expenseId, amount }: { model: Model; expenseId: string; amount: bigint },
): Promise<void> {
  const { service, chain } = house.treasury
  const versionHash = versionHashOf({
    organizationId: house.id,
    expenseId,
    revision: 1,
    vaultId: house.vault.id,
    vaultAddress: house.vault.address.toLowerCase(),
    chainId: 31_337,
    tokenAddress: chain.tokenAddress.toLowerCase(),
    recipientAddress: house.recipient.toLowerCase(),
    amount,
    requestedMode: 'automatic',
    purpose: model.purpose,
  })
  const [runId, reportId] = [randomUUID(), randomUUID()]
  const like = async (table: string, of: string, changes: Record<string, unknown>) => {
    const columns = await writtenColumns(service.database, table)
    await service.database.asOwner(
      `insert into ${table} (${columns}) select ${columns.map((name) => `n.${name}`)}
       from ${table} o, jsonb_populate_record(o, $2::jsonb) n where o.${of}`,
      [model.id, JSON.stringify(changes)],
    )
  }
  await like('expenses', 'id = $1', {
    id: expenseId,
    payment_id: randomUUID(),
    current_report_id: null,
  })
  await like('expense_revisions', 'expense_id = $1', {
    expense_id: expenseId,
    version_hash: versionHash,
  })
  await like('agent_runs', 'expense_id = $1', { id: runId, expense_id: expenseId })
  const { mac, keyId } = sealReport(requireMacKeys(service.ctx.secrets), {
    organizationId: house.id,
    expenseId,
    revision: 1,
    versionHash,
    reportHash: model.reportHash,
    vaultId: house.vault.id,
    recipientAddress: house.recipient.toLowerCase(),
    amount,
  })
  await like('reports', 'expense_id = $1', {
    id: reportId,
    expense_id: expenseId,
    run_id: runId,
    mac: `\\x${mac.toString('hex')}`,
    mac_key_id: keyId,
  })
  await service.database.asOwner('update expenses set current_report_id = $2 where id = $1', [
    expenseId,
    reportId,
  ])
}

/** All but the columns that the database computes. */
async function writtenColumns({ asOwner }: TestDatabase, table: string): Promise<string[]> {
  const rows = await asOwner<{ name: string }>(
    `select column_name as name from information_schema.columns
     where table_name = $1 and is_generated = 'NEVER'`,
    [table],
  )
  return rows.map(({ name }) => name)
}

/** All of them in one transaction, so that they are queued at once. */
export const releaseTogether = (house: PayingHouse, ids: readonly string[]): Promise<void> =>
  reserveTogether(house, ids, { isReleased: true })

export async function reserveTogether(
  house: PayingHouse,
  ids: readonly string[],
  { isReleased = false } = {},
): Promise<void> {
  const { ctx, database } = house.treasury.service
  const organizationId = house.id
  const reports = await database.asOwner<{ expenseId: string; id: string; reportHash: string }>(
    `select expense_id as "expenseId", id, report_hash as "reportHash" from reports
     where organization_id = $1`,
    [organizationId],
  )
  const actor = SYSTEM
  const authorization = automaticUntil(ctx.clock.now(), '2099-01-01T00:00:00.000Z')
  await ctx.db.transaction({ organizationId }, async (tx) => {
    for (const expenseId of ids) {
      const expense = (await lockExpense(tx, { organizationId, expenseId })) as ExpenseRow
      const revision = await findRevision(tx, { organizationId, expenseId, revision: 1 })
      const report = reports.find((one) => one.expenseId === expenseId)
      if (!revision || !report) throw new Error(`There is no expense ${expenseId}`)
      const input = { expense, revision, report, authorization, actor }
      const payment = await reservePayment(ctx, tx, input)
      if (isReleased) await releasePayment(ctx, tx, { payment, actor })
    }
  })
}
