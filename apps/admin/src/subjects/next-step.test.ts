import { expect, test, vi } from 'vitest'
import { nextStepOf, openAttemptsOf } from './next-step.ts'

vi.mock('@lingui/core/macro', () => ({ msg: (parts: readonly string[]) => ({ id: parts.join() }) }))

const complete = { requiredApprovals: 1, signedApprovals: 1 }
const quiet = { attempts: [], attemptsAhead: [] }
const blocked = (blockCode: string | null) =>
  nextStepOf({ ...quiet, expense: { state: 'blocked', blockCode }, payment: null }, 0)

test('what members can free themselves, they are told', () => {
  expect(blocked('insufficient_funds')).toBe('tell')
  expect(blocked('analysis_failed')).toBe('tell')
})

test('an incident is investigated, and so is a code that nobody knows', () => {
  expect(blocked('signature_not_authentic')).toBe('investigate')
  expect(blocked('execution_mismatch')).toBe('investigate')
  expect(blocked('of_a_newer_service')).toBe('investigate')
})

test('an executor can be looked at again', () => {
  expect(blocked('executor_not_ready')).toBe('executor')
})

const at = '2026-11-03T11:02:00Z'
const minutesLater = (minutes: number) => new Date(at).getTime() + minutes * 60_000
const sentWith = (nonce: number | null, state = 'sent') => [{ nonce, state, createdAt: at }]
const inFlight = (state: string, more: object = {}, minutes = 3) =>
  nextStepOf(
    {
      ...quiet,
      expense: { state: state === 'reconciling' ? 'reconciling' : 'executing', blockCode: null },
      payment: { state, blockCode: null, ...complete },
      ...more,
    },
    minutesLater(minutes),
  )

test('a payment that is being checked is waited for, and a paid one is done', () => {
  expect(inFlight('reconciling')).toBe('wait')
  expect(inFlight('reconciling', { attempts: sentWith(3, 'mined') })).toBe('wait')
  const paid = { state: 'paid', blockCode: null }
  const payment = { state: 'confirmed', blockCode: null, ...complete }
  expect(nextStepOf({ ...quiet, expense: paid, payment }, 0)).toBe('nothing')
})

test('one that waits to be sent is not forgotten', () => {
  expect(inFlight('queued')).toBe('queued')
  expect(inFlight('reserved')).toBe('queued')
})

test('one that lacks a signature waits for people, and a postponed one for its period', () => {
  const unsent = (state: string, about: object) =>
    inFlight(state, { payment: { state, blockCode: null, ...complete, ...about } })
  expect(unsent('reserved', { requiredApprovals: 2 })).toBe('unsigned')
  expect(unsent('reserved', { requiredApprovals: 2, signedApprovals: 2 })).toBe('queued')
  expect(unsent('queued', { postponedUntil: '2026-11-04T00:00:00Z' })).toBe('postponed')
  expect(unsent('queued', { postponedUntil: null })).toBe('queued')
})

test('a transaction that is not mined for minutes is stuck, whatever the engine calls it', () => {
  const attempts = sentWith(3)
  expect(inFlight('broadcast', { attempts }, 1)).toBe('sent')
  expect(inFlight('broadcast', { attempts })).toBe('unmined')
  expect(inFlight('reconciling', { attempts })).toBe('unmined')
})

test('the newest replacement does not make it young again; an earlier nonce makes it no older', () => {
  const young = { nonce: 3, state: 'sent', createdAt: new Date(minutesLater(3)).toISOString() }
  expect(inFlight('broadcast', { attempts: [young, ...sentWith(3)] })).toBe('unmined')
  expect(inFlight('broadcast', { attempts: [young, ...sentWith(2, 'mined')] })).toBe('sent')
})

test('only attempts with the nonce of the last one are open', () => {
  const replaced = [...sentWith(3), ...sentWith(3)]
  const attempts = [...replaced, ...sentWith(2, 'mined')]
  expect(openAttemptsOf({ attempts })).toEqual(replaced)
  expect(openAttemptsOf({ attempts: [...sentWith(3, 'mined'), ...replaced] })).toEqual([])
})

test('a transaction behind another one waits for that one', () => {
  const attempts = sentWith(4)
  expect(inFlight('broadcast', { attempts, attemptsAhead: [{}] }, 1)).toBe('sent')
  expect(inFlight('broadcast', { attempts, attemptsAhead: [{}] })).toBe('behind')
  expect(inFlight('reconciling', { attempts, attemptsAhead: [{}] })).toBe('behind')
})

test('the nonce of a provider is its own business', () => {
  expect(inFlight('reconciling', { attempts: sentWith(null) })).toBe('wait')
})
