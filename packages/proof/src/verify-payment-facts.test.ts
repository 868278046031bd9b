import { describe, expect, test } from 'vitest'
import type { TransactionFacts } from './payment-facts.ts'
import { secondsToTimestamp } from './values.ts'
import { verifyEvidence } from './verify-evidence.ts'
import { type PaidEvidence, verifyPaymentFacts } from './verify-payment-facts.ts'

const address = (digit: string): string => `0x${digit.repeat(40)}`
const hash = (digit: string): string => `0x${digit.repeat(64)}`

const END = 2_000_000_000
const DEADLINE = 1_900_000_000

const logged = {
  vaultAddress: address('1'),
  chainPaymentId: hash('2'),
  recipientAddress: address('3'),
  mode: 'approved' as const,
  policyVersion: 1,
  reportHash: hash('4'),
  expenseVersionHash: hash('5'),
  approvalDigests: [hash('6')],
  approverAddresses: [address('7')],
}

const ALLOWED_FROM = 1_800_000_000

const approval = {
  id: '00000000-0000-4000-8000-000000000000',
  approverAddress: address('7'),
  digest: hash('6'),
  signature: `0x${'11'.repeat(65)}`,
  typedData: {},
}

type Change = { amount?: string; cap?: string; approvers?: string[]; deadline?: number }

const evidence = (change: Change = {}) => {
  const { amount = '1000', cap = '1000', approvers = [address('7')], deadline = DEADLINE } = change
  return {
    revision: {
      ...{ chainId: 1, vaultAddress: address('1'), recipientAddress: address('3') },
      ...{ tokenAddress: address('8'), amountBaseUnits: amount, requestedMode: 'approved' },
      ...{ organizationId: '', expenseId: '', revision: 1, vaultId: '', purpose: '' },
      versionHash: hash('5'),
    },
    report: { id: '', reportHash: hash('4'), output: {} },
    policy: {
      version: 1,
      executorAddress: address('9'),
      approverAddresses: approvers,
      ...{ periodSeconds: 0, periodCap: '0', automaticPeriodCap: '0', tiers: [], proposal: null },
      ...{ approvedCap: cap, automaticCap: '500', lifetimeCap: '9000', reserveFloor: '0' },
      expiresAt: secondsToTimestamp(END),
      automaticEnabled: true,
      chainTransactionHash: hash('a'),
    },
    recipient: {
      recipientsVersion: 1,
      allowedFrom: secondsToTimestamp(ALLOWED_FROM),
      transactionHash: hash('a'),
    },
    approval,
    approvals: [approval],
    payment: {
      id: '00000000-0000-4000-8000-000000000000',
      organizationHash: hash('b'),
      chainPaymentId: hash('2'),
      mode: 'approved',
      deadline: secondsToTimestamp(deadline),
    },
    asked: { ...logged, amountBaseUnits: amount },
    event: {
      ...{ ...logged, amountBaseUnits: amount },
      ...{ transactionHash: hash('c'), blockNumber: 10, blockHash: hash('d') },
    },
    matches: true,
  } as unknown as PaidEvidence
}

const place = { blockNumber: 10, blockHash: hash('d'), canonicalHash: hash('d') }

