import { randomBytes, randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { addSeconds } from '#platform/clock.ts'
import type { Category } from '#push/notification.ts'
import { createUnsubscribeToken, readUnsubscribeToken } from './unsubscribe-token.ts'

const key = randomBytes(32)
const at = new Date('2026-11-03T11:02:00.500Z')
const accountId = randomUUID()
const category: Category = 'review_needed'
const token = createUnsubscribeToken(key, { accountId, category, at })
const DAY_SECONDS = 24 * 3_600

const read = (text: string, when = at) => readUnsubscribeToken(key, { token: text, at: when })

describe('an unsubscribe token', () => {
  test('names one account and one category', () => {
    expect(read(token)).toEqual({ accountId, category })
    expect(token).toMatch(/^[\w-]{60,150}$/)
  })

  test('is valid for 180 days', () => {
    expect(read(token, addSeconds(at, 180 * DAY_SECONDS - 1))).toEqual({ accountId, category })
    expect(read(token, addSeconds(at, 180 * DAY_SECONDS))).toBeUndefined()
  })

  test('is refused after any change of a byte', () => {
    const bytes = Buffer.from(token, 'base64url')
    for (let place = 0; place < bytes.length; place += 1) {
      const changed = Buffer.from(bytes)
      changed.writeUInt8(changed.readUInt8(place) ^ 1, place)
      expect(read(changed.toString('base64url')), `byte ${place}`).toBeUndefined()
    }
  })

  test('is refused with the MAC of another category or account', () => {
    const bytes = Buffer.from(token, 'base64url')
    const mac = bytes.subarray(-32)
    const others = [
      { accountId, category: 'payment_blocked' as const },
      { accountId: randomUUID(), category },
    ]
    for (const other of others) {
      const made = Buffer.from(createUnsubscribeToken(key, { ...other, at }), 'base64url')
      const spliced = Buffer.concat([made.subarray(0, -32), mac]).toString('base64url')
      expect(read(spliced)).toBeUndefined()
    }
  })

  test.each([
    ['another key', createUnsubscribeToken(randomBytes(32), { accountId, category, at })],
    ['nothing', ''],
    ['too little', token.slice(0, 40)],
    ['an addition', `${token}AAAA`],
    ['padding', `${token}==`],
    ['other characters', `${token.slice(0, -1)}!`],
    ['a category that does not exist', tokenOf('everything')],
    ['a category of inherited names', tokenOf('toString')],
  ])('is refused with %s', (_what, bad) => {
    expect(read(bad)).toBeUndefined()
  })
})

function tokenOf(name: string): string {
  return createUnsubscribeToken(key, { accountId, category: name as Category, at })
}
