import {
  compareWithRequest,
  OwnerCallMismatch,
  type RequestedCall,
  requireAsRequested,
} from '@countersign/proof/owner-call-comparison.ts'
import { compareWithStatement } from '@countersign/proof/owner-call-statement.ts'
import { vaultArtifactHash } from '@countersign/proof/vault-artifact.ts'
import { describe, expect, test } from 'vitest'
import {
  address,
  decodeJson,
  deployment,
  HASH,
  OWNER,
  policyTransaction,
  requested,
  TOKEN,
  terms,
  VAULT,
} from '#test/support/owner-calls.ts'

describe('compared with what was asked for', () => {
  test('is without differences when it does exactly that, whatever the order of the lists', () => {
    const decoded = decodeJson(policyTransaction())
    expect(compareWithRequest(decoded, requested)).toEqual([])
    expect(() => requireAsRequested(decoded, requested)).not.toThrow()
  })

  test.each<[string, Partial<typeof terms>, string]>([
    ['executor', { executorAddress: OWNER }, 'executor'],
    ['end', { expiresAtSeconds: 1_893_456_001 }, 'expiresAt'],
    ['automatic payments', { automaticEnabled: false }, 'automaticEnabled'],
    ['pause', { paused: true }, 'paused'],
    ['approved cap', { approvedCap: 100_000_001n }, 'approvedCap'],
    ['automatic cap', { automaticCap: 20_000_001n }, 'automaticCap'],
    ['lifetime cap', { lifetimeCap: 400_000_001n }, 'lifetimeCap'],
    ['reserve', { reserveFloor: 0n }, 'reserveFloor'],
    [
      'recipient of the same number',
      { recipientAddresses: [address('7'), address('9')] },
      'recipients',
    ],
    [
      'approver more',
      { approverAddresses: [...terms.approverAddresses, address('9')] },
      'approvers',
    ],
    [
      'recipient twice',
      { recipientAddresses: [...terms.recipientAddresses, address('8')] },
      'recipients',
    ],
  ])('throws for another %s', (_name, more, field) => {
    const decoded = decodeJson(policyTransaction(more))
    const differences = compareWithRequest(decoded, requested)
    expect(new Set(differences.map((one) => one.field))).toEqual(new Set([field]))
    expect(() => requireAsRequested(decoded, requested)).toThrow(OwnerCallMismatch)
  })

  test('throws for another chain, vault, version or call, and for a field nobody asked for', () => {
    const decoded = decodeJson(policyTransaction())
    const fieldsOf = (other: RequestedCall) =>
      compareWithRequest(decoded, other).map(({ field }) => field)
    expect(fieldsOf({ ...requested, chainId: 1 })).toEqual(['chainId'])
    expect(fieldsOf({ ...requested, to: OWNER })).toEqual(['to'])
    expect(fieldsOf({ ...requested, expectedVersion: 2n })).toEqual(['expectedVersion'])
    expect(fieldsOf({ name: 'emergencyPause', chainId: 8453, to: VAULT })).toEqual(['call'])
    const { paused: _paused, ...rest } = requested.policy
    expect(fieldsOf({ ...requested, policy: rest as never })).toEqual(['paused'])
    const { chainId: _chain, ...anyChain } = policyTransaction()
    const loose = compareWithRequest(decodeJson(anyChain), requested)
    expect(loose).toEqual([{ field: 'chainId', requested: '8453', actual: 'nothing' }])
  })
})

describe("compared with the API's own statement", () => {
  const stated = {
    ...terms,
    expiresAt: '2030-01-01T00:00:00.000Z',
    transaction: policyTransaction(),
  }

  test('a policy intent and a deployment that state what they do have no differences', () => {
    expect(compareWithStatement(decodeJson(stated), stated)).toEqual([])
    const { transaction, constructorDataHash } = deployment()
    const own = {
      ...{ chainId: 8453, ownerAddress: OWNER, tokenAddress: TOKEN, organizationHash: HASH },
      ...{ artifactHash: vaultArtifactHash, constructorDataHash, transaction },
    }
    expect(compareWithStatement(decodeJson(own), own)).toEqual([])
  })

  test('"extend the end" with another recipient of the same length is a difference', () => {
    const recipientAddresses = [address('7'), address('9')]
    const transaction = policyTransaction({ recipientAddresses })
    const differences = compareWithStatement(decodeJson({ transaction }), stated)
    expect(differences.map(({ field }) => field)).toEqual(['recipientAddresses'])
  })
})
