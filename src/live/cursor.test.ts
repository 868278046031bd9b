import { fc, test as property } from '@fast-check/vitest'
import { describe, expect, test } from 'vitest'
import { deriveSecrets } from '#platform/secrets.ts'
import { decodeCursor, encodeCursor, isBefore, type LiveScope, type Position } from './cursor.ts'

const key = deriveSecrets({
  serverSecret: 'a secret of the deployment, 32 bytes or more',
}).cursorKey
const epoch = '0d9f1d2e-8f3c-4a57-9a55-0c1f6f1b7a10'
const admin: LiveScope = { realm: 'admin', organizationId: null }
const acme: LiveScope = {
  realm: 'consumer',
  organizationId: '6b1c2f1e-0d5c-4a7e-9d0f-1f2e3d4c5b6a',
}
const position: Position = { transactionId: 742n, seq: 31 }
const cursor = encodeCursor(key, { epoch, scope: acme, position })

const positions = fc.record({
  transactionId: fc.bigInt({ min: 0n, max: (1n << 64n) - 1n }),
  seq: fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }),
})
const scopes = fc.oneof(
  fc.constant(admin),
  fc.record({ realm: fc.constant('consumer' as const), organizationId: fc.uuid() }),
)

describe('a cursor', () => {
  property.prop([positions, scopes, fc.uuid()])(
    'has the format of the contract and decodes to its position',
    (at, scope, madeIn) => {
      const text = encodeCursor(key, { epoch: madeIn, scope, position: at })
      expect(text).toMatch(/^[A-Za-z0-9_-]{8,512}$/)
      expect(decodeCursor(key, text, { epoch: madeIn, scope })).toEqual(at)
    },
  )

  test('is the same for the same position and differs for the next', () => {
    expect(encodeCursor(key, { epoch, scope: acme, position })).toBe(cursor)
    const next = { ...position, seq: position.seq + 1 }
    expect(encodeCursor(key, { epoch, scope: acme, position: next })).not.toBe(cursor)
  })

  test('does not reveal its position', () => {
    const bytes = Buffer.from(cursor, 'base64url')
    expect(bytes.includes(Buffer.from([0, 0, 0, 0, 0, 31]))).toBe(false)
  })

  test('decodes for no other scope, epoch or key', () => {
    const other: LiveScope = { ...acme, organizationId: '7b1c2f1e-0d5c-4a7e-9d0f-1f2e3d4c5b6a' }
    const otherKey = new Uint8Array(key).fill(0, 20, 21)
    expect(decodeCursor(key, cursor, { epoch, scope: acme })).toEqual(position)
    expect(decodeCursor(key, cursor, { epoch, scope: other })).toBeUndefined()
    expect(decodeCursor(key, cursor, { epoch, scope: admin })).toBeUndefined()
    expect(decodeCursor(key, cursor, { epoch: `1${epoch.slice(1)}`, scope: acme })).toBeUndefined()
    expect(decodeCursor(otherKey, cursor, { epoch, scope: acme })).toBeUndefined()
  })

  property.prop([fc.nat({ max: 33 * 8 - 1 })])('does not decode with any bit changed', (bit) => {
    const bytes = Buffer.from(cursor, 'base64url')
    bytes.writeUInt8(bytes.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3)
    const changed = bytes.toString('base64url')
    expect(decodeCursor(key, changed, { epoch, scope: acme })).toBeUndefined()
  })

  property.prop([fc.oneof(fc.string(), fc.base64String(), fc.string({ unit: 'binary' }))])(
    'does not decode when forged',
    (text) => {
      expect(decodeCursor(key, text, { epoch, scope: acme })).toBeUndefined()
    },
  )

  test.each(['', 'null', `${cursor}A`, cursor.slice(1), ` ${cursor}`, `${cursor}\n`, `${cursor}=`])(
    'is not %j',
    (text) => expect(decodeCursor(key, text, { epoch, scope: acme })).toBeUndefined(),
  )
})

property.prop([positions, positions])('positions have a total order', (a, b) => {
  const isSame = a.transactionId === b.transactionId && a.seq === b.seq
  expect([isBefore(a, b), isBefore(b, a), isSame].filter(Boolean)).toHaveLength(1)
})

test('positions are ordered by transaction, then by number', () => {
  const at = (transactionId: bigint, seq: number) => ({ transactionId, seq })
  expect(isBefore(at(1n, 9), at(2n, 1))).toBe(true)
  expect(isBefore(at(2n, 1), at(2n, 2))).toBe(true)
  expect(isBefore(at(2n, 2), at(2n, 2))).toBe(false)
})
