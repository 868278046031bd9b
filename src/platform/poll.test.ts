import { beforeEach, expect, test, vi } from 'vitest'
import { pollUntil } from './poll.ts'

let began = 0
beforeEach(() => {
  began = performance.now()
})
const took = () => performance.now() - began

test('returns an existing result immediately', async () => {
  const poll = vi.fn(async () => 'it')
  expect(await pollUntil(poll)).toBe('it')
  expect(poll).toHaveBeenCalledTimes(1)
})

test('finds a later result by polling again', async () => {
  let polls = 0
  const poll = async () => {
    polls += 1
    return polls === 3 ? 'it' : undefined
  }
  expect(await pollUntil(poll)).toBe('it')
})

test('gives up after 2 s and a few polls', async () => {
  const poll = vi.fn(async () => undefined)
  expect(await pollUntil(poll)).toBeUndefined()
  expect(took()).toBeGreaterThan(1_900)
  expect(poll.mock.calls.length).toBeLessThanOrEqual(7)
})

test('does not wait for a poll that hangs', async () => {
  const poll = vi.fn(() => new Promise<undefined>(() => {}))
  expect(await pollUntil(poll)).toBeUndefined()
  expect(poll).toHaveBeenCalledTimes(1)
  expect(took()).toBeLessThan(10_000)
})

test('rejects when a poll rejects', async () => {
  const poll = async () => {
    throw new Error('no')
  }
  await expect(pollUntil(poll)).rejects.toThrow('no')
})
