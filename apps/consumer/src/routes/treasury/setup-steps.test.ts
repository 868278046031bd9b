import { expect, test } from 'vitest'
import { isSetUp, type Member, type SetupFacts, setupSteps, type Vault } from './setup-steps.ts'

const member = (part: Partial<Member>): Member => ({
  membershipId: 'm',
  accountId: 'a',
  role: 'owner',
  status: 'active',
  wallets: [],
  walletRoles: [],
  ...part,
})
const holder = (role: 'treasury_owner' | 'approver', kind: 'external' | 'server' = 'external') =>
  member({
    wallets: [{ id: 'w', address: '0x11', kind }],
    walletRoles: [{ id: 'r', walletId: 'w', role, active: true }],
  })
const vault = { status: 'verified', archivedAt: null } as Vault

const empty: SetupFacts = {
  role: 'owner',
  members: [member({})],
  hasOwnWallet: false,
  hasRecipient: false,
  vaults: [],
  executor: { binding: null, provisioning: null, otherBindings: [] },
  hasPolicy: false,
  balanceBaseUnits: null,
}
const states = (facts: SetupFacts) =>
  Object.fromEntries(setupSteps(facts).map(({ id, state }) => [id, state]))

test('an empty organization begins with a second person', () => {
  expect(states(empty)).toEqual({
    person: 'next',
    wallet: 'open',
    treasury_owner: 'later',
    approver: 'open',
    executor: 'open',
    vault: 'later',
    recipient: 'open',
    policy: 'later',
    deposit: 'later',
  })
})

test('a vault can be deployed once a wallet of a person has the role', () => {
  const members = [holder('treasury_owner'), member({ membershipId: 'n' })]
  expect(states({ ...empty, members })).toMatchObject({ person: 'done', vault: 'open' })
  const server = [holder('treasury_owner', 'server'), member({})]
  expect(states({ ...empty, members: server })).toMatchObject({ treasury_owner: 'later' })
})

test('revoked people and archived vaults do not count', () => {
  const members = [member({}), { ...holder('approver'), status: 'revoked' as const }]
  const vaults = [{ ...vault, archivedAt: '2026-01-01T00:00:00Z' }]
  expect(states({ ...empty, members, vaults })).toMatchObject({
    person: 'next',
    approver: 'open',
    vault: 'later',
  })
})

test('an employee is shown what others have to do', () => {
  const steps = setupSteps({ ...empty, role: 'employee', executor: null })
  expect(steps.filter(({ isYours }) => isYours).map(({ id }) => id)).toEqual(['wallet', 'deposit'])
  expect(steps.find(({ state }) => state === 'next')?.id).toBe('wallet')
})

test('everything is there', () => {
  const facts: SetupFacts = {
    role: 'manager',
    members: [holder('treasury_owner'), holder('approver')],
    hasOwnWallet: true,
    hasRecipient: true,
    vaults: [vault],
    executor: null,
    hasPolicy: true,
    balanceBaseUnits: '1',
  }
  expect(isSetUp(setupSteps(facts))).toBe(true)
  expect(isSetUp(setupSteps({ ...facts, balanceBaseUnits: '0' }))).toBe(false)
})
