import { describe, expect, test } from 'vitest'
import {
  type Category,
  categoryOf,
  maySee,
  type NotificationViewer,
  notificationTtlSeconds,
  recipientsOf,
  routeOf,
  topicOf,
} from './notification.ts'

const event = (kind: string, targetState: string | null, code: string | null = null) => ({
  kind,
  targetState,
  code,
})

describe('notification categories', () => {
  test.each([
    ['expense.changed', 'needs_review', 'review_needed'],
    ['expense.changed', 'awaiting_approval', 'approval_needed'],
    ['expense.changed', 'revision_requested', 'revision_requested'],
    ['expense.changed', 'draft', undefined],
    ['expense.changed', 'paid', undefined],
    ['expense.changed', 'blocked', undefined],
    ['payment.changed', 'confirmed', 'payment_confirmed'],
    ['payment.changed', 'blocked', 'payment_blocked'],
    ['payment.changed', 'failed', 'payment_blocked'],
    ['payment.changed', 'queued', undefined],
    ['payment.changed', 'toString', undefined],
    ['support_case.changed', 'investigating', 'support_updated'],
    ['support_case.changed', null, 'support_updated'],
    ['agent_run.changed', 'needs_review', undefined],
    ['approval.changed', 'signed', undefined],
    ['integration.changed', 'active', undefined],
    ['service.changed', 'blocked', undefined],
  ] as const)('of %s to %s is %s', (kind, state, category) => {
    expect(categoryOf(event(kind, state))).toBe(category)
  })

  test('of a signature that was added asks the other approvers; a comment asks nobody', () => {
    const added = event('expense.changed', 'awaiting_approval', 'signature_added')
    expect(categoryOf(added)).toBe('approval_needed')
    const commented = event('expense.changed', 'awaiting_approval', 'commented')
    expect(categoryOf(commented)).toBeUndefined()
  })

  test.each([
    ['opened', undefined],
    ['noted', undefined],
    ['message_added', undefined],
    ['answered', 'support_updated'],
  ] as const)('of a support case with the code %s is %s', (code, category) => {
    expect(categoryOf(event('support_case.changed', 'open', code))).toBe(category)
  })

  test.each([
    ['wallet_export_completed', 'wallet_exported'],
    ['wallet_export_locked', 'wallet_export_locked'],
    ['wallet_export_requested', undefined],
    ['unrecorded_payment_found', 'payment_unrecorded'],
    ['unrecorded_payment_acknowledged', undefined],
    ['wallet_export_refused', undefined],
    ['webhook_disabled', 'webhook_disabled'],
    ['policy_proposed', 'policy_proposed'],
    ['policy_proposal_drift', 'policy_proposed'],
    ['policy_proposal_reopened', 'policy_proposed'],
    ['policy_activated', undefined],
    ['policy_vetoed', undefined],
    ['policy_configured', undefined],
    ['policy_drift', 'vault_changed'],
    ['policy_server_approver', 'vault_changed'],
    ['policy_paused', 'vault_changed'],
    ['policy_unpaused', undefined],
    ['approver_revoked', 'vault_changed'],
    ['recipients_changed', undefined],
    ['recipients_drift', 'vault_changed'],
    ['recipient_blocked', 'vault_changed'],
    ['recipient_unblocked', undefined],
    ['member_joined', undefined],
    ['member_role_changed', 'member_role_changed'],
    ['member_left', undefined],
  ] as const)('of an integration event with the code %s is %s', (code, category) => {
    expect(categoryOf(event('integration.changed', 'completed', code))).toBe(category)
  })

  test('a comment is no second request for a review', () => {
    expect(categoryOf(event('expense.changed', 'needs_review', 'commented'))).toBeUndefined()
  })

  test('a later change of a confirmed payment is no second confirmation', () => {
    const again = event('payment.changed', 'confirmed', 'expense_out_of_step')
    expect(categoryOf(again)).toBeUndefined()
  })
})

test.each([
  ['expense', '/organizations/o/expenses/a'],
  ['payment', '/organizations/o/payments/a'],
  ['support_case', '/organizations/o/support-cases/a'],
  ['integration', '/wallets'],
])('%s links to %s', (aggregateType, route) => {
  const about = { organizationId: 'o', aggregateType, aggregateId: 'a', code: null }
  expect(routeOf(about)).toBe(route)
})

test('a changed role leads to the members', () => {
  const about = { organizationId: 'o', aggregateType: 'integration', aggregateId: 'a' }
  expect(routeOf({ ...about, code: 'member_role_changed' })).toBe('/organizations/o/members/a')
})

test('an unrecorded payment leads to its own route', () => {
  const about = { organizationId: 'o', aggregateType: 'integration', aggregateId: 'a' }
  expect(routeOf({ ...about, code: 'unrecorded_payment_found' })).toBe(
    '/organizations/o/unrecorded-payments/a',
  )
})

test.each(['policy_proposed', 'policy_drift'])('%s leads to the vaults', (code) => {
  const about = { organizationId: 'o', aggregateType: 'integration', aggregateId: 'a' }
  expect(routeOf({ ...about, code })).toBe('/organizations/o/treasury')
})

const viewer = (
  accountId: string,
  role: NotificationViewer['role'],
  isApprover = false,
): NotificationViewer => ({
  accountId,
  membershipId: `${accountId} as member`,
  role,
  isApprover,
})

