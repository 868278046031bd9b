/** An owner's transaction beside what the API's answer states about it. */
import type { Difference } from '@countersign/proof/owner-call-comparison.ts'
import type { Statement } from '@countersign/proof/owner-call-input.ts'
import { compareWithStatement } from '@countersign/proof/owner-call-statement.ts'
import { vaultAbi, vaultArtifactHash } from '@countersign/proof/vault-artifact.ts'
import { encodeFunctionData } from 'viem'
import { describe, expect, test } from 'vitest'
import {
  address,
  combinedTransaction,
  decodeJson,
  deployment,
  HASH,
  OWNER,
  policyTransaction,
  recipientsChange,
  recipientsTransaction,
  TOKEN,
  terms,
} from '#test/support/owner-calls.ts'

const fieldsOf = (differences: Difference[]) => differences.map(({ field }) => field)

describe("compared with the API's own statement", () => {
  const unchanged = { recipients: { added: [], removed: [] } }
  const changes = {
    recipients: { added: recipientsChange.add, removed: recipientsChange.remove },
  }
  const stated = {
    ...terms,
    kind: 'policy',
    expiresAt: '2030-01-01T00:00:00.000Z',
    recipientAddresses: [address('9')],
    changes: unchanged,
  }
  const statedBoth = {
    ...stated,
    kind: 'policy_and_recipients',
    recipientAddresses: recipientsChange.add,
    changes,
  }
  const statedChange = {
    kind: 'recipients',
    recipientAddresses: [...recipientsChange.add, address('a')],
    changes,
  }
  const differing = (transaction: unknown, statement: Statement) =>
    fieldsOf(compareWithStatement(decodeJson({ transaction }), statement))

  test('intents and a deployment that state what they do have no differences', () => {
    expect(differing(policyTransaction(), stated)).toEqual([])
    expect(differing(combinedTransaction(), statedBoth)).toEqual([])
    expect(differing(recipientsTransaction(), statedChange)).toEqual([])
    const { transaction, constructorDataHash } = deployment()
    const own = {
      chainId: 8453,
      ownerAddress: OWNER,
      tokenAddress: TOKEN,
      organizationHash: HASH,
      changeDelaySeconds: 172_800,
      artifactHash: vaultArtifactHash,
      constructorDataHash,
    }
    expect(differing(transaction, own)).toEqual([])
    expect(differing(transaction, { ...own, changeDelaySeconds: 0 })).toEqual([
      'changeDelaySeconds',
    ])
  })

  test('a period that is off is stated as null', () => {
    const off = { periodSeconds: 0, periodCap: 0n, automaticPeriodCap: 0n, tiers: [] }
    const transaction = policyTransaction(off)
    const none = { periodSeconds: null, periodCap: null, automaticPeriodCap: null, tiers: [] }
    expect(differing(transaction, { ...stated, ...none })).toEqual([])
    expect(differing(transaction, stated)).toEqual([
      'periodSeconds',
      'periodCap',
      'automaticPeriodCap',
      'tiers',
    ])
    expect(differing(policyTransaction(), { ...stated, ...none })).toEqual([
      'periodSeconds',
      'periodCap',
      'automaticPeriodCap',
      'tiers',
    ])
  })

  test('tiers are stated in the JSON of the API', () => {
    const tiers = [{ above: '80000000', approvals: 2 }]
    expect(differing(policyTransaction(), { ...stated, tiers })).toEqual([])
    const lower = [{ above: '80000000', approvals: 3 }]
    expect(differing(policyTransaction(), { ...stated, tiers: lower })).toEqual(['tiers'])
  })

  test('"extend the end" that also adds a recipient is a difference', () => {
    expect(differing(combinedTransaction(), stated)).toEqual([
      'call',
      'changes.recipients.added',
      'changes.recipients.removed',
      'recipientAddresses',
      'recipientAddresses',
      'recipientAddresses',
    ])
  })

  test('a recipient other than stated is a difference, in the change and in the full list', () => {
    const transaction = recipientsTransaction({ add: [address('7'), address('b')] })
    expect(compareWithStatement(decodeJson({ transaction }), statedChange)).toEqual([
      {
        field: 'changes.recipients.added',
        requested: `${address('7')},${address('8')}`.toLowerCase(),
        actual: `${address('7')},${address('b')}`.toLowerCase(),
      },
      { field: 'recipientAddresses', requested: 'not listed', actual: address('b') },
    ])
  })

  test('a full list that still has a removed recipient is a difference', () => {
    const listed = [...statedChange.recipientAddresses, address('9')]
    const statement = { ...statedChange, recipientAddresses: listed }
    expect(differing(recipientsTransaction(), statement)).toEqual(['recipientAddresses'])
    const again = { add: [address('9')], remove: [address('9')] }
    const both = { recipients: { added: again.add, removed: again.remove } }
    expect(differing(recipientsTransaction(again), { ...statement, changes: both })).toEqual([])
  })

  test('another call than the kind announces is a difference, whatever else is stated', () => {
    const pause = encodeFunctionData({ abi: vaultAbi, functionName: 'unpause', args: [1n] })
    const transaction = { ...policyTransaction(), data: pause }
    expect(compareWithStatement(decodeJson({ transaction }), stated)).toEqual([
      { field: 'call', requested: 'configurePolicy', actual: 'unpause' },
    ])
    expect(differing(recipientsTransaction(), { ...statedChange, kind: 'other' })).toEqual(['call'])
    expect(differing(transaction, { constructorDataHash: HASH })).toEqual(['call'])
  })

  test('an intent without its changes of recipients is a difference', () => {
    const { changes: _changes, ...silent } = stated
    expect(differing(policyTransaction(), silent)).toEqual([
      'changes.recipients.added',
      'changes.recipients.removed',
    ])
  })
})
