import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { begin, beginRest, takeBegun } from './begun.ts'

const asked: { path: string; headers: unknown }[] = []

beforeEach(() => {
  vi.useFakeTimers()
  vi.stubGlobal('fetch', async (path: string, { headers }: RequestInit) => {
    asked.push({ path, headers })
    return new Response(path)
  })
})
afterEach(() => {
  asked.splice(0)
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

test('an answer is taken once', async () => {
  void begin('/session')
  expect(asked).toEqual([{ path: '/session', headers: { 'x-countersign': '1' } }])
  expect(await (await takeBegun('/session'))?.text()).toBe('/session')
  expect(takeBegun('/session')).toBeUndefined()
})

test('an answer for one account is not taken for another', () => {
  void begin('/v1/consumer/me', 'one')
  expect(asked[0]?.headers).toEqual({ 'x-countersign': '1', 'x-account': 'one' })
  expect(takeBegun('/v1/consumer/me', 'other')).toBeUndefined()
  expect(takeBegun('/v1/consumer/me', 'one')).toBeUndefined()
})

test('nobody takes an answer that was asked for 10 s ago', () => {
  void begin('/session')
  vi.advanceTimersByTime(10_000)
  expect(takeBegun('/session')).toBeUndefined()
})

test('what the application has asked for itself is not begun any more', () => {
  expect(takeBegun('/v1/consumer/me', 'one')).toBeUndefined()
  beginRest(['/v1/consumer/me', '/v1/consumer/config'], 'one')
  expect(asked.map(({ path }) => path)).toEqual(['/v1/consumer/config'])
})
