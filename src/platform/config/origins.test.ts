import { describe, expect, test } from 'vitest'
import { StartupError } from '#platform/errors.ts'
import { readOrigins } from './origins.ts'

const read = (env: Record<string, string>, production = false) => readOrigins(env, production)

describe('CORS_ORIGINS', () => {
  test('is empty by default', () => {
    expect(read({})).toEqual({ cors: [], consumerApp: undefined })
    expect(read({ CORS_ORIGINS: '' })).toEqual({ cors: [], consumerApp: undefined })
  })

  test('lists exact origins, separated by commas', () => {
    const { cors } = read({ CORS_ORIGINS: 'https://app.example, https://ops.example:8443' })
    expect(cors).toEqual(['https://app.example', 'https://ops.example:8443'])
  })

  test.each([
    '*',
    'null',
    'app.example',
    'https://*.example',
    'https://app.example/',
    'https://app.example/path',
    'https://App.example',
    'https://app.example:443',
    'https://user@app.example',
    'ftp://app.example',
  ])('refuses %s, which no browser sends as an origin or which names several', (value) => {
    expect(() => read({ CORS_ORIGINS: value })).toThrow(StartupError)
    expect(() => read({ CONSUMER_APP_ORIGIN: value })).toThrow(StartupError)
  })

  test('requires https in production, except on loopback', () => {
    expect(() => read({ CORS_ORIGINS: 'http://app.example' }, true)).toThrow(/CORS_ORIGINS/)
    expect(read({ CORS_ORIGINS: 'http://app.example' }).cors).toEqual(['http://app.example'])
    const local = { CORS_ORIGINS: 'http://localhost:4100' }
    expect(read(local, true).cors).toEqual(['http://localhost:4100'])
  })
})

describe('CONSUMER_APP_ORIGIN', () => {
  test('defaults to the first CORS origin', () => {
    const env = { CORS_ORIGINS: 'https://app.example,https://ops.example' }
    expect(read(env).consumerApp).toBe('https://app.example')
    const own = { ...env, CONSUMER_APP_ORIGIN: 'https://me.example' }
    expect(read(own).consumerApp).toBe('https://me.example')
  })

  test('must be one that a signed message can name', () => {
    expect(() => read({ CONSUMER_APP_ORIGIN: 'http://[::1]:4100' })).toThrow(/IPv4 address/)
    expect(read({ CORS_ORIGINS: 'http://[::1]:4100' }).consumerApp).toBeUndefined()
    const local = 'http://127.0.0.1:4100'
    expect(read({ CONSUMER_APP_ORIGIN: local }).consumerApp).toBe(local)
  })
})
