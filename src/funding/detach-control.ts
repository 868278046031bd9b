/** Job: detaches a signer that is no longer used from its wallet. */
import { SYSTEM } from '#journal/actor.ts'
import type { JobPayloads } from '#platform/jobs/jobs.ts'
import { findControlById, findControlWallet, findWalletControls } from './controls.store.ts'
import { isCurrent } from './funding-control.ts'
import { asAttached, type FundingContext, providerOf } from './funding-provider.ts'
import { recordControl } from './move-control.ts'

/** Throws while the provider is unavailable, so that the queue retries. */
export async function detachControl(
  ctx: FundingContext,
  { organizationId, controlId }: JobPayloads['detach_funding'],
): Promise<void> {
  const found = await ctx.db.read({ organizationId }, async (reader) => {
    const control = await findControlById(reader, { organizationId, controlId })
    const wallet = control && (await findControlWallet(reader, control))
    if (!control || !wallet || isCurrent(control)) return undefined
    // Attaching the same signer again has replaced this policy.
    const isTakenOver = (await findWalletControls(reader, control)).length > 0
    return isTakenOver ? undefined : { control, wallet }
  })
  if (!found) return
  const { control, wallet } = found
  await providerOf(ctx, control.provider).detach(asAttached(control, wallet))
  await ctx.db.transaction({ organizationId }, (tx) =>
    recordControl(ctx, tx, {
      control,
      actor: SYSTEM,
      action: 'funding_control.detached',
      severity: 'healthy',
      state: control.state,
    }),
  )
}
