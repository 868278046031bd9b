/** Lists prepared transactions, so that one in flight survives a reload of the application. */
import type { Member } from '#access/permissions.ts'
import type { Context } from '#context.ts'
import { scopeOf } from '#organizations/actor.ts'
import { AppError } from '#platform/errors.ts'
import { type Page, type Paged, toPaged } from '#platform/paging.ts'
import {
  type ListedDeployment,
  type ListedPolicyIntent,
  toListedDeployment,
  toListedPolicyIntent,
} from './intent-records.ts'
import { listDeployments, listPolicyIntents } from './intents.store.ts'
import { findVault, listVaultsById } from './vaults.store.ts'

type OfOrganization = { member: Member; page: Page }

/** Newest first. */
export async function readDeployments(
  ctx: Pick<Context, 'db'>,
  { member, page }: OfOrganization,
): Promise<Paged<ListedDeployment>> {
  const { organizationId } = member
  return ctx.db.transaction(scopeOf(member), async (tx) => {
    const rows = await listDeployments(tx, { organizationId, page })
    const { items, nextCursor } = toPaged(rows, { limit: page.limit, idOf: ({ id }) => id })
    const vaultIds = items.flatMap(({ vaultId }) => vaultId ?? [])
    const vaults = await listVaultsById(tx, { organizationId, vaultIds })
    const vaultOf = (vaultId: string | null) => vaults.find(({ id }) => id === vaultId)
    return {
      items: items.map((intent) => toListedDeployment(intent, vaultOf(intent.vaultId))),
      nextCursor,
    }
  })
}

/** Newest first. */
export async function readPolicyIntents(
  ctx: Pick<Context, 'db'>,
  { member, vaultId, page }: OfOrganization & { vaultId: string },
): Promise<Paged<ListedPolicyIntent>> {
  const { organizationId } = member
  return ctx.db.transaction(scopeOf(member), async (tx) => {
    if (!(await findVault(tx, { organizationId, vaultId }))) throw new AppError('not_found')
    const rows = await listPolicyIntents(tx, { organizationId, vaultId, page })
    const { items, nextCursor } = toPaged(rows, { limit: page.limit, idOf: ({ id }) => id })
    return { items: items.map(toListedPolicyIntent), nextCursor }
  })
}
