/** Switches notifications of an account on and off, by category and channel. */
import type { Context } from '#context.ts'
import type { Actor } from '#journal/actor.ts'
import { recordChange } from '#journal/journal.ts'
import { AppError } from '#platform/errors.ts'
import type { Category } from './notification.ts'
import { lockChoices, saveChoices } from './preferences.store.ts'
import { type Choice, isOn, isRequired } from './preferences.ts'

export type ChangePreferences = {
  accountId: string
  actor: Actor
  /** Categories and channels that are not named keep their setting. */
  choices: readonly Choice[]
}

const refuseRequired = (category: Category) =>
  new AppError('validation_failed', {
    message: `\`${category}\` cannot be switched off: it may be the first sign of a theft.`,
  })

export async function changePreferences(
  ctx: Pick<Context, 'db' | 'clock' | 'ids'>,
  { accountId, actor, choices }: ChangePreferences,
): Promise<void> {
  const refused = choices.find((choice) => !choice.isOn && isRequired(choice.category))
  if (refused) throw refuseRequired(refused.category)
  return ctx.db.transaction({ accountId }, async (tx) => {
    const stored = await lockChoices(tx, { accountId })
    const changed = choices.filter((choice) => isOn(stored, choice) !== choice.isOn)
    if (changed.length === 0) return
    // A link may be older than a restored backup, and its account newer.
    if (!(await saveChoices(tx, { accountId, changed, at: ctx.clock.now() }))) return
    await recordChange(ctx, tx, {
      organizationId: null,
      actor,
      action: 'notification_preferences.changed',
      aggregateType: 'account',
      aggregateId: accountId,
      data: {
        accountId,
        changes: changed.map((choice) => ({
          category: choice.category,
          channel: choice.channel,
          on: choice.isOn,
        })),
      },
    })
  })
}
