/** Reads everything an operator may see of one organization, the newest rows of each kind. */
import { checksummed } from '@countersign/proof/values.ts'
import { findPosition } from '#chain/chain.store.ts'
import { listExpenses } from '#expenses/expense-texts.store.ts'
import { toListedExpense } from '#expenses/expense-texts.ts'
import type { Actor } from '#journal/actor.ts'
import { recordRead } from '#journal/record-read.ts'
import { listMembers } from '#organizations/members.store.ts'
import { toPaymentRecord } from '#payments/payment.ts'
import { toReceipt } from '#payments/read-payments.ts'
import type { Tx } from '#platform/database/database.ts'
import { AppError } from '#platform/errors.ts'
import { LAST_ID } from '#platform/paging.ts'
import { toCaseRecord, toNoteRecord } from '#support/support-case.ts'
import { toVaultRecord } from '#treasury/vault.ts'
import { listVaults } from '#treasury/vaults.store.ts'
import {
  type ApprovalView,
  listOrganizationApprovals,
  listOrganizationAttempts,
  listOrganizationAudit,
  listOrganizationCases,
  listOrganizationComments,
  listOrganizationNotes,
  listOrganizationPayments,
  listOrganizationReceipts,
  listOrganizationReports,
  listOrganizationRuns,
} from './organization-detail.store.ts'
import { listFigures } from './organizations.store.ts'
import { toAdminAttempt } from './read-failures.ts'
import { type AdminContext, toAdminOrganization } from './read-organizations.ts'
import { listOrganizationVaultTerms } from './vault-terms.store.ts'
import { toVaultTerms } from './vault-terms.ts'

/** Limit per kind: an organization may have a hundred thousand expenses. */
export const SHOWN = 100

const toApproval = (approval: ApprovalView) => ({
  ...approval,
  approverAddress: checksummed(approval.approverAddress),
})

/** Reads one more row of each kind than is shown, to detect truncation. */
async function readRows(tx: Tx, organizationId: string, now: string) {
  const of = { organizationId, limit: SHOWN + 1 }
  const page = { limit: SHOWN, beforeId: LAST_ID }
  const expenses = await listExpenses(tx, { organizationId, onlyOf: null, page })
  const headNumber = (await findPosition(tx))?.number ?? 0
  return {
    treasuryVaults: (await listVaults(tx, { organizationId, page })).map(toVaultRecord),
    vaultTerms: (await listOrganizationVaultTerms(tx, { ...of, now })).map(toVaultTerms),
    members: await listMembers(tx, { organizationId, page }),
    expenses: expenses.map(toListedExpense),
    expenseComments: await listOrganizationComments(tx, of),
    reports: await listOrganizationReports(tx, of),
    agentRuns: await listOrganizationRuns(tx, of),
    approvals: (await listOrganizationApprovals(tx, of)).map(toApproval),
    auditEvents: await listOrganizationAudit(tx, of),
    payments: (await listOrganizationPayments(tx, of)).map(toPaymentRecord),
    attempts: (await listOrganizationAttempts(tx, of)).map(toAdminAttempt),
    receipts: (await listOrganizationReceipts(tx, of)).map((receipt) => ({
      paymentId: receipt.paymentId,
      ...toReceipt(receipt, headNumber),
    })),
    supportCases: (await listOrganizationCases(tx, of)).map(toCaseRecord),
    supportNotes: (await listOrganizationNotes(tx, of)).map(toNoteRecord),
  }
}

type Rows = Awaited<ReturnType<typeof readRows>>

/** Truncates each kind and names those that were truncated. */
function truncate(rows: Rows): Rows & { truncated: string[] } {
  const kinds = Object.entries<unknown[]>(rows)
  const shown = kinds.map(([kind, all]) => [kind, all.slice(0, SHOWN)])
  const truncated = kinds.filter(([, all]) => all.length > SHOWN).map(([kind]) => kind)
  return { ...(Object.fromEntries(shown) as Rows), truncated }
}

export async function readOrganization(
  ctx: AdminContext,
  { operator, organizationId }: { operator: Actor; organizationId: string },
) {
  const now = ctx.clock.now().toISOString()
  const read = async (tx: Tx) => {
    const [figures] = await listFigures(tx, [organizationId])
    if (!figures) return undefined
    const organization = toAdminOrganization(figures)
    return { organization, ...truncate(await readRows(tx, organizationId, now)) }
  }
  // One snapshot, so that the counts match the rows.
  const found = await ctx.observerDb.transaction({}, read, { isolation: 'snapshot' })
  const operation = 'getAdminOrganization'
  if (!found) {
    await recordRead(ctx, { operator, operation, organizationId: null, data: { organizationId } })
    throw new AppError('not_found')
  }
  await recordRead(ctx, { operator, operation, organizationId })
  return found
}
