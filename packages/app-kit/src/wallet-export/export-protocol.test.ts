import { canonicalJson } from '@countersign/proof/digest.ts'
import { Chacha20Poly1305 } from '@hpke/chacha20poly1305'
import { CipherSuite, DhkemP256HkdfSha256, HkdfSha256 } from '@hpke/core'
import { describe, expect, it } from 'vitest'
import {
  derOf,
  fromBase64,
  isOwnPayload,
  makeExportKeys,
  openSealed,
  signPayload,
  toBase64,
} from './export-protocol.ts'

/** As the service does it. The service's own tests hold it to the vectors of RFC 9180. */
async function sealTo(spki: string, text: string) {
  const suite = new CipherSuite({
    kem: new DhkemP256HkdfSha256(),
    kdf: new HkdfSha256(),
    aead: new Chacha20Poly1305(),
  })
  const curve = { name: 'ECDH', namedCurve: 'P-256' }
  const recipient = await crypto.subtle.importKey('spki', fromBase64(spki), curve, true, [])
  const context = await suite.createSenderContext({ recipientPublicKey: recipient })
  const sealed = await context.seal(new TextEncoder().encode(text))
  return {
    encapsulatedKey: toBase64(new Uint8Array(context.enc)),
    ciphertext: toBase64(new Uint8Array(sealed)),
  }
}

/** DER back to r and s side by side, for Web Crypto. */
function rawOf(der: Uint8Array): Uint8Array<ArrayBuffer> {
  const raw = new Uint8Array(64)
  let at = 2
  for (const end of [32, 64]) {
    const length = der[at + 1] ?? 0
    const value = der.slice(at + 2, at + 2 + length).filter((byte, index) => index > 0 || byte > 0)
    raw.set(value, end - value.length)
    at += 2 + length
  }
  return raw
}

const bytes = (...parts: number[][]): Uint8Array => Uint8Array.from(parts.flat())
const padded = (value: number[]): number[] => [...Array(32 - value.length).fill(0), ...value]

describe('DER', () => {
  it('drops leading zeros', () => {
    expect([...derOf(bytes(padded([1]), padded([0x7f])))]).toEqual([
      0x30, 6, 0x02, 1, 1, 0x02, 1, 0x7f,
    ])
  })

  it('keeps integers positive', () => {
    expect([...derOf(bytes(padded([0x80]), padded([0xff, 0])))]).toEqual([
      0x30, 9, 0x02, 2, 0, 0x80, 0x02, 3, 0, 0xff, 0,
    ])
  })

  it('takes signatures of P-256 only', () => {
    expect(() => derOf(new Uint8Array(63))).toThrow('64 bytes')
  })
})

describe('the keys of an export', () => {
  it('cannot be read out', async () => {
    const keys = await makeExportKeys()
    expect([keys.opens.extractable, keys.signs.extractable]).toEqual([false, false])
    await expect(crypto.subtle.exportKey('jwk', keys.opens)).rejects.toThrow()
  })

  it('sign the canonical payload so that others can verify it', async () => {
    const keys = await makeExportKeys()
    const payload = { b: 2, a: [1, 'ä'] }
    const signature = fromBase64(await signPayload(keys.signs, payload))
    const curve = { name: 'ECDSA', namedCurve: 'P-256' }
    const spki = fromBase64(keys.recipientPublicKey)
    const key = await crypto.subtle.importKey('spki', spki, curve, true, ['verify'])
    const signed = new TextEncoder().encode(canonicalJson(payload))
    const isSigned = crypto.subtle.verify(
      { name: 'ECDSA', hash: 'SHA-256' },
      key,
      rawOf(signature),
      signed,
    )
    expect(await isSigned).toBe(true)
  })

  it('open what was sealed to them, and nothing else', async () => {
    const keys = await makeExportKeys()
    const sealed = await sealTo(keys.recipientPublicKey, '0xsecret')
    expect(await openSealed(keys, sealed)).toBe('0xsecret')
    await expect(openSealed(await makeExportKeys(), sealed)).rejects.toThrow()
  })
})

it('base64 goes both ways', () => {
  expect([...fromBase64(toBase64(Uint8Array.from([0, 255, 62, 63])))]).toEqual([0, 255, 62, 63])
})

it('a payload for another key or request is not signed', () => {
  const expected = { requestId: 'r', recipientPublicKey: 'k' }
  const payload = {
    method: 'POST',
    requestId: 'r',
    body: { encryption_type: 'HPKE', recipient_public_key: 'k' },
  }
  expect(isOwnPayload(payload, expected)).toBe(true)
  expect(isOwnPayload({ ...payload, requestId: 'other' }, expected)).toBe(false)
  const swapped = { ...payload.body, recipient_public_key: 'thief' }
  expect(isOwnPayload({ ...payload, body: swapped }, expected)).toBe(false)
})
