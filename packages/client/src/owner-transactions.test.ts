import type { RequestedCall } from '@countersign/proof/owner-call-comparison.ts'
import { vaultAbi } from '@countersign/proof/vault-artifact.ts'
import { type Address, encodeFunctionData, serializeTransaction } from 'viem'
import { expect, test } from 'vitest'
import { checkOwnerTransaction } from './owner-transactions.ts'

const address = (byte: string): Address => `0x${byte.repeat(20)}`
const VAULT = address('33')

const requested: Extract<RequestedCall, { name: 'configurePolicy' }> = {
  name: 'configurePolicy',
  chainId: 31_337,
  to: VAULT,
  expectedVersion: 7n,
  policy: {
    executor: address('aa'),
    expiresAt: 1_900_000_000n,
    automaticEnabled: false,
    paused: false,
    approvedCap: 5_000_000_000n,
    automaticCap: 0n,
    lifetimeCap: 300_000_000_000n,
    reserveFloor: 1_000_000n,
    periodSeconds: 86_400,
    periodCap: 20_000_000_000n,
    automaticPeriodCap: 0n,
    tiers: [{ above: 1_000_000_000n, approvals: 2 }],
    approvers: [address('11'), address('22')],
  },
}

const dataOf = (policy: typeof requested.policy) =>
  encodeFunctionData({
    abi: vaultAbi,
    functionName: 'configurePolicy',
    args: [7n, policy],
  })

const transaction = (policy = requested.policy) => ({
  chainId: 31_337,
  to: VAULT,
  data: dataOf(policy),
  value: '0x0',
  gas: '0x100000',
})

test('a transaction that does what was asked for is described line by line', () => {
  const check = checkOwnerTransaction(transaction(), requested)
  if (!check.ok) throw new Error(check.message)
  expect(check.lines).toContain(`vault: ${VAULT}`)
  expect(check.lines).toContain(
    'maximum per payment with a signature: 5000 USDC (5000000000 base units)',
  )
  expect(check.decoded.transaction.to).toBe(VAULT)
})

test('a serialized transaction is read too', () => {
  const hex = serializeTransaction({
    type: 'eip1559',
    chainId: 31_337,
    to: VAULT,
    data: dataOf(requested.policy),
  })
  expect(checkOwnerTransaction(hex, requested).ok).toBe(true)
})

test('every difference from the request is named', () => {
  const { approvers } = requested.policy
  const wider = { ...requested.policy, approvers: [...approvers, address('66')], tiers: [] }
  expect(checkOwnerTransaction(transaction(wider), requested)).toMatchObject({
    ok: false,
    reason: 'differs',
    differences: [
      { field: 'approvers', actual: address('66') },
      { field: 'tiers', requested: '2 approvals above 1000000000', actual: 'none' },
    ],
  })
})

test('a change of recipients is checked like a policy', () => {
  const change: RequestedCall = {
    name: 'changeRecipients',
    chainId: 31_337,
    to: VAULT,
    expectedRecipientsVersion: 3n,
    add: [address('44')],
    remove: [],
  }
  const adding = (add: Address[]) => ({
    ...transaction(),
    data: encodeFunctionData({
      abi: vaultAbi,
      functionName: 'changeRecipients',
      args: [3n, add, []],
    }),
  })
  expect(checkOwnerTransaction(adding([address('44')]), change)).toMatchObject({
    ok: true,
    lines: expect.arrayContaining(['recipients added: 1', `  ${address('44')}`]),
  })
  expect(checkOwnerTransaction(adding([address('44'), address('55')]), change)).toMatchObject({
    ok: false,
    differences: [{ field: 'add', requested: 'not listed', actual: address('55') }],
  })
})

test('an intent whose own statement differs from its transaction is refused', () => {
  const stated = { transaction: transaction(), executorAddress: address('bb') }
  const check = checkOwnerTransaction(stated, requested)
  expect(check).toMatchObject({ ok: false, reason: 'differs' })
  expect(check.ok || check.differences.map(({ field }) => field)).toContain('executorAddress')
})

test.each([
  ['a call that is not the vault’s', { ...transaction(), data: '0xdeadbeef' }],
  ['native currency', { ...transaction(), value: '0x1' }],
  ['an authorization list', { ...transaction(), authorizationList: [] }],
  ['no object', 7],
])('%s is undecodable', (_what, input) => {
  expect(checkOwnerTransaction(input, requested)).toMatchObject({
    ok: false,
    reason: 'undecodable',
  })
})
