import { describe, expect, it } from 'vitest'
import { anApproval, anExpense } from '../routes/expenses/testing.ts'
import { acceptedSignatures } from './accepted-signatures.ts'
import { periodNote } from './period-note.ts'
import { sharedDeadline, signaturesOf } from './signatures.ts'
import { tierOf } from './tiers.ts'

const two = { requiredApprovals: 2, state: 'awaiting_approval' as const }

describe('signatures of an expense', () => {
  it('count those of the current revision that still stand', () => {
    const approvals = [
      anApproval({ approvalId: 'a' }),
      anApproval({ approvalId: 'b', state: 'superseded' }),
      anApproval({ approvalId: 'c', expenseRevision: 2 }),
      anApproval({ approvalId: 'd', state: 'prepared', signedAt: null }),
      anApproval({ approvalId: 'e', state: 'prepared', signedAt: null, cancelled: true }),
    ]
    const { signed, open, missing } = signaturesOf(anExpense({ ...two, approvals }))
    expect(signed.map(({ approvalId }) => approvalId)).toEqual(['a'])
    expect(open.map(({ approvalId }) => approvalId)).toEqual(['d'])
    expect(missing).toBe(1)
  })

  it('are one where the service does not say, and never less than none missing', () => {
    expect(signaturesOf(anExpense())).toMatchObject({ required: 1, missing: 1 })
    const approvals = [anApproval(), anApproval({ approvalId: 'b' })]
    expect(signaturesOf(anExpense({ approvals })).missing).toBe(0)
  })
})

describe('signatures that the vault would take', () => {
  const now = new Date('2026-11-03T12:00:00.000Z')
  const { revision } = anExpense()
  const vault = (version: number) =>
    ({ id: revision.vaultId, policy: { version } }) as Parameters<typeof acceptedSignatures>[1]
  const ids = (about: Parameters<typeof anExpense>[0], version = 3) =>
    acceptedSignatures(anExpense(about), vault(version), now).map(({ approvalId }) => approvalId)

  it('include those that the service has set aside, until their deadline', () => {
    const approvals = [
      anApproval({ approvalId: 'signed' }),
      anApproval({ approvalId: 'set aside', state: 'superseded' }),
      anApproval({ approvalId: 'late', state: 'superseded', deadline: now.toISOString() }),
      anApproval({ approvalId: 'never signed', state: 'superseded', signedAt: null }),
      anApproval({ approvalId: 'invalidated', state: 'invalidated' }),
      anApproval({ approvalId: 'used', state: 'consumed' }),
    ]
    expect(ids({ approvals })).toEqual(['signed', 'set aside'])
  })

  it('end with the policy under which they were given', () => {
    expect(ids({ approvals: [anApproval()] }, 4)).toEqual([])
  })
})

describe('the shared deadline', () => {
  const now = Date.parse('2026-11-03T12:00:00.000Z')
  const { deadline } = anApproval()
  const of = (about: Parameters<typeof anExpense>[0], accountId = 'dana') =>
    sharedDeadline(anExpense(about), { accountId, now })

  it('is that of another signature or preparation', () => {
    expect(of({ ...two, approvals: [anApproval()] })).toBe(deadline)
    const open = anApproval({ state: 'prepared', signedAt: null })
    expect(of({ ...two, approvals: [open] })).toBe(deadline)
  })

  it('is free for the one who alone has begun, after it has passed, and for one signature', () => {
    expect(of({ ...two, approvals: [anApproval()] }, 'chidi')).toBeNull()
    const past = anApproval({ deadline: '2026-11-03T11:59:59.000Z' })
    expect(of({ ...two, approvals: [past] })).toBeNull()
    expect(of({ requiredApprovals: 1, approvals: [anApproval()] })).toBeNull()
  })
})

describe('the tier of an amount', () => {
  const tiers = [
    { above: '100', approvals: 2 },
    { above: '500', approvals: 3 },
  ]

  it('begins above its limit, and the highest counts', () => {
    expect(tierOf(tiers, '100')).toBeUndefined()
    expect(tierOf(tiers, '101')?.approvals).toBe(2)
    expect(tierOf(tiers, '500')?.approvals).toBe(2)
    expect(tierOf(tiers, '501')?.approvals).toBe(3)
    expect(tierOf([], '501')).toBeUndefined()
  })
})

describe('the room of a period', () => {
  const endsAt = '2026-11-18T00:00:00.000Z'
  const vault = {
    policy: { periodCap: '1000', automaticPeriodCap: '300' },
    period: { endsAt, remainingBaseUnits: '400', automaticRemainingBaseUnits: '100' },
  } as unknown as Parameters<typeof periodNote>[0]
  const of = (amountBaseUnits: string, isAutomatic = false) =>
    periodNote(vault, { amountBaseUnits, isAutomatic })

  it('says when there is room again, or that there never is', () => {
    expect(of('400')).toBeNull()
    expect(of('401')).toEqual({ kind: 'later', left: '400', from: endsAt })
    expect(of('1001')).toEqual({ kind: 'never', cap: '1000' })
    expect(of('100', true)).toBeNull()
    expect(of('101', true)).toEqual({ kind: 'later', left: '100', from: endsAt })
    expect(of('301', true)).toEqual({ kind: 'never', cap: '300' })
  })

  it('has room for what a first signature has set aside', () => {
    const isReserved = true
    expect(periodNote(vault, { amountBaseUnits: '900', isAutomatic: false, isReserved })).toBeNull()
  })

  it('is unlimited without a period', () => {
    expect(
      periodNote({ ...vault, period: null }, { amountBaseUnits: '9999', isAutomatic: false }),
    ).toBeNull()
  })
})
