import { describe, expect, test } from 'vitest'
import { type Environment, readConfig } from './config.ts'

const complete: Environment = {
  DATABASE_URL: 'postgres://someone:hunter2@db.example/countersign',
  SERVER_SECRET: 'a secret of the tests that is long enough',
  CONSUMER_ISSUER: 'https://id.example/consumer',
  CONSUMER_AUDIENCE: 'consumer-app',
  CONSUMER_JWKS_URL: 'https://id.example/consumer/jwks.json',
  ADMIN_ISSUER: 'https://id.example/admin',
  ADMIN_AUDIENCE: 'admin-app',
  ADMIN_JWKS_URL: 'https://id.example/admin/jwks.json',
  RPC_URLS: 'https://one.example/key',
  TOKEN_ADDRESS: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
}

describe('DATABASE_DIRECT_URL', () => {
  const direct = 'postgres://someone:hunter2@primary.example/countersign'
  const both = { ...complete, DATABASE_DIRECT_URL: direct }

  test('makes an API process use DATABASE_URL as a pooler', () => {
    expect(readConfig(both, { process: 'api' })).toMatchObject({
      databaseUrl: complete.DATABASE_URL,
      directUrl: direct,
      isPooled: true,
    })
  })

  test.each(['worker', 'both', 'command'] as const)('replaces it for %s', (process) => {
    const found = { databaseUrl: direct, directUrl: direct, isPooled: false }
    expect(readConfig(both, { process })).toMatchObject(found)
  })

  test('is DATABASE_URL itself by default', () => {
    const url = complete.DATABASE_URL
    const found = { databaseUrl: url, directUrl: url, isPooled: false }
    expect(readConfig(complete, { process: 'api' })).toMatchObject(found)
  })

  test('must be a URL of PostgreSQL', () => {
    expect(() => readConfig({ ...complete, DATABASE_DIRECT_URL: 'mysql://db.example/x' })).toThrow(
      'DATABASE_DIRECT_URL must be a postgres:// or postgresql:// URL.',
    )
  })
})
