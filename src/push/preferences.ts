/** Which notifications an account receives, by category and channel. Pure. */
import { type Category, notificationTtlSeconds } from './notification.ts'

export const channels = ['push', 'email'] as const
export type Channel = (typeof channels)[number]

export const categories = Object.keys(notificationTtlSeconds) as Category[]

export const isCategory = (text: string): text is Category =>
  categories.some((category) => category === text)

/** These may be the first sign of a theft, so they are always sent. */
const requiredCategories: readonly Category[] = [
  'wallet_exported',
  'wallet_export_locked',
  'payment_unrecorded',
  'policy_proposed',
  'vault_changed',
]

export const isRequired = (category: Category): boolean => requiredCategories.includes(category)

export type Choice = { category: Category; channel: Channel; isOn: boolean }

export type CategoryPreference = {
  category: Category
  push: boolean
  email: boolean
  required: boolean
}

/** Everything is on unless it was switched off. */
export const isOn = (
  stored: readonly Choice[],
  { category, channel }: Pick<Choice, 'category' | 'channel'>,
): boolean =>
  isRequired(category) ||
  (stored.find((choice) => choice.category === category && choice.channel === channel)?.isOn ??
    true)

export const toPreferences = (stored: readonly Choice[]): CategoryPreference[] =>
  categories.map((category) => ({
    category,
    push: isOn(stored, { category, channel: 'push' }),
    email: isOn(stored, { category, channel: 'email' }),
    required: isRequired(category),
  }))
