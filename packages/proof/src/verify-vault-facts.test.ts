import { describe, expect, test } from 'vitest'
import type { Evidence } from './evidence.ts'
import type { PeriodFacts, PolicyFacts, ProposalFacts, TransactionFacts } from './payment-facts.ts'
import { secondsToTimestamp } from './values.ts'
import type { Finding } from './verify-evidence.ts'
import {
  approverFindings,
  periodFindings,
  proposalFindings,
  recipientFindings,
} from './verify-vault-facts.ts'

const address = (digit: string): string => `0x${digit.repeat(40)}`
const hash = (digit: string): string => `0x${digit.repeat(64)}`

const [RECIPIENT, EXECUTOR] = [address('3'), address('9')]
const APPROVERS = ['5', '6', '7'].map(address)
const NOW = 1_900_000_000
const place = { blockNumber: 9, blockHash: hash('d'), canonicalHash: hash('d'), timeSeconds: NOW }

const failed = (findings: Finding[]): string[] =>
  findings.flatMap(({ link, holds }) => (holds ? [] : [link]))

type Terms = Partial<PolicyFacts['policy']>

const policyOf = (terms: Terms = {}, version = 2): PolicyFacts =>
  ({
    ...place,
    isEarlier: true,
    version,
    proposalId: hash('1'),
    policy: {
      executorAddress: EXECUTOR,
      approverAddresses: APPROVERS,
      tiers: [
        { above: 600n, approvals: 2 },
        { above: 900n, approvals: 3 },
      ],
      periodSeconds: 3_600,
      periodCap: 2_000n,
      automaticPeriodCap: 800n,
      ...terms,
    },
  }) as PolicyFacts

const before = { allowedFromSeconds: NOW, isBlocked: false, approverAddresses: APPROVERS }

type Paid = { amount?: string; mode?: 'approved' | 'automatic' }

const bundle = ({ amount = '700', mode = 'approved' }: Paid = {}): Evidence =>
  ({
    revision: { amountBaseUnits: amount, recipientAddress: RECIPIENT },
    recipient: {
      recipientsVersion: 4,
      allowedFrom: secondsToTimestamp(NOW),
      transactionHash: hash('a'),
    },
    payment: { mode, chainPaymentId: hash('2') },
  }) as Evidence

const factsWith = (facts: Partial<TransactionFacts>): TransactionFacts =>
  ({ ...place, blockNumber: 10, policy: policyOf(), before, ...facts }) as TransactionFacts

describe('approvers', () => {
  const COUNT = 'chain: as many approvers as the amount needs'
  const signed = (signers: string[], amount = '700', facts: Partial<TransactionFacts> = {}) => {
    const execution = { approverAddresses: signers } as TransactionFacts['execution']
    return failed(approverFindings(bundle({ amount }), factsWith({ execution, ...facts })))
  }

  test.each<[string, number]>([
    ['1', 1],
    ['600', 1],
    ['601', 2],
    ['900', 2],
    ['901', 3],
  ])('an amount of %s needs %d', (amount, needed) => {
    expect(signed(APPROVERS.slice(0, needed), amount)).toEqual([])
    expect(signed(APPROVERS.slice(0, needed - 1), amount)).toContain(COUNT)
    const more = signed([...APPROVERS, address('8')].slice(0, needed + 1), amount)
    expect(more).toContain(COUNT)
  })

  test('one that counts twice is not enough', () => {
    const [one = ''] = APPROVERS
    expect(signed([one, one])).toEqual([COUNT])
  })

  test('one that the policy does not list is refused', () => {
    expect(signed([address('5'), address('8')])).toEqual([
      'chain: approvers in the policy',
      'chain: no approver was revoked',
    ])
  })

  test('one that was revoked, or an unknown state, is refused', () => {
    const link = 'chain: no approver was revoked'
    const left = { ...before, approverAddresses: [address('5')] }
    expect(signed(APPROVERS.slice(0, 2), '700', { before: left })).toEqual([link])
    expect(signed(APPROVERS.slice(0, 2), '700', { before: null })).toEqual([link])
  })

  test('no log has no approvers, and automatic payments have none', () => {
    expect(failed(approverFindings(bundle(), factsWith({ execution: null })))).toContain(COUNT)
    expect(approverFindings(bundle({ mode: 'automatic' }), factsWith({}))).toEqual([])
  })
})

