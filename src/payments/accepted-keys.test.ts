import { expect, test } from 'vitest'
import type { Tx } from '#platform/database/database.ts'
import type { MacKey } from '#platform/secrets.ts'
import { acceptedKeys, requireMacKeys } from './accepted-keys.ts'

const keyOf = (id: string): MacKey => ({ id, key: new Uint8Array(32) })
const [current, previous] = [keyOf('current'), keyOf('previous')]

/** Answers when the current key was first used: `isNew`, or nothing for an unrecorded key. */
const answering = (...rows: { isNew: boolean }[]) =>
  ({ query: async () => rows, write: () => {}, announce: () => {} }) as unknown as Tx

const accepted = (macKeys: { current: MacKey; previous?: MacKey }, tx: Tx) =>
  acceptedKeys({ secrets: { macKeys } } as Parameters<typeof acceptedKeys>[0], tx)

test('without a previous key only the current one is accepted', async () => {
  expect(await accepted({ current }, answering({ isNew: true }))).toEqual([current])
})

test('the previous key is accepted while the current one is new', async () => {
  const keys = { current, previous }
  expect(await accepted(keys, answering({ isNew: true }))).toEqual([current, previous])
  expect(await accepted(keys, answering({ isNew: false }))).toEqual([current])
})

test('a current key that no worker has recorded yet is new', async () => {
  expect(await accepted({ current, previous }, answering())).toEqual([current, previous])
})

test('a process without keys neither seals nor verifies', () => {
  expect(() => requireMacKeys({ macKeys: undefined })).toThrow('WORKER_SECRET')
})
