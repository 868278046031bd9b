import { randomBytes, webcrypto } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { sealToRecipient } from '#adapters/local/seal-to-recipient.ts'
import {
  importRecipient,
  makeRecipient,
  openBox,
  type RecipientPair,
  sealTo,
} from '#test/support/hpke.ts'

const bytes = (hex: string) => new Uint8Array(Buffer.from(hex, 'hex'))
const base64url = (hex: string) => Buffer.from(hex, 'hex').toString('base64url')

/** The recipient of RFC 9180, appendix A.5.1. */
const published = () =>
  importRecipient({
    kty: 'EC',
    crv: 'P-256',
    x: base64url('a697bffde9405c992883c5c439d6cc358170b51af72812333b015621dc0f40ba'),
    y: base64url('d9bb726f68a5c013806a790ec716ab8669f84f6b694596c2987cf35baba2a006'),
    d: base64url('a4d1c55836aa30f9b3fbb6ac98d338c877c2867dd3a77396d13f68d3ab150d3b'),
  })

const rawPoint = async ({ publicKey }: RecipientPair) =>
  new Uint8Array(await webcrypto.subtle.exportKey('raw', publicKey))

describe("the tests' own HPKE", () => {
  test('decrypts the example of RFC 9180 A.5.1', async () => {
    const box = {
      encapsulated: bytes(
        '04c07836a0206e04e31d8ae99bfd549380b072a1b1b82e563c935c095827824fc1' +
          '559eac6fb9e3c70cd3193968994e7fe9781aa103f5b50e934b5b2f387e381291',
      ),
      ciphertext: bytes(
        '6469c41c5c81d3aa85432531ecf6460ec945bde1eb428cb2fedf7a29f5a685b4cc' +
          'b0d057f03ea2952a27bb458b',
      ),
    }
    const info = bytes('4f6465206f6e2061204772656369616e2055726e')
    const aad = bytes('436f756e742d30')
    const opened = await openBox(await published(), box, { info, aad })
    expect(opened).toBe('Beauty is truth, truth beauty')
  })

  test('decrypts what it encrypts itself, as the emulated provider does', async () => {
    const recipient = await makeRecipient()
    const der = await webcrypto.subtle.exportKey('spki', recipient.publicKey)
    const sealed = await sealTo(Buffer.from(der).toString('base64'), 'a key')
    const opened = await openBox(recipient, {
      encapsulated: new Uint8Array(Buffer.from(sealed.encapsulated, 'base64')),
      ciphertext: new Uint8Array(Buffer.from(sealed.ciphertext, 'base64')),
    })
    expect(opened).toBe('a key')
  })
})

describe('what the service encrypts', () => {
  test('is decrypted by the other implementation, whatever the length', async () => {
    const recipient = await makeRecipient()
    for (const length of [0, 1, 63, 64, 66, 88, 1000]) {
      const plain = randomBytes(length).toString('hex').slice(0, length)
      const point = await rawPoint(recipient)
      const sealed = await sealToRecipient({ recipient: point, plain: Buffer.from(plain) })
      expect(await openBox(recipient, sealed)).toBe(plain)
    }
  })

  test('is decrypted by no other key, nor with any bit changed', async () => {
    const recipient = await makeRecipient()
    const plain = Buffer.from('0x1234')
    const sealed = await sealToRecipient({ recipient: await rawPoint(recipient), plain })
    await expect(openBox(await makeRecipient(), sealed)).rejects.toThrow()
    const { encapsulated, ciphertext } = sealed
    const flipped = (box: Buffer, at: number) => {
      const copy = Buffer.from(box)
      copy[at] = (copy[at] ?? 0) ^ 1
      return copy
    }
    for (let at = 0; at < encapsulated.length; at += 1) {
      const box = { encapsulated: flipped(encapsulated, at), ciphertext }
      await expect(openBox(recipient, box)).rejects.toThrow()
    }
    for (let at = 0; at < ciphertext.length; at += 1) {
      const box = { encapsulated, ciphertext: flipped(ciphertext, at) }
      await expect(openBox(recipient, box)).rejects.toThrow()
    }
  })
})
