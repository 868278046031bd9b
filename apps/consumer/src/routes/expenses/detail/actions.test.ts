import { expect, test, vi } from 'vitest'
import { acceptedSignatures } from '../../../approval/accepted-signatures.ts'
import type { Expense } from '../expense-types.ts'
import { aMember, anApproval, anExpense, PAYEE, walletOf } from '../testing.ts'
import { actionsOf, reviewChoices, type Situation } from './actions.ts'

vi.mock('@lingui/core/macro', () => ({ msg: (parts: readonly string[]) => ({ id: parts.join() }) }))

const members = [
  aMember('ana', { role: 'owner' }),
  aMember('chidi', { role: 'manager', isApprover: true }),
  aMember('ben'),
]
const NOW = new Date('2026-11-03T12:00:00.000Z')
const roles = { ana: 'owner', chidi: 'manager', ben: 'employee' } as const

const seen = (who: keyof typeof roles, expense: Partial<Expense>, about: Partial<Situation> = {}) =>
  actionsOf({
    expense: anExpense(expense),
    accepted: acceptedSignatures(anExpense(expense), null, NOW),
    accountId: who,
    role: roles[who],
    members,
    policyApprovers: [walletOf('chidi')],
    isReleaseManual: false,
    revisionsMax: 100,
    ...about,
  })

/** "Main*, on, (off: why: who)". */
const told = (...asked: Parameters<typeof seen>): string =>
  seen(...asked)
    .map(({ id, isMain, off }) =>
      off ? `(${id}: ${off.code}: ${off.who.join(' ')})` : `${id}${isMain ? '*' : ''}`,
    )
    .join(', ')

const off = (id: string, code: string, who = '') => `(${id}: ${code}: ${who})`
const bens = (...ids: string[]) => ids.map((id) => off(id, 'submitter_only', 'ben')).join(', ')

test.each([
  [
    'draft',
    'submit*, revise, cancel',
    bens('submit', 'revise', 'cancel'),
    bens('submit', 'revise', 'cancel'),
  ],
  ['analysis_queued', '', '', ''],
  ['analyzing', '', '', ''],
  [
    'needs_review',
    `${off('review', 'reviewers_only', 'ana chidi')}, revise, cancel`,
    `review*, ${bens('revise', 'cancel')}`,
    `review*, ${bens('revise', 'cancel')}`,
  ],
  ['revision_requested', 'revise*, cancel', bens('revise', 'cancel'), bens('revise', 'cancel')],
  [
    'awaiting_approval',
    `${off('sign', 'approvers_only', 'chidi')}, ${off('review', 'reviewers_only', 'ana chidi')}, revise, cancel`,
    `${off('sign', 'approvers_only', 'chidi')}, review*, ${bens('revise', 'cancel')}`,
    `sign*, review, ${bens('revise', 'cancel')}`,
  ],
  ['executing', '', '', ''],
  ['reconciling', off('reconcile', 'managers_only', 'ana chidi'), 'reconcile*', 'reconcile*'],
  ['paid', '', '', ''],
  ['rejected', '', '', ''],
  ['cancelled', '', '', ''],
] as const)('%s: the buttons of submitter, owner and approver', (state, ben, ana, chidi) => {
  expect(told('ben', { state })).toBe(ben)
  expect(told('ana', { state })).toBe(ana)
  expect(told('chidi', { state })).toBe(chidi)
})

test('a payment is released by hand where releases are manual', () => {
  const state = 'approved_ready_for_payment'
  const approvals = [anApproval()]
  expect(told('ana', { state, approvals }, { isReleaseManual: true })).toBe('release*, invalidate')
  expect(told('chidi', { state, approvals })).toBe('invalidate*')
  expect(told('ben', { state, approvals }, { isReleaseManual: true })).toBe(
    `${off('release', 'managers_only', 'ana chidi')}, ${off('invalidate', 'owner_or_approver_only', 'ana chidi')}`,
  )
  expect(told('ana', { state: 'automatic_ready_for_payment' })).toBe('')
})

test('a signature that the service has set aside can still be invalidated at the vault', () => {
  const aside = { state: 'cancelled', approvals: [anApproval({ state: 'superseded' })] } as const
  expect(told('ana', { ...aside, approvals: [...aside.approvals] })).toBe('invalidate*')
  const paid = { state: 'paid', approvals: [anApproval()] } as const
  expect(told('ana', { ...paid, approvals: [...paid.approvals] })).toBe('')
})

