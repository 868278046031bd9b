import { describe, expect, test } from 'vitest'
import { deriveSecrets, type MacKeys } from '#platform/secrets.ts'
import {
  type AutomaticTerms,
  isSealedAuthorization,
  isSealedReport,
  sealAuthorization,
  sealReport,
} from './worker-mac.ts'

const keysOf = (secret: string, previousSecret?: string): MacKeys => {
  const sources = { serverSecret: 'server secret of these tests only', worker: { secret } }
  const worker = { ...sources.worker, previousSecret }
  const { macKeys } = deriveSecrets({ ...sources, worker })
  if (!macKeys) throw new Error('no keys')
  return macKeys
}

const keys = keysOf('the first secret of a worker, for tests')
const terms: AutomaticTerms = {
  organizationId: '0198a000-0000-7000-8000-000000000001',
  expenseId: '0198a000-0000-7000-8000-000000000002',
  revision: 1,
  versionHash: `0x${'11'.repeat(32)}`,
  reportHash: `0x${'22'.repeat(32)}`,
  vaultId: '0198a000-0000-7000-8000-000000000003',
  recipientAddress: `0x${'33'.repeat(20)}`,
  amount: 1_000_000n,
  policyVersion: 4,
  deadline: '2026-11-17T12:00:00.000Z',
}

const others: { [Name in keyof AutomaticTerms]: AutomaticTerms[Name] } = {
  organizationId: '0198a000-0000-7000-8000-000000000009',
  expenseId: '0198a000-0000-7000-8000-000000000009',
  revision: 2,
  versionHash: `0x${'99'.repeat(32)}`,
  reportHash: `0x${'99'.repeat(32)}`,
  vaultId: '0198a000-0000-7000-8000-000000000009',
  recipientAddress: `0x${'99'.repeat(20)}`,
  amount: 1_000_001n,
  policyVersion: 5,
  deadline: '2026-11-17T12:00:00.001Z',
}

describe('the MAC of an automatic authorization', () => {
  const seal = sealAuthorization(keys, terms)
  const verifies = (changed: Partial<AutomaticTerms>, by = keys) =>
    isSealedAuthorization([by.current], { ...terms, ...changed }, seal)

  test('verifies for the terms it was made for', () => {
    expect(verifies({})).toBe(true)
  })

  test("does not depend on the deadline's format", () => {
    expect(verifies({ deadline: '2026-11-17T12:00:00Z' })).toBe(true)
  })

  test.each(Object.keys(others) as (keyof AutomaticTerms)[])('covers %s', (name) => {
    expect(verifies({ [name]: others[name] })).toBe(false)
  })

  test('is refused under another key, and under a key id that is not its own', () => {
    const other = keysOf('another secret of a worker, for tests')
    expect(verifies({}, other)).toBe(false)
    const renamed = { ...seal, keyId: other.current.id }
    expect(isSealedAuthorization([keys.current, other.current], terms, renamed)).toBe(false)
  })

  test('cannot be replaced by the MAC of a report or omitted', () => {
    expect(isSealedAuthorization([keys.current], terms, sealReport(keys, terms))).toBe(false)
    expect(isSealedAuthorization([keys.current], terms, { mac: null, keyId: null })).toBe(false)
    const short = { ...seal, mac: seal.mac.subarray(0, 31) }
    expect(isSealedAuthorization([keys.current], terms, short)).toBe(false)
  })
})

describe('the MAC of a report', () => {
  const seal = sealReport(keys, terms)
  const covered = Object.keys(others).filter(
    (name) => name !== 'policyVersion' && name !== 'deadline',
  ) as (keyof AutomaticTerms)[]

  test.each(covered)('covers %s', (name) => {
    const changed = { ...terms, [name]: others[name] }
    expect(isSealedReport([keys.current], changed, seal)).toBe(false)
  })

  test('verifies whatever policy and deadline come later', () => {
    const later = { ...terms, policyVersion: 9, deadline: '2027-01-01T00:00:00.000Z' }
    expect(isSealedReport([keys.current], later, seal)).toBe(true)
  })

  test('made with the previous key verifies where that key is accepted', () => {
    const rotated = keysOf(
      'the second secret of a worker, for tests',
      'the first secret of a worker, for tests',
    )
    expect(rotated.previous).toEqual(keys.current)
    expect(isSealedReport([rotated.current], terms, seal)).toBe(false)
    expect(isSealedReport([rotated.current, keys.current], terms, seal)).toBe(true)
  })
})
