import { describe, expect, test } from 'vitest'
import { StartupError } from '#platform/errors.ts'
import { makeVapidPrivateKey, readPush, vapidPublicKey } from './push.ts'

const privateKey = makeVapidPrivateKey()
const keys = {
  VAPID_PUBLIC_KEY: vapidPublicKey(privateKey) ?? '',
  VAPID_PRIVATE_KEY: privateKey,
  VAPID_SUBJECT: 'mailto:push@countersign.example',
}
const development = { production: false, allowsLoopback: false }
const production = { production: true, allowsLoopback: false }

/** The one line that is printed at the terminal. */
function problemOf(env: Record<string, string>, how = development): string {
  try {
    readPush(env, how)
  } catch (error) {
    expect(error).toBeInstanceOf(StartupError)
    const { message } = error as StartupError
    expect(message).not.toMatch(/[\n\r]/)
    expect(message).not.toContain(privateKey)
    return message
  }
  return 'no problem'
}

describe('the VAPID keys', () => {
  test('are read unchanged', () => {
    expect(readPush(keys, development).vapid).toEqual({
      publicKey: keys.VAPID_PUBLIC_KEY,
      privateKey,
      subject: keys.VAPID_SUBJECT,
    })
    expect(readPush({}, development).vapid).toBeUndefined()
  })

  test.each(Object.keys(keys))('are set together or not at all: %s', (name) => {
    expect(problemOf({ ...keys, [name]: '' })).toMatch(/^Set VAPID_PUBLIC_KEY, VAPID_PRIVATE_KEY/)
  })

  test.each([
    ['of another pair', vapidPublicKey(makeVapidPrivateKey()) ?? ''],
    ['of another length', keys.VAPID_PUBLIC_KEY.slice(4)],
    ['not base64url', `${keys.VAPID_PUBLIC_KEY.slice(0, -1)}=`],
  ])('are refused when the public key is %s', (_what, publicKey) => {
    expect(problemOf({ ...keys, VAPID_PUBLIC_KEY: publicKey })).toMatch(/must be a P-256 key pair/)
  })

  test.each([
    ['zero', Buffer.alloc(32).toString('base64url')],
    ['outside the curve', Buffer.alloc(32, 255).toString('base64url')],
    ['too short', 'abc'],
  ])('are refused when the private key is %s', (_what, bad) => {
    expect(problemOf({ ...keys, VAPID_PRIVATE_KEY: bad })).toMatch(/must be a P-256 key pair/)
  })

  test.each(['push@countersign.example', 'http://countersign.example', 'mailto:', 'https:'])(
    'the subject %s is refused',
    (subject) => {
      expect(problemOf({ ...keys, VAPID_SUBJECT: subject })).toMatch(/^VAPID_SUBJECT must be/)
    },
  )

  test('a generated key is valid', () => {
    for (let n = 0; n < 300; n += 1) {
      expect(vapidPublicKey(makeVapidPrivateKey())).toMatch(/^[\w-]{87}$/)
    }
  })
})

describe('accepted endpoints', () => {
  test('are those of known push services in production, elsewhere of every public host', () => {
    expect(readPush({}, production).hosts).toContain('fcm.googleapis.com')
    expect(readPush({}, development).hosts).toBeUndefined()
    expect(readPush({ PUSH_HOSTS: '*' }, production).hosts).toBeUndefined()
    expect(readPush({ PUSH_HOSTS: 'push.example,*.b.example' }, production).hosts).toEqual([
      'push.example',
      '*.b.example',
    ])
    expect(problemOf({ PUSH_HOSTS: 'https://push.example' })).toMatch(/^PUSH_HOSTS must be/)
  })

  test('never include loopback in production', () => {
    expect(problemOf({}, { production: true, allowsLoopback: true })).toMatch(/^PUSH_LOOPBACK is/)
    expect(readPush({}, { production: false, allowsLoopback: true }).allowsLoopback).toBe(true)
  })
})