const facts = (change: Partial<TransactionFacts> = {}, cap = 1000n): TransactionFacts => ({
  ...place,
  timeSeconds: DEADLINE,
  status: 'success',
  headNumber: 10,
  finalizedNumber: 10,
  execution: { ...logged, amount: 1000n },
  spentTotal: 9000n,
  transfer: { to: address('3'), amount: 1000n },
  directCall: null,
  policy: {
    ...{ ...place, blockNumber: 9 },
    timeSeconds: 1,
    isEarlier: true,
    version: 1,
    policy: {
      executorAddress: address('9'),
      expiresAtSeconds: END,
      automaticEnabled: true,
      paused: false,
      ...{ approvedCap: cap, automaticCap: 500n, lifetimeCap: 9000n, reserveFloor: 0n },
      ...{ periodSeconds: 0, periodCap: 0n, automaticPeriodCap: 0n, tiers: [] },
      approverAddresses: [address('7')],
    },
    proposalId: hash('1'),
  },
  proposal: null,
  recipient: {
    ...{ ...place, blockNumber: 9 },
    timeSeconds: 1,
    isEarlier: true,
    recipientsVersion: 1,
    allowedFromSeconds: ALLOWED_FROM,
    isAdded: true,
  },
  before: {
    allowedFromSeconds: ALLOWED_FROM,
    isBlocked: false,
    approverAddresses: [address('7')],
  },
  period: null,
  vault: {
    ownerAddress: address('e'),
    tokenAddress: address('8'),
    organizationHash: hash('b'),
    changeDelaySeconds: 0,
  },
  contractAnswers: [{ address: address('7'), accepts: true }],
  ...change,
})

const failedLinks = (change: Partial<TransactionFacts> = {}, confirmations: number | null = null) =>
  verifyPaymentFacts(
    evidence(),
    { chainId: 1, transaction: facts(change) },
    { confirmations },
  ).flatMap(({ link, holds }) => (holds ? [] : [link]))

const offlineLinks = async (change: Change) =>
  (await verifyEvidence(evidence(change))).flatMap(({ link, holds }) => (holds ? [] : [link]))

describe('at its limit', () => {
  test('a payment in the second of its deadline holds, a second later it does not', () => {
    expect(failedLinks({ timeSeconds: DEADLINE })).toEqual([])
    expect(failedLinks({ timeSeconds: DEADLINE + 1 })).toEqual(['chain: paid by the deadline'])
  })

  test('a payment in the second in which the policy ends does not hold', () => {
    const late = (timeSeconds: number) =>
      failedLinks({ timeSeconds }).includes('chain: paid before the policy ended')
    expect([late(END - 1), late(END), late(END + 1)]).toEqual([false, true, true])
  })

  test('an amount equal to the cap on the chain holds, one above it does not', () => {
    const policy = facts({}, 999n).policy
    expect(failedLinks()).toEqual([])
    expect(failedLinks({ policy })).toContain('chain: amount within the policy')
  })

  test('a block exactly as deep as asked for holds, and one less does not', () => {
    expect(failedLinks({ headNumber: 12, finalizedNumber: null }, 3)).toEqual([])
    expect(failedLinks({ headNumber: 11, finalizedNumber: null }, 3)).toEqual([
      'chain: final block',
    ])
  })

  test('the finalized block itself is final, and the one after it is not', () => {
    expect(failedLinks({ finalizedNumber: 10 })).toEqual([])
    expect(failedLinks({ finalizedNumber: 9 })).toEqual(['chain: final block'])
  })

  test('a deadline at the end of the policy holds, a second later it does not', async () => {
    const link = 'deadline within the policy'
    expect(await offlineLinks({ deadline: END })).not.toContain(link)
    expect(await offlineLinks({ deadline: END + 1 })).toContain(link)
  })

  test("an amount at the bundle's cap holds offline, one above it and zero do not", async () => {
    const link = 'amount within the policy'
    expect(await offlineLinks({ amount: '1000', cap: '1000' })).not.toContain(link)
    expect(await offlineLinks({ amount: '1001', cap: '1000' })).toContain(link)
    expect(await offlineLinks({ amount: '0', cap: '1000' })).toContain(link)
  })
})

test('an approver that the policy does not list does not hold', async () => {
  const link = 'approver in the policy'
  expect(await offlineLinks({})).not.toContain(link)
  expect(await offlineLinks({ approvers: [address('8')] })).toContain(link)
  expect(await offlineLinks({ approvers: [] })).toContain(link)
})

