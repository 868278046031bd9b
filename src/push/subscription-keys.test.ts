import { createECDH, randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { readKeys } from './subscription-keys.ts'

const pair = createECDH('prime256v1')
const point = pair.generateKeys()
const secret = randomBytes(16)
const p256dh = point.toString('base64url')
const auth = secret.toString('base64url')

describe('keys of a browser subscription', () => {
  test('are read with and without padding', () => {
    expect(readKeys({ p256dh, auth })).toEqual({ p256dh: point, auth: secret })
    expect(readKeys({ p256dh: `${p256dh}=`, auth: `${auth}==` })).toEqual({
      p256dh: point,
      auth: secret,
    })
  })

  const beside = Buffer.from(point)
  beside[64] = (beside[64] ?? 0) ^ 1
  test.each([
    ['a point off the curve', beside.toString('base64url')],
    ['a compressed point', pair.getPublicKey('base64', 'compressed')],
    ['a hybrid point', pair.getPublicKey('base64url' as 'base64', 'hybrid')],
    ['a point of zeros', Buffer.concat([Buffer.from([4]), Buffer.alloc(64)]).toString('base64url')],
    ['an extra byte', Buffer.concat([point, Buffer.alloc(1)]).toString('base64url')],
    ['a missing byte', point.subarray(0, 64).toString('base64url')],
    ['invalid characters', `${p256dh.slice(0, -1)}!`],
    ['nothing', ''],
  ])('rejects %s as p256dh', (_what, bad) => {
    expect(readKeys({ p256dh: bad, auth })).toBe('p256dh')
  })

  test.each([15, 17, 0, 32])('rejects %i bytes as auth', (length) => {
    expect(readKeys({ p256dh, auth: randomBytes(length).toString('base64url') })).toBe('auth')
  })
})
