/** Reads which notifications the caller receives, and through which channels. */
import type { Context } from '#context.ts'
import { findOwnEmail, listChoices } from './preferences.store.ts'
import { type CategoryPreference, type Channel, toPreferences } from './preferences.ts'

export type NotificationPreferences = {
  preferences: CategoryPreference[]
  /** Channels that this deployment has. */
  channels: Record<Channel, boolean>
  emailAddress: string | null
}

export async function readPreferences(
  ctx: Pick<Context, 'db' | 'config' | 'push'>,
  { accountId }: { accountId: string },
): Promise<NotificationPreferences> {
  return ctx.db.read({ accountId }, async (reader) => {
    const [choices, emailAddress] = await Promise.all([
      listChoices(reader, { accountId }),
      findOwnEmail(reader, { accountId }),
    ])
    return {
      preferences: toPreferences(choices),
      channels: { push: ctx.push !== undefined, email: ctx.config.email !== undefined },
      emailAddress,
    }
  })
}
