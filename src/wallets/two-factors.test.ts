import { describe, expect, test } from 'vitest'
import { provesTwoFactors } from './two-factors.ts'

describe('two factors are proven by', () => {
  test.each([
    [['mfa']],
    [['pwd', 'otp']],
    [['otp', 'pwd', 'user']],
    [['pwd', 'sms']],
    [['hwk', 'pin']],
    [['swk', 'fpt']],
    [['face', 'kba']],
    [['webauthn', 'pwd']],
  ])('%j', (methods) => {
    expect(provesTwoFactors(methods)).toBe(true)
  })
})

describe('two factors are not proven by', () => {
  test.each([
    ['nothing', []],
    ['a password', ['pwd']],
    ['a one-time password alone', ['otp']],
    ['a hardware key alone', ['hwk']],
    ['WebAuthn alone', ['webauthn']],
    ['one method twice', ['otp', 'otp']],
    ['two methods of knowledge', ['pwd', 'pin']],
    ['two methods of possession', ['otp', 'hwk', 'sms']],
    ['two biometric methods', ['face', 'fpt']],
    ['a password and a place, a risk score or a presence test', ['pwd', 'geo', 'rba', 'user']],
    ['several channels', ['pwd', 'mca']],
    ['an unknown method', ['pwd', 'magic']],
    ['another spelling', ['MFA', 'PWD', 'OTP']],
    ['a property name of every object', ['pwd', 'constructor']],
  ])('%s', (_what, methods) => {
    expect(provesTwoFactors(methods)).toBe(false)
  })
})
