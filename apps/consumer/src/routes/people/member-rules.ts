/** Who may do what to a member, as the service decides it. */

import type { Member, WalletRole } from '@countersign/app-kit/words/people.ts'
import type { Role } from '../../data/organization.tsx'

export type Refusal = 'owners_only' | 'last_owner' | null

const ownersOf = (members: readonly Member[]): Member[] =>
  members.filter(({ role, status }) => role === 'owner' && status === 'active')

/** An organization never has no owner. */
export const isLastOwner = (member: Member, members: readonly Member[]): boolean =>
  member.role === 'owner' && member.status === 'active' && ownersOf(members).length === 1

/** Changing the role of a member, or ending the membership. */
export function refusalOf(member: Member, members: readonly Member[], mine: Role): Refusal {
  if (mine !== 'owner') return 'owners_only'
  return isLastOwner(member, members) ? 'last_owner' : null
}

/** The service could sign for a server wallet, so one cannot approve. */
export const assignableRoles = (member: Member, walletId: string): WalletRole[] => {
  const wallet = member.wallets.find(({ id }) => id === walletId)
  const held = member.walletRoles.filter((role) => role.active && role.walletId === walletId)
  return (['approver', 'treasury_owner'] as const).filter(
    (role) =>
      !held.some((each) => each.role === role) &&
      (role !== 'approver' || wallet?.kind !== 'server') &&
      (role !== 'treasury_owner' || member.role === 'owner'),
  )
}

/** A manager may invite employees only. */
export const invitableRoles = (mine: Role): ('employee' | 'manager')[] =>
  mine === 'owner' ? ['employee', 'manager'] : mine === 'manager' ? ['employee'] : []
