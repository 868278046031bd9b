import { describe, expect, test } from 'vitest'
import { AppError } from '#platform/errors.ts'
import { type DeadlineQuestion, deadlineOf } from './approval-deadline.ts'

const now = new Date('2026-05-01T12:00:00.000Z')
const FAR = '2027-01-01T00:00:00.000Z'

const ask = (question: Partial<DeadlineQuestion> = {}) =>
  deadlineOf({
    ...{ now, policyExpiresAt: FAR, replacedFrom: null, deadlineSeconds: undefined },
    ...{ isShared: false, fixed: undefined },
    ...question,
  })

/** The code and message of the refusal. */
const refusalOf = (question: Partial<DeadlineQuestion>): [string, string] => {
  try {
    return ['accepted', ask(question)]
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return [error.code, error.message]
  }
}

describe('where one approver signs', () => {
  test('it is an hour from now, or the end of the policy', () => {
    expect(ask()).toBe('2026-05-01T13:00:00.000Z')
    expect(ask({ policyExpiresAt: '2026-05-01T12:30:00.000Z' })).toBe('2026-05-01T12:30:00.000Z')
  })

  test('approvals of others do not bind it', () => {
    const fixed = '2026-05-01T18:00:00.000Z'
    expect(ask({ fixed, deadlineSeconds: 60 })).toBe('2026-05-01T12:01:00.000Z')
  })

  test('a requested deadline after the policy is refused, not shortened', () => {
    const policyExpiresAt = '2026-05-01T12:30:00.000Z'
    const [code, message] = refusalOf({ policyExpiresAt, deadlineSeconds: 1_801 })
    expect(code).toBe('policy_violation')
    expect(message).toContain(policyExpiresAt)
    expect(ask({ policyExpiresAt, deadlineSeconds: 1_800 })).toBe(policyExpiresAt)
  })

  test('a policy in its last minute is refused', () => {
    const left = (policyExpiresAt: string) => refusalOf({ policyExpiresAt })
    expect(left('2026-05-01T12:00:59.000Z')[0]).toBe('accepted')
    expect(left('2026-05-01T12:00:58.000Z')).toEqual([
      'policy_violation',
      'The policy expires in less than a minute. Configure a new policy.',
    ])
  })
})

describe('where several approvers sign', () => {
  const isShared = true

  test('it is a day from now, or the end of the policy', () => {
    expect(ask({ isShared })).toBe('2026-05-02T12:00:00.000Z')
    const policyExpiresAt = '2026-05-01T14:00:00.000Z'
    expect(ask({ isShared, policyExpiresAt })).toBe(policyExpiresAt)
  })

  test('less than an hour is refused, because the others need time', () => {
    expect(ask({ isShared, deadlineSeconds: 3_600 })).toBe('2026-05-01T13:00:00.000Z')
    expect(refusalOf({ isShared, deadlineSeconds: 3_599 })).toEqual([
      'policy_violation',
      'Several approvers must sign. `deadlineSeconds` must be at least 3600.',
    ])
  })

  test('a policy in its last hour is refused', () => {
    const left = (policyExpiresAt: string) => refusalOf({ isShared, policyExpiresAt })
    expect(left('2026-05-01T12:59:59.000Z')[0]).toBe('accepted')
    expect(left('2026-05-01T12:59:58.000Z')).toEqual([
      'policy_violation',
      'The policy expires in less than an hour, and several approvers must sign. ' +
        'Configure a new policy.',
    ])
  })

  test('it is that of the other open approvals', () => {
    const fixed = '2026-05-01T12:00:30.000Z'
    expect(ask({ isShared, fixed })).toBe(fixed)
    expect(ask({ isShared, fixed: FAR, deadlineSeconds: undefined })).toBe(FAR)
  })

  test('asking for a different one is refused, and the refusal names it', () => {
    const fixed = '2026-05-01T18:00:00.000Z'
    expect(ask({ isShared, fixed, deadlineSeconds: 21_600 })).toBe(fixed)
    for (const deadlineSeconds of [21_599, 21_601, 60]) {
      const [code, message] = refusalOf({ isShared, fixed, deadlineSeconds })
      expect(code).toBe('state_conflict')
      expect(message).toContain(`share the deadline ${fixed}`)
    }
  })
})
