import { beforeEach, expect, test, vi } from 'vitest'
import { pollUntil } from './poll.ts'

let began = 0
beforeEach(() => {
  began = performance.now()
})
const took = () => performance.now() - began

test('returns an existing result immediately', async () => {
  const look = vi.fn(async () => 'it')
  expect(await pollUntil(look)).toBe('it')
  expect(look).toHaveBeenCalledTimes(1)
})

test('finds a later result by polling again', async () => {
  let looks = 0
  const look = async () => {
    looks += 1
    return looks === 3 ? 'it' : undefined
  }
  expect(await pollUntil(look)).toBe('it')
})

test('gives up after 2 s and a few polls', async () => {
  const look = vi.fn(async () => undefined)
  expect(await pollUntil(look)).toBeUndefined()
  expect(took()).toBeGreaterThan(1_900)
  expect(look.mock.calls.length).toBeLessThanOrEqual(7)
})

test('does not wait for a poll that hangs', async () => {
  const look = vi.fn(() => new Promise<undefined>(() => {}))
  expect(await pollUntil(look)).toBeUndefined()
  expect(look).toHaveBeenCalledTimes(1)
  expect(took()).toBeLessThan(10_000)
})

test('rejects when a poll rejects', async () => {
  const look = async () => {
    throw new Error('no')
  }
  await expect(pollUntil(look)).rejects.toThrow('no')
})
