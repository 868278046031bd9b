/** The categories in the order in which people look for them. */
import type { DataOf } from '@countersign/client/operation-types.ts'
import type { Category } from '../../words/notifications.ts'

export type Preferences = DataOf<'getNotificationPreferences'>
export type Preference = Preferences['preferences'][number]
export type Channel = 'push' | 'email'

export const GROUPS = {
  work: [
    'review_needed',
    'approval_needed',
    'revision_requested',
    'payment_confirmed',
    'support_updated',
  ],
  trouble: ['payment_blocked', 'webhook_disabled', 'member_role_changed'],
  security: [
    ...(['payment_unrecorded', 'policy_proposed', 'vault_changed'] as const),
    ...(['wallet_exported', 'wallet_export_locked'] as const),
  ],
} as const satisfies Record<string, readonly Category[]>

export type Group = keyof typeof GROUPS

/** Categories that a newer service added come last in the first group, so that none is missing. */
export function grouped(preferences: readonly Preference[]): Record<Group, Preference[]> {
  const of = (group: Group) =>
    (GROUPS[group] as readonly Category[]).flatMap((category) =>
      preferences.filter((preference) => preference.category === category),
    )
  const known = new Set<string>(Object.values(GROUPS).flat())
  const others = preferences.filter(({ category }) => !known.has(category))
  return { work: [...of('work'), ...others], trouble: of('trouble'), security: of('security') }
}

export type ChannelState = 'usable' | 'off_here' | 'no_address' | 'required'

/** Why a switch can or cannot be used. */
export function channelState(
  { channels, emailAddress }: Pick<Preferences, 'channels' | 'emailAddress'>,
  preference: Preference,
  channel: Channel,
): ChannelState {
  if (!channels[channel]) return 'off_here'
  if (channel === 'email' && emailAddress === null) return 'no_address'
  return preference.required ? 'required' : 'usable'
}