describe('a recipient', () => {
  const listing = {
    ...place,
    isEarlier: true,
    recipientsVersion: 4,
    allowedFromSeconds: NOW,
    isAdded: true,
  }
  const found = (facts: Partial<TransactionFacts>) =>
    failed(recipientFindings(bundle(), factsWith({ recipient: listing, ...facts })))
  const ALLOWED = 'chain: the recipient was allowed'
  const KEPT = 'chain: the recipient was neither removed nor blocked'
  const ROLE = 'chain: the recipient had no role'

  test('may be paid from the second in which it is allowed, not before', () => {
    expect(found({ timeSeconds: NOW })).toEqual([])
    expect(found({ timeSeconds: NOW - 1 })).toEqual([ALLOWED])
  })

  test.each<[string, object]>([
    ['after the payment', { isEarlier: false }],
    ['with another number', { recipientsVersion: 5 }],
    ['with another moment', { allowedFromSeconds: NOW - 1 }],
    ['that did not add it', { isAdded: false }],
    ['in a block that was replaced', { canonicalHash: hash('e') }],
  ])('is not allowed by a log %s', (_name, change) => {
    expect(found({ recipient: { ...listing, ...change } })).toEqual([ALLOWED])
  })

  test('is not allowed without a log', () => {
    expect(found({ recipient: null })).toEqual([ALLOWED])
    const silent = { ...bundle(), recipient: null }
    expect(failed(recipientFindings(silent, factsWith({ recipient: listing })))).toEqual([ALLOWED])
  })

  test('that was blocked, removed or listed again is refused', () => {
    expect(found({ before: { ...before, isBlocked: true } })).toEqual([KEPT])
    expect(found({ before: { ...before, allowedFromSeconds: 0 } })).toEqual([KEPT])
    expect(found({ before: { ...before, allowedFromSeconds: NOW + 1 } })).toEqual([KEPT])
    expect(found({ before: null })).toEqual([KEPT, ROLE])
  })

  test('that is the executor or still an approver is refused', () => {
    expect(found({ policy: policyOf({ executorAddress: RECIPIENT }) })).toEqual([ROLE])
    const asApprover = { ...before, approverAddresses: [...APPROVERS, RECIPIENT] }
    expect(found({ before: asApprover })).toEqual([ROLE])
    const listed = policyOf({ approverAddresses: [...APPROVERS, RECIPIENT] })
    expect(found({ policy: listed })).toEqual([])
  })
})

describe('a proposal', () => {
  const DELAY = 3_600
  const WEEK = 604_800
  const stated = { id: hash('1'), transactionHash: hash('a'), activatesAt: secondsToTimestamp(NOW) }
  const waiting = { proposalId: hash('1'), activatesAtSeconds: NOW }
  const proposal: ProposalFacts = {
    ...place,
    timeSeconds: NOW - DELAY,
    isEarlier: true,
    proposalId: hash('1'),
    expectedVersion: 1,
    activatesAtSeconds: NOW,
    waiting,
  }
  const vault = { changeDelaySeconds: DELAY } as TransactionFacts['vault']

  const found = (change: Partial<ProposalFacts> | null, facts: Partial<TransactionFacts> = {}) =>
    proposalFindings(
      { ...bundle(), policy: { proposal: stated } } as Evidence,
      factsWith({ vault, proposal: change && { ...proposal, ...change }, ...facts }),
    )
  const inForceAt = (timeSeconds: number) => ({ policy: { ...policyOf(), timeSeconds } })

  test('that waited exactly as long as the vault asks for holds, a second less does not', () => {
    expect(failed(found({}))).toEqual([])
    expect(found({}, inForceAt(NOW - 1))[0]?.detail).toContain('waited less than 3600')
  })

  test('holds until a week after it could be activated', () => {
    expect(failed(found({}, inForceAt(NOW + WEEK - 1)))).toEqual([])
    expect(found({}, inForceAt(NOW + WEEK))[0]?.detail).toContain('was void')
  })

  test.each<[string, Partial<ProposalFacts> | null, string]>([
    ['is not in its transaction', null, 'no log of the proposal'],
    ['is in a block that was replaced', { canonicalHash: hash('e') }, 'was replaced'],
    ['has another id', { proposalId: hash('4') }, 'differs from the bundle'],
    ['has another moment', { activatesAtSeconds: NOW + 1 }, 'differs from the bundle'],
    ['replaces another version', { expectedVersion: 0 }, 'another policy'],
    ['came after the policy', { isEarlier: false }, 'did not wait'],
    ['was vetoed', { waiting: null }, 'did not wait'],
    ['was replaced', { waiting: { ...waiting, proposalId: hash('5') } }, 'did not wait'],
    ['was renewed', { waiting: { ...waiting, activatesAtSeconds: NOW + 1 } }, 'did not wait'],
    ['was logged later than it says', { timeSeconds: NOW - DELAY + 1 }, 'waited less'],
  ])('that %s is refused', (_name, change, detail) => {
    const [finding] = found(change)
    expect(finding).toMatchObject({ holds: false, detail: expect.stringContaining(detail) })
  })

  test('of another policy than came into force is refused', () => {
    const [finding] = found({}, { policy: { ...policyOf(), proposalId: hash('4') } })
    expect(finding?.detail).toBe('another policy was proposed')
  })

  test('must be named exactly where a policy has to wait', () => {
    const without = (facts: Partial<TransactionFacts>) =>
      failed(
        proposalFindings(
          { ...bundle(), policy: { proposal: null } } as Evidence,
          factsWith({ vault, proposal: null, ...facts }),
        ),
      )
    const atOnce = { changeDelaySeconds: 0 } as TransactionFacts['vault']
    expect(without({})).toEqual(['chain: the policy waited'])
    expect(without({ vault: atOnce })).toEqual([])
    expect(without({ policy: policyOf({}, 1) })).toEqual([])
    expect(failed(found({}, { vault: atOnce }))).toEqual(['chain: the policy waited'])
    expect(failed(found({}, { policy: policyOf({}, 1) }))).toEqual(['chain: the policy waited'])
  })
})

