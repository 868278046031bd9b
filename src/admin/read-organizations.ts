/** Lists organizations for operators: all of them, or those that match a search term. */
import { hasRightChecksum, isEvmAddress } from '@countersign/proof/values.ts'
import type { Context } from '#context.ts'
import type { Actor } from '#journal/actor.ts'
import { recordRead } from '#journal/record-read.ts'
import { AppError } from '#platform/errors.ts'
import { type Page, type Paged, toPaged } from '#platform/paging.ts'
import type { Severity } from '#platform/severity.ts'
import { severityOf } from './organization-severity.ts'
import {
  listFigures,
  listMatchingIds,
  listOrganizationIds,
  type OrganizationFigures,
} from './organizations.store.ts'

export type AdminContext = Pick<Context, 'db' | 'observerDb' | 'clock' | 'ids'>

export type AdminOrganization = {
  id: string
  name: string
  createdAt: string
  memberCount: number
  vaultCount: number
  openSupportCases: number
  failedPayments: number
  unrecordedPayments: number
  severity: Severity
}

export const toAdminOrganization = (figures: OrganizationFigures): AdminOrganization => ({
  id: figures.id,
  name: figures.name,
  createdAt: figures.createdAt,
  memberCount: figures.memberCount,
  vaultCount: figures.vaultCount,
  openSupportCases: figures.openSupportCases,
  failedPayments: figures.failedPayments,
  unrecordedPayments: figures.unrecordedPayments,
  severity: severityOf(figures),
})

export async function readOrganizations(
  ctx: AdminContext,
  { operator, q, page }: { operator: Actor; q: string; page: Page },
): Promise<Paged<AdminOrganization>> {
  const term = q.trim()
  if (isEvmAddress(term) && !hasRightChecksum(term)) {
    throw new AppError('validation_failed', {
      message:
        '`q` in the query has a wrong EIP-55 checksum. Copy the address again from its source.',
    })
  }
  const paged = await ctx.observerDb.transaction({}, async (tx) => {
    const ids =
      term === '' ? await listOrganizationIds(tx, page) : await listMatchingIds(tx, { term, page })
    const { items, nextCursor } = toPaged(ids, { limit: page.limit, idOf: (id) => id })
    const figures = items.length === 0 ? [] : await listFigures(tx, items)
    return { items: figures.map(toAdminOrganization), nextCursor }
  })
  const data = term === '' ? {} : { q: term }
  await recordRead(ctx, {
    operator,
    operation: 'listAdminOrganizations',
    organizationId: null,
    data,
  })
  return paged
}
