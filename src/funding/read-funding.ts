/** Reads funding data from the database alone, so that no provider or node delays it. */
import type { Member } from '#access/permissions.ts'
import type { Context } from '#context.ts'
import { scopeOf } from '#organizations/actor.ts'
import { AppError } from '#platform/errors.ts'
import { type Page, type Paged, toPaged } from '#platform/paging.ts'
import type { FundingTerms } from '#ports/funding-provider.ts'
import { findDefaultVault, findVault } from '#treasury/vaults.store.ts'
import { findAction, listActions } from './actions.store.ts'
import { findControl, findDepositor, listDepositorRoles } from './controls.store.ts'
import { type FundingAction, toFundingAction } from './funding-action.ts'
import { type FundingControl, toFundingControl } from './funding-control.ts'
import { type SignerStatus, toSignerStatus } from './signer-status.ts'

type Reader = Pick<Context, 'db'>

/** The vault's newest control; null before the first. */
export async function readControl(
  ctx: Reader,
  { member, vaultId }: { member: Member; vaultId: string },
): Promise<FundingControl | null> {
  const { organizationId } = member
  return ctx.db.read(scopeOf(member), async (reader) => {
    const vault = await findVault(reader, { organizationId, vaultId })
    if (!vault) throw new AppError('not_found')
    const control = await findControl(reader, { organizationId, vaultId })
    return control ? toFundingControl(control) : null
  })
}

/** The signer of the default vault. */
export async function readSigner(
  ctx: Reader &
    Pick<Context, 'clock' | 'chain' | 'config'> & { fundingProvider: FundingTerms | undefined },
  { member }: { member: Member },
): Promise<SignerStatus> {
  const { organizationId } = member
  const provider = ctx.fundingProvider
  return ctx.db.read(scopeOf(member), async (reader) => {
    const vault = await findDefaultVault(reader, organizationId)
    const newest = vault && (await findControl(reader, { organizationId, vaultId: vault.id }))
    const control = newest?.state === 'revoked' ? undefined : newest
    const depositor = control && (await findDepositor(reader, control))
    return toSignerStatus({
      vault,
      control,
      now: ctx.clock.now(),
      chainId: ctx.chain.chainId,
      maxAmount: ctx.config.funding.maxAmount,
      isConfigured: provider !== undefined,
      signer: vault && provider?.signerOf({ vaultAddress: vault.address }),
      isDepositor: depositor !== undefined,
      roles: await listDepositorRoles(reader, organizationId),
    })
  })
}

/** Newest first. */
export async function readActions(
  ctx: Reader,
  { member, page }: { member: Member; page: Page },
): Promise<Paged<FundingAction>> {
  const { organizationId } = member
  const rows = await ctx.db.transaction(scopeOf(member), (tx) =>
    listActions(tx, { organizationId, page }),
  )
  const { items, nextCursor } = toPaged(rows, { limit: page.limit, idOf: ({ id }) => id })
  return { items: items.map(toFundingAction), nextCursor }
}

export async function readAction(
  ctx: Reader,
  { member, actionId }: { member: Member; actionId: string },
): Promise<FundingAction> {
  const { organizationId } = member
  const row = await ctx.db.read(scopeOf(member), (reader) =>
    findAction(reader, { organizationId, actionId }),
  )
  if (!row) throw new AppError('not_found')
  return toFundingAction(row)
}
