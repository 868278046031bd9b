/** What one vault says of an address. */
import type { PolicyLists } from '../../data/policy-lists.ts'

export type Standing = 'payable' | 'pending' | 'blocked' | 'missing' | 'no_policy'

type Lists = Pick<PolicyLists, 'recipients' | 'pending' | 'blocked'>

/** Blocked comes first: it counts whatever the list says. */
export function standingIn({ recipients, pending, blocked }: Lists, address: string): Standing {
  const key = address.toLowerCase()
  if (blocked.has(key)) return 'blocked'
  if (recipients === null) return 'no_policy'
  if (!recipients.has(key)) return 'missing'
  return pending.has(key) ? 'pending' : 'payable'
}
