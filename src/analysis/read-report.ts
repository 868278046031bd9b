import type { Member } from '#access/permissions.ts'
import type { Context } from '#context.ts'
import { visibleTo } from '#expenses/read-expenses.ts'
import { scopeOf } from '#organizations/actor.ts'
import { AppError } from '#platform/errors.ts'
import { findReport, findRevisionReport, type Report } from './analysis.store.ts'

/** Members who can see the expense can see its report. */
export async function readReport(
  ctx: Pick<Context, 'db'>,
  { member, reportId }: { member: Member; reportId: string },
): Promise<Report> {
  const { organizationId } = member
  const report = await ctx.db.read(scopeOf(member), (reader) =>
    findReport(reader, { organizationId, reportId, onlyOf: visibleTo(member) }),
  )
  if (!report) throw new AppError('not_found')
  return report
}

/** The newest report of a revision, which need not be the current one. */
export async function readRevisionReport(
  ctx: Pick<Context, 'db'>,
  { member, expenseId, revision }: { member: Member; expenseId: string; revision: number },
): Promise<Report> {
  const { organizationId } = member
  const report = await ctx.db.read(scopeOf(member), (reader) =>
    findRevisionReport(reader, { organizationId, expenseId, revision, onlyOf: visibleTo(member) }),
  )
  if (!report) throw new AppError('not_found')
  return report
}
