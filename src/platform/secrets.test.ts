import { createHmac } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { deriveSecrets, keyedHash } from './secrets.ts'

const serverSecret = 'a secret of the deployment, 32 bytes or more'

const hmac = (key: string | Buffer, data: Buffer) => createHmac('sha256', key).update(data).digest()

describe('deriveSecrets', () => {
  test('derives the same keys from the same secret, on every process', () => {
    expect(deriveSecrets({ serverSecret })).toEqual(deriveSecrets({ serverSecret }))
  })

  test('derives other keys from another secret', () => {
    const other = deriveSecrets({ serverSecret: `${serverSecret}.` })
    expect(other.invitationKey).not.toEqual(deriveSecrets({ serverSecret }).invitationKey)
  })

  test('is HKDF-SHA-256 (RFC 5869), so that a key reveals nothing of the secret', () => {
    const extracted = hmac('countersign', Buffer.from(serverSecret))
    const expanded = hmac(extracted, Buffer.from('invitation-token.v1\u0001'))
    const { invitationKey } = deriveSecrets({ serverSecret })
    expect(Buffer.from(invitationKey).toString('hex')).toBe(expanded.toString('hex'))
  })
})

describe('keyedHash', () => {
  const key = new Uint8Array(32).fill(7)

  test('is the HMAC-SHA-256 of the concatenated parts', () => {
    const expected = hmac(Buffer.from(key), Buffer.from('id\u0001\u0002'))
    expect(keyedHash(key, ['id', new Uint8Array([1, 2])])).toEqual(expected)
  })

  test('changes with the key and with any part', () => {
    const hashes = [
      keyedHash(key, ['id', 'salt']),
      keyedHash(new Uint8Array(32).fill(8), ['id', 'salt']),
      keyedHash(key, ['ie', 'salt']),
      keyedHash(key, ['id', 'sale']),
      keyedHash(key, ['id']),
    ].map((hash) => hash.toString('hex'))
    expect(new Set(hashes).size).toBe(hashes.length)
  })
})
