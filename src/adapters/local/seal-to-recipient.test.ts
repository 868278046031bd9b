import { randomBytes, webcrypto } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { sealToRecipient } from './seal-to-recipient.ts'

const bytes = (hex: string): Buffer => Buffer.from(hex, 'hex')

/** RFC 9180, appendix A.5.1: the suite of exports in base mode. */
const vector = {
  info: bytes('4f6465206f6e2061204772656369616e2055726e'),
  ephemeral: bytes('7550253e1147aae48839c1f8af80d2770fb7a4c763afe7d0afa7e0f42a5b3689'),
  encapsulated: bytes(
    '04c07836a0206e04e31d8ae99bfd549380b072a1b1b82e563c935c095827824fc1' +
      '559eac6fb9e3c70cd3193968994e7fe9781aa103f5b50e934b5b2f387e381291',
  ),
  recipient: bytes(
    '04a697bffde9405c992883c5c439d6cc358170b51af72812333b015621dc0f40ba' +
      'd9bb726f68a5c013806a790ec716ab8669f84f6b694596c2987cf35baba2a006',
  ),
  plain: bytes('4265617574792069732074727574682c20747275746820626561757479'),
  additional: bytes('436f756e742d30'),
  ciphertext: bytes(
    '6469c41c5c81d3aa85432531ecf6460ec945bde1eb428cb2fedf7a29f5a685b4cc' +
      'b0d057f03ea2952a27bb458b',
  ),
}

/** The vector's ephemeral key pair. */
async function ephemeralPair() {
  const [x, y] = [vector.encapsulated.subarray(1, 33), vector.encapsulated.subarray(33)]
  const point = { kty: 'EC', crv: 'P-256', x: x.toString('base64url'), y: y.toString('base64url') }
  const jwk = { ...point, d: vector.ephemeral.toString('base64url') }
  const curve = { name: 'ECDH', namedCurve: 'P-256' }
  return {
    publicKey: await webcrypto.subtle.importKey('jwk', point, curve, true, []),
    privateKey: await webcrypto.subtle.importKey('jwk', jwk, curve, true, ['deriveBits']),
  }
}

describe('sealToRecipient', () => {
  test('returns the bytes that RFC 9180 A.5.1 publishes', async () => {
    const { info, recipient, plain, additional } = vector
    const ekm = await ephemeralPair()
    const sealed = await sealToRecipient({ recipient, plain }, { info, additional, ekm })
    expect(sealed.encapsulated.toString('hex')).toBe(vector.encapsulated.toString('hex'))
    expect(sealed.ciphertext.toString('hex')).toBe(vector.ciphertext.toString('hex'))
  })

  test('uses a new ephemeral key each time and hides the message', async () => {
    const { recipient } = vector
    const plain = randomBytes(66)
    const one = await sealToRecipient({ recipient, plain })
    const other = await sealToRecipient({ recipient, plain })
    expect(one.encapsulated.equals(other.encapsulated)).toBe(false)
    expect(one.ciphertext.equals(other.ciphertext)).toBe(false)
    expect(one.ciphertext.includes(plain)).toBe(false)
  })

  const offCurve = Buffer.from(vector.recipient)
  offCurve[64] = (offCurve[64] ?? 0) ^ 1
  test.each([
    ['off the curve', offCurve],
    ['at infinity', Buffer.from([0])],
    ['cut short', vector.recipient.subarray(0, 64)],
    ['too long', Buffer.concat([vector.recipient, Buffer.from([0])])],
    ['with another first byte', Buffer.from(vector.recipient).fill(5, 0, 1)],
  ])('rejects a point %s', async (_what, recipient) => {
    await expect(sealToRecipient({ recipient, plain: randomBytes(10) })).rejects.toThrow()
  })
})
