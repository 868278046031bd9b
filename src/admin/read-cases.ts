/** Lists support cases of all organizations, by page, for operators. */
import type { Actor } from '#journal/actor.ts'
import { recordRead } from '#journal/record-read.ts'
import type { SupportCaseState } from '#support/support-case.machine.ts'
import {
  type CaseRecord,
  PRIORITIES,
  type PriorityName,
  toCaseRecord,
} from '#support/support-case.ts'
import { type CaseSort, findCaseCount, listCases } from './cases.store.ts'
import type { AdminContext } from './read-organizations.ts'

const PAGE_SIZE = 25

export type ReadCases = {
  operator: Actor
  page?: number
  status?: SupportCaseState
  priority?: PriorityName
  sort?: CaseSort
}

export type CasePage = {
  cases: CaseRecord[]
  pagination: { page: number; pageSize: number; totalItems: number; totalPages: number }
}

export async function readCases(
  ctx: AdminContext,
  { operator, page = 1, sort = 'newest', status, priority }: ReadCases,
): Promise<CasePage> {
  const filter = {
    ...(status && { state: status }),
    ...(priority && { priority: PRIORITIES[priority] }),
  }
  const offset = (page - 1) * PAGE_SIZE
  const { totalItems, rows } = await ctx.observerDb.transaction({}, async (tx) => {
    const count = await findCaseCount(tx, filter)
    const isPastEnd = offset >= count
    const listed = isPastEnd ? [] : await listCases(tx, { filter, sort, limit: PAGE_SIZE, offset })
    return { totalItems: count, rows: listed }
  })
  const data = { page, sort, ...(status && { status }), ...(priority && { priority }) }
  const operation = 'listSupportCases'
  await recordRead(ctx, { operator, operation, organizationId: null, data })
  const totalPages = Math.ceil(totalItems / PAGE_SIZE)
  return {
    cases: rows.map(toCaseRecord),
    pagination: { page, pageSize: PAGE_SIZE, totalItems, totalPages },
  }
}
