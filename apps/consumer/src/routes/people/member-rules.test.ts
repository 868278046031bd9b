import type { Member } from '@countersign/app-kit/words/people.ts'
import { describe, expect, it } from 'vitest'
import { assignableRoles, invitableRoles, isLastOwner, refusalOf } from './member-rules.ts'

const person = (change: Partial<Member>): Member => ({
  membershipId: 'm',
  accountId: 'a',
  role: 'owner',
  status: 'active',
  wallets: [{ id: 'w', address: '0x0' as const, kind: 'external' }],
  walletRoles: [],
  ...change,
})

describe('a member', () => {
  it('who is the last owner stays one', () => {
    const ana = person({})
    const left = person({ membershipId: 'n', status: 'revoked' })
    expect(isLastOwner(ana, [ana, left])).toBe(true)
    expect(refusalOf(ana, [ana, left], 'owner')).toBe('last_owner')
    expect(refusalOf(ana, [ana, person({ membershipId: 'o' })], 'owner')).toBeNull()
  })

  it('is changed by owners only', () => {
    expect(refusalOf(person({ role: 'employee' }), [], 'manager')).toBe('owners_only')
  })

  it('gets roles that the wallet does not have yet', () => {
    const held = [{ id: 'r', walletId: 'w', role: 'approver', active: true } as const]
    expect(assignableRoles(person({ walletRoles: held }), 'w')).toEqual(['treasury_owner'])
    const ended = [{ ...held[0], active: false }] as Member['walletRoles']
    expect(assignableRoles(person({ walletRoles: ended }), 'w')).toContain('approver')
  })

  it('cannot approve with a server wallet', () => {
    const wallets = [{ id: 'w', address: '0x0' as const, kind: 'server' as const }]
    expect(assignableRoles(person({ wallets }), 'w')).toEqual(['treasury_owner'])
  })

  it('is invited by owners and managers', () => {
    expect(invitableRoles('owner')).toEqual(['employee', 'manager'])
    expect(invitableRoles('manager')).toEqual(['employee'])
    expect(invitableRoles('employee')).toEqual([])
  })
})
