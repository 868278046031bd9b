/** Switches off e-mails of one category for the account that an unsubscribe link names. */
import type { Context } from '#context.ts'
import type { Actor } from '#journal/actor.ts'
import { changePreferences } from '#push/change-preferences.ts'
import { isRequired } from '#push/preferences.ts'
import type { Unsubscription } from './unsubscribe-token.ts'

/** Doing it again succeeds, as RFC 8058 expects. */
export async function unsubscribeEmail(
  ctx: Pick<Context, 'db' | 'clock' | 'ids'>,
  { accountId, category, requestId }: Unsubscription & { requestId: string },
): Promise<void> {
  // A category that became required after the e-mail was sent stays on.
  if (isRequired(category)) return
  const actor: Actor = { realm: 'consumer', accountId, requestId }
  const choices = [{ category, channel: 'email', isOn: false }] as const
  await changePreferences(ctx, { accountId, actor, choices })
}