describe('a period', () => {
  const TOTAL = 'chain: within the period'
  const AUTOMATIC = 'chain: automatic payments within the period'
  const COMPLETE = 'chain: no payment of the period is missing'

  /** In chain order; the last is this payment. */
  const periodWith = (...amounts: [bigint, 'approved' | 'automatic'][]): PeriodFacts => {
    let spentTotal = 5_000n
    const payments = amounts.map(([amount, mode], index) => {
      spentTotal += amount
      const chainPaymentId = index === amounts.length - 1 ? hash('2') : hash('4')
      return { amount, mode, spentTotal, chainPaymentId }
    })
    return { policies: [], countedSince: NOW - 60, spentBefore: 5_000n, payments }
  }
  const found = (period: PeriodFacts | null, paid: Paid = {}, terms: Terms = {}) =>
    failed(
      periodFindings(
        bundle(paid),
        factsWith({
          period,
          policy: policyOf(terms),
          spentTotal: period?.payments.at(-1)?.spentTotal ?? null,
        }),
      ),
    )

  test('holds up to both caps, and not one unit above', () => {
    expect(found(periodWith([1_300n, 'approved'], [700n, 'approved']))).toEqual([])
    expect(found(periodWith([1_301n, 'approved'], [700n, 'approved']))).toEqual([TOTAL])
    const automatic = { mode: 'automatic' } as const
    expect(found(periodWith([100n, 'automatic'], [700n, 'automatic']), automatic)).toEqual([])
    const above = periodWith([101n, 'automatic'], [700n, 'automatic'])
    expect(found(above, automatic)).toEqual([AUTOMATIC])
  })

  test('ignores automatic sums for an approved payment, as the vault does', () => {
    expect(found(periodWith([900n, 'automatic'], [700n, 'approved']))).toEqual([])
  })

  test('is not checked for a policy without one, and refused if unknown', () => {
    expect(found(null, {}, { periodSeconds: 0 })).toEqual([])
    expect(found(null)).toEqual([TOTAL])
  })

  test('names an earlier start if sums were carried over from before it', () => {
    const [start, period] = [NOW - (NOW % 3_600), periodWith([700n, 'approved'])]
    const detail = (countedSince: number) =>
      periodFindings(bundle(), factsWith({ period: { ...period, countedSince } }))[0]?.detail
    expect(detail(start)).not.toContain('since')
    expect(detail(start - 1)).toContain('since')
  })

  test('with a gap, without this payment, or with a wrong sum is incomplete', () => {
    const all = periodWith([100n, 'approved'], [200n, 'approved'], [300n, 'approved'])
    const [first, second, last] = all.payments
    if (!first || !second || !last) throw new Error('There are no three payments')
    expect(found(all)).toEqual([])
    expect(found({ ...all, payments: [first, last] })).toEqual([COMPLETE])
    expect(found({ ...all, payments: [second, last] })).toEqual([COMPLETE])
    expect(found({ ...all, spentBefore: 4_999n })).toEqual([COMPLETE])
    expect(found({ ...all, payments: [first, second] })).toEqual([COMPLETE])
    expect(found({ ...all, payments: [] })).toEqual([COMPLETE])
    const wrong = { ...first, spentTotal: 99n }
    expect(found({ ...all, payments: [wrong, second, last] })).toEqual([COMPLETE])
    const more = factsWith({ period: all, spentTotal: last.spentTotal + 1n })
    expect(failed(periodFindings(bundle(), more))).toEqual([COMPLETE])
  })
})