describe('recipients of a notification', () => {
  const members = [
    viewer('owner', 'owner'),
    viewer('manager', 'manager', true),
    viewer('employee', 'employee'),
    viewer('signer', 'employee', true),
  ]
  const told = (
    category: Category,
    accountId: string,
    among = members,
    signerIds: string[] | null = null,
  ) =>
    recipientsOf(category, {
      event: { accountId, aggregateId: `${accountId} as member`, signerIds },
      members: among,
    })

  test.each([
    ['review_needed', 'employee', ['owner', 'manager']],
    ['review_needed', 'manager', ['owner']],
    ['approval_needed', 'employee', ['manager', 'signer']],
    ['approval_needed', 'manager', ['signer']],
    ['revision_requested', 'employee', ['employee']],
    ['payment_confirmed', 'employee', ['employee']],
    ['payment_blocked', 'employee', ['owner', 'manager', 'employee']],
    ['payment_blocked', 'manager', ['owner', 'manager']],
    ['payment_unrecorded', 'nobody', ['owner', 'manager']],
    ['member_role_changed', 'employee', ['owner', 'employee']],
    ['member_role_changed', 'owner', ['owner']],
    ['support_updated', 'employee', ['employee']],
    ['wallet_exported', 'employee', ['employee', 'owner']],
    ['wallet_export_locked', 'owner', ['owner']],
    // The holder is notified of an export whether or not they are a member.
    ['wallet_exported', 'somebody', ['somebody', 'owner']],
    // No longer a member.
    ['payment_confirmed', 'somebody', []],
    ['payment_blocked', 'somebody', ['owner', 'manager']],
  ] as const)('of %s by %s are %j', (category, submitter, accounts) => {
    expect(told(category, submitter)).toEqual(accounts)
  })

  test('the only reviewer is notified of their own expense', () => {
    const alone = [viewer('owner', 'owner', true), viewer('employee', 'employee')]
    expect(told('review_needed', 'owner', alone)).toEqual(['owner'])
    expect(told('approval_needed', 'owner', alone)).toEqual(['owner'])
    expect(told('approval_needed', 'owner', [viewer('owner', 'owner')])).toEqual([])
  })

  test('approvers who have signed are not asked again', () => {
    expect(told('approval_needed', 'employee', members, ['manager'])).toEqual(['signer'])
    expect(told('approval_needed', 'employee', members, ['manager', 'signer'])).toEqual([])
  })

  test('the submitter is asked where everybody else has signed', () => {
    expect(told('approval_needed', 'manager', members, ['signer'])).toEqual(['manager'])
  })

  test('every recipient may see the subject of the notification', () => {
    for (const category of Object.keys(notificationTtlSeconds) as Category[]) {
      for (const { accountId } of members) {
        for (const one of told(category, accountId)) {
          const reader = members.find((member) => member.accountId === one) as NotificationViewer
          const event = { accountId, aggregateId: `${accountId} as member` }
          const seen = { event: { ...event, audience: 'both' as const }, viewer: reader }
          expect([category, accountId, one, maySee(category, seen)]).toEqual([
            ...[category, accountId, one, true],
          ])
        }
      }
    }
  })
})

describe('who may see a notification', () => {
  const see = (category: Category, reader: NotificationViewer, accountId = 'another') =>
    maySee(category, {
      event: { accountId, aggregateId: 'something', audience: 'both' },
      viewer: reader,
    })

  test('is everything for owners and managers, and their own for employees', () => {
    expect(see('payment_confirmed', viewer('o', 'owner'))).toBe(true)
    expect(see('payment_confirmed', viewer('m', 'manager'))).toBe(true)
    expect(see('payment_confirmed', viewer('e', 'employee'))).toBe(false)
    expect(see('payment_confirmed', viewer('e', 'employee'), 'e')).toBe(true)
  })

  test('an approver sees only what awaits a signature', () => {
    expect(see('approval_needed', viewer('e', 'employee', true))).toBe(true)
    expect(see('payment_blocked', viewer('e', 'employee', true))).toBe(false)
  })

  test('events for operators are hidden from members', () => {
    const hidden = { event: { accountId: 'o', aggregateId: 'a', audience: 'admin' as const } }
    expect(maySee('review_needed', { ...hidden, viewer: viewer('o', 'owner') })).toBe(false)
  })
})

test('a topic is unique per device and aggregate', () => {
  const thing = { subscriptionId: 's', aggregateType: 'expense', aggregateId: 'a' }
  expect(topicOf(thing)).toBe(topicOf({ ...thing }))
  expect(topicOf(thing)).toMatch(/^[\w-]{32}$/)
  const others = [{ subscriptionId: 't' }, { aggregateType: 'payment' }, { aggregateId: 'b' }]
  const topics = others.map((other) => topicOf({ ...thing, ...other }))
  expect(new Set([topicOf(thing), ...topics]).size).toBe(4)
})

describe.each(['policy_proposed', 'vault_changed'] as const)('%s', (category) => {
  const about = { accountId: null, aggregateId: 'v', signerIds: null, audience: 'both' } as const
  const members = [
    viewer('owner', 'owner'),
    viewer('manager', 'manager'),
    viewer('signing employee', 'employee', true),
    viewer('employee', 'employee'),
  ]

  test('reaches owners and approvers, whatever their role', () => {
    const reached = recipientsOf(category, { event: about, members })
    expect(reached).toEqual(['owner', 'signing employee'])
  })

  test('is visible to those whom it reaches', () => {
    const seers = members.filter((one) => maySee(category, { event: about, viewer: one }))
    expect(seers.map(({ accountId }) => accountId)).toEqual([
      ...['owner', 'manager', 'signing employee'],
    ])
  })
})
