import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { checkSecret, estimatedBits } from './secrets.ts'

const isRefused = (secret: string): boolean => {
  try {
    checkSecret('A_SECRET', secret, true)
    return false
  } catch (error) {
    expect((error as Error).message).toMatch(/^A_SECRET is too easy to guess/)
    expect((error as Error).message).not.toContain(secret)
    return true
  }
}

describe('a secret in production', () => {
  test('is accepted as 32 random bytes in hex or base64', () => {
    for (let tried = 0; tried < 2_000; tried += 1) {
      const bytes = randomBytes(32)
      for (const encoding of ['hex', 'base64', 'base64url'] as const) {
        const secret = bytes.toString(encoding)
        expect(estimatedBits(secret), secret).toBeGreaterThan(128)
      }
    }
  })

  test.each([
    ['one character', 'a'.repeat(64)],
    ['two characters', 'ab'.repeat(40)],
    ['a repeated password', 'Tr0ub4dor&3'.repeat(6)],
    ['the alphabet', 'abcdefghijklmnopqrstuvwxyz0123456789'],
    ['digits in order', '0123456789'.repeat(5)],
    ['a keyboard walk', 'qwertyuiopasdfghjklzxcvbnmqwertyuiop'],
    ['words with dashes', 'change-this-secret-before-production'],
    ['words with capitals and a year', 'Countersign-Production-Server-Secret-2026'],
    ['a sentence', 'this is the secret of our treasury service in production'],
    ['a repeated uuid', '6f0c8c52-6f0c8c52-6f0c8c52-6f0c8c52-6f0c8c52'],
  ])('is refused as %s', (_what, secret) => {
    expect(isRefused(secret)).toBe(true)
  })
})
