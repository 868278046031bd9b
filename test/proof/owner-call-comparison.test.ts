import type { ChainPolicy } from '@countersign/proof/execution.ts'
import {
  comparePolicies,
  compareWithRequest,
  type Difference,
  OwnerCallMismatch,
  type RequestedCall,
  requireAsRequested,
} from '@countersign/proof/owner-call-comparison.ts'
import type { Hex } from 'viem'
import { describe, expect, test } from 'vitest'
import { encodeActivation } from '#adapters/chain/vault-codec.ts'
import type { RecipientsChange } from '#ports/chain.ts'
import {
  address,
  callTo,
  combinedTransaction,
  decodeJson,
  HASH,
  OWNER,
  policyTransaction,
  recipientsChange,
  recipientsTransaction,
  requested,
  requestedBoth,
  requestedChange,
  terms,
  VAULT,
} from '#test/support/owner-calls.ts'

const place = { chainId: 8453, to: VAULT }
const bare = { from: OWNER, data: '0x', value: 0n } as const
const OTHER_HASH: Hex = `0x${'cd'.repeat(32)}`
const fieldsOf = (differences: Difference[]) => differences.map(({ field }) => field)

describe('compared with what was asked for', () => {
  test('is without differences when it does exactly that, whatever the order of the lists', () => {
    const decoded = decodeJson(policyTransaction())
    expect(compareWithRequest(decoded, requested)).toEqual([])
    expect(() => requireAsRequested(decoded, requested)).not.toThrow()
  })

  test.each<[string, Partial<ChainPolicy>, string]>([
    ['executor', { executorAddress: OWNER }, 'executor'],
    ['end', { expiresAtSeconds: 1_893_456_001 }, 'expiresAt'],
    ['automatic payments', { automaticEnabled: false }, 'automaticEnabled'],
    ['pause', { paused: true }, 'paused'],
    ['approved cap', { approvedCap: 100_000_001n }, 'approvedCap'],
    ['automatic cap', { automaticCap: 20_000_001n }, 'automaticCap'],
    ['lifetime cap', { lifetimeCap: 400_000_001n }, 'lifetimeCap'],
    ['reserve', { reserveFloor: 0n }, 'reserveFloor'],
    ['period', { periodSeconds: 604_800 }, 'periodSeconds'],
    ['period cap', { periodCap: 200_000_001n }, 'periodCap'],
    ['automatic period cap', { automaticPeriodCap: 60_000_001n }, 'automaticPeriodCap'],
    ['tier dropped', { tiers: [] }, 'tiers'],
    ['start of a tier', { tiers: [{ above: 80_000_001n, approvals: 2 }] }, 'tiers'],
    ['number of approvals', { tiers: [{ above: 80_000_000n, approvals: 3 }] }, 'tiers'],
    ['tier more', { tiers: [...terms.tiers, { above: 90_000_000n, approvals: 3 }] }, 'tiers'],
    [
      'approver of the same number',
      { approverAddresses: [address('5'), address('9')] },
      'approvers',
    ],
    [
      'approver more',
      { approverAddresses: [...terms.approverAddresses, address('9')] },
      'approvers',
    ],
    [
      'approver twice',
      { approverAddresses: [...terms.approverAddresses, address('6')] },
      'approvers',
    ],
  ])('throws for another %s', (_name, more, field) => {
    const decoded = decodeJson(policyTransaction(more))
    const differences = compareWithRequest(decoded, requested)
    expect(new Set(differences.map((one) => one.field))).toEqual(new Set([field]))
    expect(() => requireAsRequested(decoded, requested)).toThrow(OwnerCallMismatch)
  })

  test('a change of recipients, alone or with the policy, has no differences', () => {
    expect(compareWithRequest(decodeJson(recipientsTransaction()), requestedChange)).toEqual([])
    expect(compareWithRequest(decodeJson(combinedTransaction()), requestedBoth)).toEqual([])
  })

  test.each<[string, Partial<RecipientsChange>, string]>([
    ['recipient more', { add: [...recipientsChange.add, address('a')] }, 'add'],
    ['recipient instead', { add: [address('7'), address('a')] }, 'add'],
    ['recipient twice', { add: [...recipientsChange.add, address('8')] }, 'add'],
    ['removal less', { remove: [] }, 'remove'],
    ['removal more', { remove: [address('9'), address('a')] }, 'remove'],
    ['list', { expectedRecipientsVersion: 5 }, 'expectedRecipientsVersion'],
  ])('throws for another %s of recipients', (_name, more, field) => {
    const alone = decodeJson(recipientsTransaction(more))
    expect(new Set(fieldsOf(compareWithRequest(alone, requestedChange)))).toEqual(new Set([field]))
    expect(() => requireAsRequested(alone, requestedChange)).toThrow(OwnerCallMismatch)
    const both = decodeJson(combinedTransaction(more))
    expect(new Set(fieldsOf(compareWithRequest(both, requestedBoth)))).toEqual(new Set([field]))
  })

  test('throws where recipients were to change as well, or were not', () => {
    const [policy, both] = [decodeJson(policyTransaction()), decodeJson(combinedTransaction())]
    expect(fieldsOf(compareWithRequest(policy, requestedBoth))).toEqual(['call'])
    expect(fieldsOf(compareWithRequest(both, requested))).toEqual(['call'])
  })

  test.each<[RequestedCall, RequestedCall, string]>([
    [
      { name: 'veto', proposalId: HASH, ...place },
      { name: 'veto', proposalId: OTHER_HASH, ...place },
      'proposalId',
    ],
    [
      { name: 'blockRecipient', recipient: address('7'), ...place },
      { name: 'blockRecipient', recipient: address('8'), ...place },
      'recipient',
    ],
    [
      { name: 'unblockRecipient', recipient: address('7'), ...place },
      { name: 'unblockRecipient', recipient: address('8'), ...place },
      'recipient',
    ],
    [
      { name: 'blockRecipient', recipient: address('7'), ...place },
      { name: 'unblockRecipient', recipient: address('7'), ...place },
      'call',
    ],
    [
      { name: 'revokeApprover', approver: address('5'), ...place },
      { name: 'revokeApprover', approver: address('6'), ...place },
      'approver',
    ],
    [
      { name: 'unpause', pauseNumber: 1n, ...place },
      { name: 'unpause', pauseNumber: 2n, ...place },
      'pauseNumber',
    ],
    [
      { name: 'rescue', token: address('7'), amount: 1n, ...place },
      { name: 'rescue', token: address('8'), amount: 1n, ...place },
      'token',
    ],
    [
      { name: 'rescue', token: address('7'), amount: 1n, ...place },
      { name: 'rescue', token: address('7'), amount: 2n, ...place },
      'amount',
    ],
    [
      { name: 'invalidateApproval', digest: HASH, ...place },
      { name: 'invalidateApproval', digest: OTHER_HASH, ...place },
      'digest',
    ],
    [{ name: 'withdraw', amount: 1n, ...place }, { name: 'deposit', amount: 1n, ...place }, 'call'],
  ])('%o is not %o', (requestedCall, done, field) => {
    const { chainId, to, ...call } = done
    const decoded = { transaction: { ...bare, chainId, to: to as Hex }, call }
    expect(fieldsOf(compareWithRequest(decoded, requestedCall))).toEqual([field])
    expect(compareWithRequest(decoded, done)).toEqual([])
  })

  test('the activation of another policy than proposed differs', () => {
    const { data } = encodeActivation({
      vaultAddress: VAULT,
      expectedVersion: 3,
      policy: { ...terms, tiers: [] },
    })
    const decoded = callTo(data as Hex)
    const differences = compareWithRequest(decoded, { ...requested, name: 'activatePolicy' })
    expect(differences).toEqual([
      { field: 'tiers', requested: '2 approvals above 80000000', actual: 'none' },
    ])
  })

  test('two policies differ in their tiers and periods', () => {
    const after = { ...requested.policy, tiers: [], periodCap: 1n }
    expect(comparePolicies(requested.policy, after)).toEqual([
      { field: 'periodCap', requested: '200000000', actual: '1' },
      { field: 'tiers', requested: '2 approvals above 80000000', actual: 'none' },
    ])
    expect(comparePolicies(requested.policy, { ...requested.policy })).toEqual([])
  })

  test('throws for another chain, vault, version or call, and for a field nobody asked for', () => {
    const decoded = decodeJson(policyTransaction())
    const against = (other: RequestedCall) => fieldsOf(compareWithRequest(decoded, other))
    expect(against({ ...requested, chainId: 1 })).toEqual(['chainId'])
    expect(against({ ...requested, to: OWNER })).toEqual(['to'])
    expect(against({ ...requested, expectedVersion: 2n })).toEqual(['expectedVersion'])
    expect(against({ name: 'emergencyPause', chainId: 8453, to: VAULT })).toEqual(['call'])
    const { paused: _paused, ...open } = requested.policy
    expect(against({ ...requested, policy: open as never })).toEqual(['paused'])
    const { tiers: _tiers, ...flat } = requested.policy
    expect(against({ ...requested, policy: flat as never })).toEqual(['tiers'])
    const { chainId: _chain, ...anyChain } = policyTransaction()
    const loose = compareWithRequest(decodeJson(anyChain), requested)
    expect(loose).toEqual([{ field: 'chainId', requested: '8453', actual: 'nothing' }])
  })
})