test('the way out of a block depends on its code', () => {
  const state = 'blocked'
  expect(told('ben', { state, blockCode: 'analysis_failed' })).toBe(
    `submit*, ${off('review', 'reviewers_only', 'ana chidi')}, revise, cancel`,
  )
  expect(told('ana', { state, blockCode: 'policy_paused' })).toBe(
    `release*, review, ${bens('revise', 'cancel')}`,
  )
  expect(told('ana', { state, blockCode: 'payment_already_executed' })).toBe(
    `reconcile*, review, ${bens('revise', 'cancel')}`,
  )
  expect(told('ana', { state, blockCode: 'signature_not_authentic' })).not.toContain('release')
})

test('submitters decide only where nobody else can', () => {
  const state = 'needs_review'
  const own = { state, submitterAccountId: 'ana' } as const
  expect(told('ana', own)).toContain(off('review', 'own_expense', 'chidi'))
  expect(told('ana', own, { members: [members[0] as never, members[2] as never] })).toContain(
    'review*',
  )
  const signing = { state: 'awaiting_approval', submitterAccountId: 'chidi' } as const
  expect(told('chidi', signing)).toContain('sign*')
  const two = [...members, aMember('dora', { isApprover: true })]
  const policyApprovers = [walletOf('chidi'), walletOf('dora').toUpperCase().replace('0X', '0x')]
  expect(told('chidi', signing, { members: two, policyApprovers })).toContain(
    off('sign', 'own_expense', 'dora'),
  )
})

test('where two must sign, each signs once, and the others are named', () => {
  const three = [
    ...members,
    aMember('dora', { isApprover: true }),
    aMember('emil', { isApprover: true }),
  ]
  const policyApprovers = ['chidi', 'dora', 'emil'].map(walletOf)
  const about = { members: three, policyApprovers }
  const two = { state: 'awaiting_approval', requiredApprovals: 2 } as const
  const signed = { ...two, approvals: [anApproval()] }
  expect(told('ben', two, about)).toContain(off('sign', 'approvers_only', 'chidi dora emil'))
  expect(told('ben', signed, about)).toContain(off('sign', 'approvers_only', 'dora emil'))
  expect(told('chidi', signed, about)).toContain(off('sign', 'already_signed', 'dora emil'))
  expect(told('chidi', signed, about)).toMatch(/review\*, .*, invalidate$/)
  expect(told('ben', signed, about)).toContain(
    off('invalidate', 'owner_or_approver_only', 'ana chidi'),
  )
})

test('a submitter is one of two signers only where the others are too few', () => {
  const own = {
    state: 'awaiting_approval',
    requiredApprovals: 2,
    submitterAccountId: 'chidi',
  } as const
  const dora = aMember('dora', { isApprover: true })
  const emil = aMember('emil', { isApprover: true })
  const policyApprovers = ['chidi', 'dora', 'emil'].map(walletOf)
  const few = { members: [...members, dora], policyApprovers }
  expect(told('chidi', own, few)).toContain('sign*')
  const enough = { members: [...members, dora, emil], policyApprovers }
  expect(told('chidi', own, enough)).toContain(off('sign', 'own_expense', 'dora emil'))
  const signed = { ...own, approvals: [anApproval({ accountId: 'dora' })] }
  expect(told('chidi', signed, enough)).toContain(off('sign', 'own_expense', 'emil'))
})

test('whoever is paid decides nothing', () => {
  const paid = [...members.slice(0, 1), aMember('chidi', { role: 'manager', address: PAYEE })]
  expect(told('chidi', { state: 'needs_review' }, { members: paid })).toContain(
    off('review', 'paid_to_you', 'ana'),
  )
})

test('a wallet that the policy does not list cannot sign', () => {
  const state = 'awaiting_approval'
  expect(told('chidi', { state }, { policyApprovers: [] })).toContain(off('sign', 'not_in_policy'))
  expect(told('chidi', { state }, { policyApprovers: null })).toContain('sign*')
})

test('the hundredth revision is the last', () => {
  expect(told('ben', { state: 'draft' }, { revisionsMax: 1 })).toContain(
    off('revise', 'too_many_revisions'),
  )
})

test('what has no report cannot go on to a signature', () => {
  expect(reviewChoices({ state: 'needs_review', currentReportId: 'r' })).toContain(
    'advance_to_approval',
  )
  expect(reviewChoices({ state: 'blocked', currentReportId: null })).not.toContain(
    'advance_to_approval',
  )
})
