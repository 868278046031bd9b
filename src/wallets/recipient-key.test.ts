import { createECDH, generateKeyPairSync, sign } from 'node:crypto'
import { canonicalJson } from '@countersign/proof/digest.ts'
import { describe, expect, test } from 'vitest'
import { sha256 } from '#platform/digest.ts'
import { isSignedBy, readRecipientKey } from './recipient-key.ts'

const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const spki = publicKey.export({ format: 'der', type: 'spki' })
const point = spki.subarray(-65)

const form = (format: 'compressed' | 'hybrid'): string => {
  const pair = createECDH('prime256v1')
  pair.generateKeys()
  return pair.getPublicKey('base64', format)
}

test('SPKI and the raw point are the same key', () => {
  const [fromSpki, fromPoint] = [spki, point].map((bytes) =>
    readRecipientKey(bytes.toString('base64')),
  )
  expect(fromPoint?.spki).toBe(spki.toString('base64'))
  expect(fromSpki?.spki).toBe(fromPoint?.spki)
  expect(fromSpki?.hash).toEqual(sha256(point))
  expect(fromPoint?.hash).toEqual(fromSpki?.hash)
})

const offCurve = Buffer.from(point)
offCurve.writeUInt8((point.at(-1) ?? 0) ^ 1, 64)
const hybridSpki = Buffer.concat([spki.subarray(0, -65), Buffer.from(form('hybrid'), 'base64')])
const otherCurve = generateKeyPairSync('ec', { namedCurve: 'P-384' }).publicKey

test.each([
  ['nothing', ''],
  ['text that is not base64', 'ä'.repeat(65)],
  ['base64 with a trailing blank', `${point.toString('base64')} `],
  ['base64url', Buffer.alloc(65, 0xff).toString('base64url')],
  ['a compressed point', form('compressed')],
  ['a hybrid point', form('hybrid')],
  ['a hybrid point in SPKI', hybridSpki.toString('base64')],
  ['a point off the curve', offCurve.toString('base64')],
  ['a point that is a byte short', point.subarray(0, 64).toString('base64')],
  ['a point with a byte more', Buffer.concat([point, Buffer.alloc(1)]).toString('base64')],
  ['another curve', otherCurve.export({ format: 'der', type: 'spki' }).toString('base64')],
])('%s is refused', (_name, text) => {
  expect(() => readRecipientKey(text)).toThrow(
    expect.objectContaining({
      code: 'validation_failed',
      message: expect.stringContaining('recipientPublicKey'),
    }),
  )
})

describe('a signature of the holder', () => {
  const key = readRecipientKey(point.toString('base64'))
  const payload = { b: 1, a: 'x' }
  const signature = sign('sha256', Buffer.from(canonicalJson(payload)), privateKey)

  test('verifies over the canonical JSON of the payload', () => {
    const given = { payload: { a: 'x', b: 1 }, signature: signature.toString('base64') }
    expect(isSignedBy(key, given)).toBe(true)
  })

  test('does not verify over another payload, nor in another encoding', () => {
    const base64 = signature.toString('base64')
    expect(isSignedBy(key, { payload: { ...payload, b: 2 }, signature: base64 })).toBe(false)
    expect(isSignedBy(key, { payload, signature: `${base64}\n` })).toBe(false)
    expect(isSignedBy(key, { payload, signature: '' })).toBe(false)
  })
})
