import { expect, test } from 'vitest'
import {
  type approverAddressesOf,
  listsOf,
  namesOf,
  type recipientAddressesOf,
} from './organization-lists.ts'

type Members = Parameters<typeof approverAddressesOf>[0]
type Recipients = Parameters<typeof recipientAddressesOf>[0]

const members: Members = [
  {
    membershipId: 'm',
    accountId: 'a',
    role: 'owner',
    status: 'active',
    displayName: 'Ana',
    wallets: [
      { id: 'w1', address: '0xAa', kind: 'external' },
      { id: 'w2', address: '0xBb', kind: 'external' },
    ],
    walletRoles: [
      { id: '1', walletId: 'w1', role: 'treasury_owner', active: true },
      { id: '2', walletId: 'w1', role: 'approver', active: true },
      { id: '3', walletId: 'w2', role: 'approver', active: false },
    ],
  },
]
const recipient = (address: `0x${string}`, label: string, active = true, chainId = 1) => ({
  id: label,
  organizationId: 'o',
  label,
  address,
  chainId,
  active,
})
const recipients: Recipients = [
  recipient('0xCc', 'New name'),
  recipient('0xCc', 'Old name', false),
  recipient('0xDd', 'Elsewhere', true, 2),
]

const executorOf = (otherBindings: { state: string; address: string }[]) =>
  ({ binding: { address: '0xEe' }, provisioning: null, otherBindings }) as unknown as Parameters<
    typeof listsOf
  >[0]['executor']

test('only active roles and recipients of the chain are listed', () => {
  expect(listsOf({ members, recipients, executor: executorOf([]) }, 1)).toEqual({
    executorAddress: '0xEe',
    approverAddresses: ['0xAa'],
    recipientAddresses: ['0xCc'],
  })
})

test('the executor that follows is named, not one that was in use before', () => {
  const next = { state: 'next', address: '0xFf' }
  const before = { state: 'draining', address: '0xDd' }
  const named = (executor: ReturnType<typeof executorOf>) =>
    listsOf({ members, recipients, executor }, 1)?.executorAddress
  expect(named(executorOf([next, before]))).toBe('0xFf')
  expect(named(executorOf([before]))).toBe('0xEe')
})

test('without an executor there is no policy', () => {
  const executor = { binding: null, provisioning: null, otherBindings: [] }
  expect(listsOf({ members, recipients, executor }, 1)).toBeNull()
})

test('names are found by address, the active one first', () => {
  const names = namesOf(members, recipients)
  expect(names.get('0xbb')).toBe('Ana')
  expect(names.get('0xcc')).toBe('New name')
})
