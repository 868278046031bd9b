import { describe, expect, test } from 'vitest'
import { profileOf } from './token-profile.ts'

const nameIn = (name: unknown) => profileOf({ name }).name
const emailIn = (email: unknown, verified: unknown = true) =>
  profileOf({ email, email_verified: verified }).email

describe('the name of an ID token', () => {
  test('is kept without surrounding blanks', () => {
    expect(nameIn('Ada Lovelace')).toBe('Ada Lovelace')
    expect(nameIn('  Žofie 渡辺 👩‍💻 ')).toBe('Žofie 渡辺 👩‍💻')
  })

  test('has at most 100 code points', () => {
    expect(nameIn('😀'.repeat(100))).toBe('😀'.repeat(100))
    expect(nameIn('😀'.repeat(101))).toBeNull()
  })

  test.each([
    ['missing', undefined],
    ['no string', 7],
    ['empty', ''],
    ['blank', '   '],
    ['invisible', '\u200b\u2060'],
    ['of two lines', 'Ada\nLovelace'],
    ['with a control character', 'Ada\u0007'],
    ['with a direction control', 'Ada\u202eecalevoL'],
    ['with a lone surrogate', 'Ada\ud800'],
  ])('is ignored if it is %s', (_how, name) => {
    expect(nameIn(name)).toBeNull()
  })
})

describe('the e-mail address of an ID token', () => {
  test('is kept in lower case if the provider has verified it', () => {
    expect(emailIn('Ada@Example.com')).toBe('ada@example.com')
    expect(emailIn('ada@example.com', 'true')).toBe('ada@example.com')
  })

  test.each([false, 'false', undefined, 1, 'yes'])(
    'is ignored with email_verified %j',
    (verified) => {
      expect(profileOf({ email: 'ada@example.com', email_verified: verified }).email).toBeNull()
    },
  )

  test.each([
    'ada',
    '@example.com',
    'ada@',
    'a@b@c.example',
    'ada @example.com',
    'ada@example.com\nbcc: x@y.z',
    `${'a'.repeat(250)}@b.cd`,
    // The lower case of the Kelvin sign is the letter k of somebody else's address.
    '\u212aim@example.com',
    7,
  ])('is ignored if it is %j', (email) => {
    expect(emailIn(email)).toBeNull()
  })
})
