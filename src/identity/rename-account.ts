/** Sets the name that other members see, or removes it. */
import type { Context } from '#context.ts'
import { recordChange } from '#journal/journal.ts'
import { AppError } from '#platform/errors.ts'
import { isVisible } from '#platform/values.ts'
import { chooseName } from './profiles.store.ts'

export type RenameAccount = { accountId: string; requestId: string; displayName: string | null }

export async function renameAccount(
  ctx: Pick<Context, 'db' | 'clock' | 'ids'>,
  { accountId, requestId, displayName }: RenameAccount,
): Promise<void> {
  const name = displayName?.trim() ?? null
  if (name !== null && !isVisible(name)) {
    throw new AppError('validation_failed', {
      message: '`displayName` must have a visible character. Send null to remove it.',
    })
  }
  await ctx.db.transaction({ accountId }, async (tx) => {
    chooseName(tx, { accountId, name, at: ctx.clock.now() })
    await recordChange(ctx, tx, {
      organizationId: null,
      actor: { realm: 'consumer', accountId, requestId },
      action: 'account.renamed',
      aggregateType: 'account',
      aggregateId: accountId,
      // The trail cannot be erased, so it does not repeat the name.
      data: { isChosen: name !== null },
    })
  })
}