test('a policy that the vault logged after the payment does not hold', () => {
  const { policy } = facts()
  if (!policy) throw new Error('There is no policy')
  const failed = failedLinks({ policy: { ...policy, isEarlier: false } })
  expect(failed).toEqual(['chain: the policy was configured'])
  const replaced = failedLinks({ policy: { ...policy, canonicalHash: hash('f') } })
  expect(replaced).toEqual(['chain: the policy was configured'])
})

test('a reverted transaction does not hold, whatever its logs say', () => {
  expect(failedLinks({ status: 'reverted' })).toEqual(['chain: transaction succeeded'])
})

test('the findings name every link to the chain', () => {
  const asked = { chainId: 1, transaction: facts() }
  const findings = verifyPaymentFacts(evidence(), asked, { confirmations: null })
  expect(findings.map(({ link }) => link)).toEqual([
    'chain: the node serves the chain',
    'chain: transaction succeeded',
    'chain: block number',
    'chain: block hash',
    "chain: the vault's log of this payment",
    "chain: the token's transfer from vault to recipient",
    'chain: final block',
    "chain: the vault's code is the artifact",
    "chain: the vault's token",
    "chain: the vault's organization",
    'chain: the policy was configured',
    'chain: the policy matches the bundle',
    'chain: the policy waited',
    'chain: the recipient was allowed',
    'chain: the recipient was neither removed nor blocked',
    'chain: the recipient had no role',
    'chain: as many approvers as the amount needs',
    'chain: approvers in the policy',
    'chain: no approver was revoked',
    'chain: paid by the deadline',
    'chain: paid before the policy ended',
    'chain: amount within the policy',
    'chain: within the lifetime cap',
    "chain: the approver's signature",
  ])
})

test.each<[string, Partial<TransactionFacts>]>([
  ['chain: block number', { blockNumber: 9 }],
  ["chain: the vault's code is the artifact", { vault: null }],
  ["chain: the token's transfer from vault to recipient", { transfer: null }],
  [
    "chain: the token's transfer from vault to recipient",
    { transfer: { to: address('3'), amount: 999n } },
  ],
  [
    "chain: the token's transfer from vault to recipient",
    { transfer: { to: address('4'), amount: 1000n } },
  ],
  ["chain: the vault's log of this payment", { execution: null }],
  ["chain: the vault's log of this payment", { execution: { ...logged, amount: 999n } }],
  ['chain: the policy was configured', { policy: null }],
  [
    "chain: the approver's signature",
    { contractAnswers: [{ address: address('7'), accepts: false }] },
  ],
  ['chain: within the lifetime cap', { spentTotal: 9001n }],
  ['chain: within the lifetime cap', { spentTotal: null }],
  [
    'chain: the deadline that was sent',
    { directCall: { deadlineSeconds: DEADLINE - 1, sender: address('9') } },
  ],
])('%s does not hold where the chain says otherwise', (link, change) => {
  expect(failedLinks(change)).toContain(link)
})

/** Of a bundle that says the policy released the payment without a signature. */
const automaticLinks = async (requestedMode: string, automaticEnabled: boolean) => {
  const { revision, policy, payment, ...rest } = evidence({ amount: '500' })
  const automatic = {
    ...rest,
    revision: { ...revision, requestedMode },
    policy: { ...policy, automaticEnabled },
    payment: { ...payment, mode: 'automatic' },
    approval: null,
    approvals: [],
  } as PaidEvidence
  const failed = (await verifyEvidence(automatic)).filter(({ holds }) => !holds)
  return failed.map(({ link }) => link).filter((link) => link.startsWith('automatic'))
}

test('an automatic payment must be allowed by the policy and asked for', async () => {
  expect(await automaticLinks('automatic', true)).toEqual([])
  expect(await automaticLinks('automatic', false)).toEqual(['automatic payments allowed'])
  expect(await automaticLinks('approved', true)).toEqual(['automatic mode asked for'])
})
