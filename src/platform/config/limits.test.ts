import { describe, expect, test } from 'vitest'
import { readLimits } from './limits.ts'

describe('the limits', () => {
  test('have defaults: ten caps a day, forty a week, half for one recipient, after a week', () => {
    expect(readLimits({})).toEqual({
      automatic: {
        dayTimes: 10,
        weekTimes: 40,
        recipientPercent: 50,
        afterDays: 7,
        reimbursementMax: 0n,
      },
      organizationJoin: 'open',
      quotas: {
        organizationsPerAccount: 20,
        serverWalletsPerAccount: 20,
        serverWalletsPerOrganization: 50,
        executorsPerOrganization: 10,
        invitationsPerOrganization: 20,
        webhooksPerOrganization: 10,
      },
    })
  })

  test('are read exactly', () => {
    const limits = readLimits({
      AUTOMATIC_DAY_TIMES: '3',
      AUTOMATIC_RECIPIENT_PERCENT: '100',
      AUTOMATIC_AFTER_DAYS: '0',
      REIMBURSEMENT_AUTOMATIC_MAX_BASE_UNITS: '25000000',
      ORGANIZATION_JOIN: 'owner_confirms',
      EXECUTORS_PER_ORGANIZATION: '1',
    })
    expect(limits.automatic).toMatchObject({ dayTimes: 3, recipientPercent: 100, afterDays: 0 })
    expect(limits.automatic.reimbursementMax).toBe(25_000_000n)
    expect(limits.organizationJoin).toBe('owner_confirms')
    expect(limits.quotas.executorsPerOrganization).toBe(1)
  })

  test.each([
    ['AUTOMATIC_DAY_TIMES', '0'],
    ['AUTOMATIC_WEEK_TIMES', '-1'],
    ['AUTOMATIC_RECIPIENT_PERCENT', '101'],
    ['AUTOMATIC_RECIPIENT_PERCENT', '0'],
    ['AUTOMATIC_AFTER_DAYS', 'soon'],
    ['REIMBURSEMENT_AUTOMATIC_MAX_BASE_UNITS', '1.5'],
    ['REIMBURSEMENT_AUTOMATIC_MAX_BASE_UNITS', '-1'],
    ['REIMBURSEMENT_AUTOMATIC_MAX_BASE_UNITS', (2n ** 128n).toString()],
    ['ORGANIZATION_JOIN', 'closed'],
    ['ORGANIZATIONS_PER_ACCOUNT', '0'],
    ['INVITATIONS_PER_ORGANIZATION', 'many'],
  ])('%s=%s is refused in one clear line', (name, value) => {
    expect(() => readLimits({ [name]: value })).toThrow(`${name} must be`)
  })
})
