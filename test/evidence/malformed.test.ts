/** Input that does not have the shape of evidence. */
import type { Evidence } from '@countersign/proof/evidence.ts'
import { shapeProblems } from '@countersign/proof/evidence-shape.ts'
import { describe, expect, test } from 'vitest'
import { useStage } from './stage.ts'

const stage = useStage()

describe('input that is not evidence', () => {
  const tier = (approvals: number) => ({ above: `${approvals}00`, approvals })
  const withTiers = (tiers: unknown) => (e: Evidence) => ({ ...e, policy: { ...e.policy, tiers } })
  const withProposal = (proposal: unknown) => (e: Evidence) => ({
    ...e,
    policy: { ...e.policy, proposal },
  })

  test.each<[string, (evidence: Evidence) => unknown, string]>([
    ['49: not an object', () => [], 'evidence must be an object'],
    ['50: another version', (e) => ({ ...e, version: 1 }), 'evidence.version must be 2'],
    ['51: a missing part', ({ asked: _asked, ...e }) => e, 'evidence.asked must be an object'],
    [
      '52: an empty `asked`',
      (e) => ({ ...e, asked: {} }),
      'evidence.asked.vaultAddress must be an address',
    ],
    [
      '53: a short hash',
      (e) => ({ ...e, report: { ...e.report, reportHash: '0x12' } }),
      'evidence.report.reportHash must be a hash',
    ],
    [
      '54: a hash in upper case',
      (e) => ({
        ...e,
        report: { ...e.report, reportHash: e.report.reportHash.toUpperCase().replace('X', 'x') },
      }),
      'evidence.report.reportHash must be a hash',
    ],
    [
      '55: an address with a wrong checksum',
      (e) => ({
        ...e,
        revision: {
          ...e.revision,
          vaultAddress: `0x${e.revision.vaultAddress.slice(2).toUpperCase()}`,
        },
      }),
      'evidence.revision.vaultAddress must be an address',
    ],
    [
      '56: an amount as a number',
      (e) => ({ ...e, revision: { ...e.revision, amountBaseUnits: 700 } }),
      'evidence.revision.amountBaseUnits must be base units',
    ],
    [
      '57: an amount with a leading zero',
      (e) => ({ ...e, revision: { ...e.revision, amountBaseUnits: '0700' } }),
      'evidence.revision.amountBaseUnits must be base units',
    ],
    [
      '58: an invalid deadline',
      (e) => ({ ...e, payment: { ...e.payment, deadline: 'soon' } }),
      'evidence.payment.deadline must be a UTC timestamp',
    ],
    [
      '59: an unknown mode',
      (e) => ({ ...e, payment: { ...e.payment, mode: 'manual' } }),
      'evidence.payment.mode must be approved or automatic',
    ],
    [
      '60: odd hex digits in the signature',
      (e) => ({ ...e, approval: { ...e.approval, signature: '0xabc' } }),
      'evidence.approval.signature must be 0x',
    ],
    [
      '61: approvers that are not a list',
      (e) => ({ ...e, policy: { ...e.policy, approverAddresses: 'all' } }),
      'evidence.policy.approverAddresses must be a list',
    ],
    [
      '84: no list of approvals',
      ({ approvals: _approvals, ...e }) => e,
      'evidence.approvals must be a list',
    ],
    [
      '85: nine approvals',
      (e) => ({ ...e, approvals: Array(9).fill(e.approval) }),
      'evidence.approvals must be a list of at most 8',
    ],
    [
      '86: an approval that is null',
      (e) => ({ ...e, approvals: [null] }),
      'evidence.approvals[0] must be an object',
    ],
    [
      '87: an approval with a short digest',
      (e) => ({ ...e, approvals: [...e.approvals, { ...e.approval, digest: '0x12' }] }),
      'evidence.approvals[1].digest must be a hash',
    ],
    [
      '88: digests that are no hashes',
      (e) => ({ ...e, asked: { ...e.asked, approvalDigests: ['0x12'] } }),
      'evidence.asked.approvalDigests must be a list of hashes',
    ],
    [
      '89: the one approver of an earlier version',
      (e) => ({ ...e, asked: { ...e.asked, approverAddresses: e.approval?.approverAddress } }),
      'evidence.asked.approverAddresses must be a list',
    ],
    [
      '90: no recipient',
      ({ recipient: _recipient, ...e }) => e,
      'evidence.recipient must be an object or null',
    ],
    [
      '91: a list of recipients without a number',
      (e) => ({ ...e, recipient: { ...e.recipient, recipientsVersion: 0 } }),
      'evidence.recipient.recipientsVersion must be a whole number from 1',
    ],
    [
      '92: a fraction of a period',
      (e) => ({ ...e, policy: { ...e.policy, periodSeconds: 0.5 } }),
      'evidence.policy.periodSeconds must be a whole number of seconds',
    ],
    [
      '93: a period cap that is null',
      (e) => ({ ...e, policy: { ...e.policy, periodCap: null } }),
      'evidence.policy.periodCap must be base units',
    ],
    ['94: a proposal without its transaction', withProposal({}), 'policy.proposal must be'],
    ['95: a proposal left out', withProposal(undefined), 'policy.proposal must be an object'],
    ['96: tiers that are no list', withTiers({}), 'policy.tiers must be a list of at most 4'],
    ['97: five tiers', withTiers([2, 3, 4, 5, 6].map(tier)), 'policy.tiers must be a list'],
    ['98: a tier of one approval', withTiers([tier(1)]), 'policy.tiers must be a list'],
    ['99: a tier of nine approvals', withTiers([tier(9)]), 'policy.tiers must be a list'],
    ['100: descending tiers', withTiers([tier(3), tier(2)]), 'ascending in both'],
    [
      '101: two tiers that begin together',
      withTiers([tier(2), { ...tier(3), above: '200' }]),
      'as',
    ],
    ['102: a tier above a number', withTiers([{ ...tier(2), above: 200 }]), 'policy.tiers must be'],
  ])('%s is reported with its field', (_name, change, problem) => {
    expect(shapeProblems(change(stage.honest))).toContainEqual(expect.stringContaining(problem))
  })
})
