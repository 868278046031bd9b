import { describe, expect, test } from 'vitest'
import { accountMachine, operatorMachine } from '#identity/identity.machine.ts'
import { invitationMachine } from '#organizations/invitation.machine.ts'
import { membershipMachine, walletRoleMachine } from '#organizations/membership.machine.ts'
import { recipientMachine } from '#organizations/recipient.machine.ts'
import { AppError } from './errors.ts'
import { type Machine, next, statesOf } from './machine.ts'

const door: Machine<'open' | 'shut' | 'gone', 'close' | 'open' | 'burn'> = {
  name: 'door',
  moves: { open: { close: 'shut', burn: 'gone' }, shut: { open: 'open' }, gone: {} },
}

const refusalOf = (work: () => unknown): unknown => {
  try {
    return work()
  } catch (error) {
    return error instanceof AppError ? error.code : error
  }
}

describe('next', () => {
  test('returns the next state from the table', () => {
    expect(next(door, { from: 'open', event: 'close' })).toBe('shut')
    expect(next(door, { from: 'shut', event: 'open' })).toBe('open')
  })

  test('refuses a move that is not in the table with 409 state_conflict', () => {
    expect(refusalOf(() => next(door, { from: 'open', event: 'open' }))).toBe('state_conflict')
    expect(refusalOf(() => next(door, { from: 'shut', event: 'burn' }))).toBe('state_conflict')
  })

  test('refuses every move from a final state', () => {
    for (const event of ['close', 'open', 'burn'] as const) {
      expect(refusalOf(() => next(door, { from: 'gone', event }))).toBe('state_conflict')
    }
  })
})

test('statesOf lists the states in the order of the table', () => {
  expect(statesOf(door)).toEqual(['open', 'shut', 'gone'])
})

const machines: Machine<string, string>[] = [
  accountMachine,
  operatorMachine,
  invitationMachine,
  membershipMachine,
  walletRoleMachine,
  recipientMachine,
]

/** Every move of each machine, written a second time by hand. */
const allowed: Record<string, string[]> = {
  account: ['active disable disabled', 'disabled enable active'],
  operator: ['active revoke revoked', 'revoked grant active'],
  invitation: ['open accept accepted', 'open revoke revoked', 'open expire expired'],
  membership: ['active revoke revoked', 'pending confirm active', 'pending revoke revoked'],
  'wallet role': ['active revoke revoked'],
  recipient: ['active deactivate deactivated'],
}

describe.each(machines)('the machine of an $name', (machine) => {
  const states = Object.keys(machine.moves)
  const events = [...new Set(Object.values(machine.moves).flatMap((moves) => Object.keys(moves)))]

  test('makes exactly the listed moves', () => {
    const made = states.flatMap((from) =>
      events.flatMap((event) => {
        const to = refusalOf(() => next(machine, { from, event }))
        return to === 'state_conflict' ? [] : [`${from} ${event} ${to}`]
      }),
    )
    expect(made.sort()).toEqual(allowed[machine.name]?.toSorted())
  })

  test('never leaves its own states', () => {
    const reached = Object.values(machine.moves).flatMap((moves) => Object.values(moves))
    expect(states).toEqual(expect.arrayContaining(reached))
  })
})
