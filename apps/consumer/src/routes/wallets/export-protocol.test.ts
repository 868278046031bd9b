import { createPublicKey, verify } from 'node:crypto'
import { canonicalJson } from '@countersign/proof/digest.ts'
import { describe, expect, it } from 'vitest'
import { sealTo } from '../../../../../test/support/hpke.ts'
import {
  derOf,
  fromBase64,
  isOwnPayload,
  makeExportKeys,
  openSealed,
  signPayload,
  toBase64,
} from './export-protocol.ts'

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
    const signature = Buffer.from(await signPayload(keys.signs, payload), 'base64')
    const key = createPublicKey({
      key: Buffer.from(keys.recipientPublicKey, 'base64'),
      format: 'der',
      type: 'spki',
    })
    expect(verify('sha256', Buffer.from(canonicalJson(payload)), key, signature)).toBe(true)
  })

  it('open what was sealed to them, and nothing else', async () => {
    const keys = await makeExportKeys()
    const box = await sealTo(keys.recipientPublicKey, '0xsecret')
    const sealed = { encapsulatedKey: box.encapsulated, ciphertext: box.ciphertext }
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
