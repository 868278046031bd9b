import { canonicalHash, chainPaymentIdOf, organizationHash } from '@countersign/proof/digest.ts'
import { digestOf } from '@countersign/proof/typed-data.ts'
import { timestampToSeconds } from '@countersign/proof/values.ts'
import { versionHashOf } from '@countersign/proof/version-hash.ts'
import { describe, expect, test } from 'vitest'
import { FORGERY_CODES } from '#payments/payment.ts'
import type { PaymentRow } from '#payments/payments.store.ts'
import { sealAuthorization, sealReport } from '#payments/worker-mac.ts'
import type { MacKey } from '#platform/secrets.ts'
import type { Authority, AuthorityApproval } from './authority.store.ts'
import { authorityRefusal } from './authority.ts'

const id = (n: number): string => `0198a000-0000-7000-8000-00000000000${n}`
const address = (digit: string): string => `0x${digit.repeat(40)}`
const hash = (digit: string): string => `0x${digit.repeat(64)}`

const EXECUTOR = address('e')
const DEADLINE = '2026-05-01T12:00:00.000Z'
const EARLIER = '2026-05-01T11:59:59.999Z'
const key: MacKey = { id: 'a', key: new Uint8Array(32).fill(1) }
const otherKey: MacKey = { id: 'b', key: new Uint8Array(32).fill(2) }

type Mode = PaymentRow['mode']
type Change = { payment?: Partial<PaymentRow>; authority?: Partial<Authority> }

/** Rows as the service writes them: every hash, digest and MAC is computed from the others. */
function rows(
  mode: Mode,
  requestedMode: Mode = mode,
  required = 2,
): { payment: PaymentRow; authority: Authority } {
  const [organizationId, expenseId, vaultId] = [id(1), id(2), id(3)]
  const salt = Buffer.alloc(32, 7)
  const paid = { vaultAddress: address('1'), chainId: 31_337, tokenAddress: address('2') }
  const terms = { recipientAddress: address('3'), amount: 1_000n, requestedMode, purpose: 'Toner' }
  const versioned = { organizationId, expenseId, revision: 4, vaultId, ...paid, ...terms }
  const expenseVersionHash = versionHashOf(versioned)
  const organization = organizationHash({ organizationId, salt })
  const named = { chainId: paid.chainId, organizationHash: organization, paymentId: id(4) }
  const reportOutput = { verdict: 'clean' }
  const content = {
    ...paid,
    organizationHash: organization,
    ...{ chainPaymentId: chainPaymentIdOf(named), recipientAddress: terms.recipientAddress },
    ...{ amount: terms.amount, policyVersion: 6, reportHash: canonicalHash(reportOutput) },
    ...{ expenseVersionHash, deadlineSeconds: timestampToSeconds(DEADLINE) },
  }
  const isSigned = mode === 'approved'
  const signers = isSigned ? Array.from({ length: required }, (_, n) => n) : []
  const signatures = signers.map((n) => {
    const own = { approvalId: id(5 + n), approverAddress: address(String(4 + n)) }
    const signed = { digest: digestOf({ ...content, ...own }), signature: `0x5${n}` }
    return { ...own, accountId: id(8 - n), ...signed }
  })
  const payment = {
    ...{ id: id(4), organizationId, expenseId, expenseRevision: 4, expenseVersionHash, vaultId },
    ...{ chainPaymentId: content.chainPaymentId, mode, recipientAddress: terms.recipientAddress },
    ...{ tokenAddress: paid.tokenAddress, amount: terms.amount, policyVersion: 6 },
    ...{ reportHash: content.reportHash, deadline: DEADLINE },
    approvalId: signatures.at(-1)?.approvalId ?? null,
    approvalDigest: signatures.at(-1)?.digest ?? null,
    requiredApprovals: signatures.length,
    signatures,
  } as PaymentRow
  const sealed = { ...payment, revision: 4, versionHash: expenseVersionHash }
  const [report, authorised] = [
    sealReport({ current: key }, sealed),
    sealAuthorization({ current: key }, sealed),
  ]
  const authority: Authority = {
    ...{ paymentId: id(4), currentRevision: 4, revision: 4, ...terms, ...paid },
    ...{ attachments: null, category: null, reference: null, dueDate: null },
    ...{ versionHash: expenseVersionHash, isRecipientActive: true, isVaultUsable: true },
    ...{ policyVersion: 6, policyExecutor: EXECUTOR, salt, reportOutput },
    ...{ reportMac: report.mac, reportMacKeyId: report.keyId },
    paymentMac: isSigned ? null : authorised.mac,
    paymentMacKeyId: isSigned ? null : authorised.keyId,
    approvals: signatures.map((one) => {
      const standing = { isCancelled: false, isRoleActive: true, isAllowed: true }
      return { ...one, ...standing, state: 'signed' }
    }),
    tiers: [
      { above: '999', approvals: 2 },
      { above: '5000', approvals: 3 },
    ],
    ...{ paidByVaultId: null, readAt: EARLIER },
  }
  return { payment, authority }
}

function refusalOf(mode: Mode, { payment = {}, authority = {} }: Change = {}, asked = {}) {
  const made = rows(mode)
  return authorityRefusal({
    payment: { ...made.payment, ...payment },
    authority: { ...made.authority, ...authority },
    executorAddress: EXECUTOR,
    now: EARLIER,
    acceptedKeys: [otherKey, key],
    ...asked,
  })
}

const modes: readonly Mode[] = ['approved', 'automatic']

describe.each(modes)('%s', (mode) => {
  test('rows as the service writes them are paid', () => {
    expect(refusalOf(mode)).toBeUndefined()
  })

  test.each<[string, Change, string]>([
    ['an unusable vault', { authority: { isVaultUsable: false } }, 'vault_archived'],
    ['an inactive recipient', { authority: { isRecipientActive: false } }, 'recipient_deactivated'],
    [
      'a policy of another executor',
      { authority: { policyExecutor: address('f') } },
      'executor_mismatch',
    ],
    ['a newer policy', { authority: { policyVersion: 7 } }, 'approval_superseded'],
    ['another vault that paid', { authority: { paidByVaultId: id(9) } }, 'paid_by_another_vault'],
    ['this vault that paid', { authority: { paidByVaultId: id(3) } }, 'payment_already_executed'],
    ['a report that nobody sealed', { authority: { reportMac: null } }, 'report_not_authentic'],
  ])('%s is refused', (_name, change, code) => {
    expect(refusalOf(mode, change)).toBe(code)
  })

  test('its deadline ends it at the very instant', () => {
    const code = mode === 'approved' ? 'approval_expired' : 'deadline_passed'
    expect(refusalOf(mode, {}, { now: EARLIER })).toBeUndefined()
    expect(refusalOf(mode, {}, { now: DEADLINE })).toBe(code)
  })

  test.each<[string, Change]>([
    ['a newer revision of the expense', { authority: { currentRevision: 5 } }],
    ['another version hash in the payment', { payment: { expenseVersionHash: hash('9') } }],
    ['another version hash in the revision', { authority: { versionHash: hash('9') } }],
    ['another amount in the payment', { payment: { amount: 1_001n } }],
    ['another amount in the revision', { authority: { amount: 1_001n } }],
    ['another recipient in the payment', { payment: { recipientAddress: address('9') } }],
    ['another recipient in the revision', { authority: { recipientAddress: address('9') } }],
    ['another purpose', { authority: { purpose: 'Ink' } }],
    [
      'another requested mode',
      { authority: { requestedMode: mode === 'approved' ? 'automatic' : 'approved' } },
    ],
    ['an attachment', { authority: { attachments: [hash('9').slice(2)] } }],
    ['a category', { authority: { category: '6670' } }],
    ['a reference', { authority: { reference: 'INV-1' } }],
    ['a due date', { authority: { dueDate: '2026-12-31' } }],
    ['another token in the payment', { payment: { tokenAddress: address('9') } }],
    ['another token of the vault', { authority: { tokenAddress: address('9') } }],
    ['another id on the chain', { payment: { chainPaymentId: hash('9') } }],
    ['another salt', { authority: { salt: Buffer.alloc(32, 8) } }],
    ['another report', { authority: { reportOutput: { verdict: 'other' } } }],
    ['another report hash', { payment: { reportHash: hash('9') } }],
    ['a digest of something else', { payment: { approvalDigest: hash('9') } }],
    ['another first approval', { payment: { approvalId: id(9) } }],
    ['another vault address', { authority: { vaultAddress: address('9') } }],
  ])('%s does not match the evidence', (_name, change) => {
    expect(refusalOf(mode, change)).toBe('evidence_mismatch')
  })

  test('forged rows are reported even where the vault has paid', () => {
    const paidByVaultId = id(3)
    const forged = { payment: { reportHash: hash('9') }, authority: { paidByVaultId } }
    expect(refusalOf(mode, forged)).toBe('evidence_mismatch')
    const unsealed = { authority: { paidByVaultId, reportMacKeyId: 'unknown' } }
    expect(refusalOf(mode, unsealed)).toBe('report_not_authentic')
  })
})

test('a payment that was asked to be signed is never automatic', () => {
  const { payment, authority } = rows('automatic', 'approved')
  const asked = { executorAddress: EXECUTOR, now: EARLIER, acceptedKeys: [key] }
  expect(authorityRefusal({ payment, authority, ...asked })).toBe('evidence_mismatch')
})

test('a payment that may be automatic may be signed as well', () => {
  const { payment, authority } = rows('approved', 'automatic')
  const asked = { executorAddress: EXECUTOR, now: EARLIER, acceptedKeys: [key] }
  expect(authorityRefusal({ payment, authority, ...asked })).toBeUndefined()
})

/** The rows of a payment that two have signed, with a change to the approval of one of them. */
function refusalWith(change: Partial<AuthorityApproval>, index: number) {
  const { approvals } = rows('approved').authority
  const changed = approvals.map((one, at) => (at === index ? { ...one, ...change } : one))
  return refusalOf('approved', { authority: { approvals: changed } })
}

describe.each([0, 1])('of two approvals, number %i', (index) => {
  test.each<[string, Partial<AuthorityApproval>, string]>([
    ['a revoked role', { isRoleActive: false }, 'approver_revoked'],
    ['no role', { isRoleActive: null }, 'approver_revoked'],
    ['an approver not in the policy', { isAllowed: false }, 'approver_not_allowed'],
    ['no policy', { isAllowed: null }, 'approver_not_allowed'],
    ['a cancelled approval', { isCancelled: true }, 'approval_cancelled'],
    ['an invalidated approval', { state: 'invalidated' }, 'approval_invalidated'],
    ['a prepared approval', { state: 'prepared' }, 'approval_prepared'],
    ['another signature', { signature: '0x99' }, 'evidence_mismatch'],
    ['another digest', { digest: hash('9') }, 'evidence_mismatch'],
    ['another account', { accountId: id(1) }, 'evidence_mismatch'],
    ['another wallet', { approverAddress: address('9') }, 'evidence_mismatch'],
  ])('with %s is refused', (_name, change, code) => {
    expect(refusalWith(change, index)).toBe(code)
  })

  test('over other terms than the payment is refused', () => {
    const { payment } = rows('approved')
    const signatures = payment.signatures.map((one, at) =>
      at === index ? { ...one, digest: hash('9') } : one,
    )
    const { approvals } = rows('approved').authority
    const changed = approvals.map((one, at) => (at === index ? { ...one, digest: hash('9') } : one))
    const change = { payment: { signatures }, authority: { approvals: changed } }
    expect(refusalOf('approved', change)).toBe('evidence_mismatch')
  })
})

describe('the number of signatures', () => {
  const refusalFor = (signed: number, tiers: Authority['tiers']) => {
    const { payment, authority } = rows('approved', 'approved', signed)
    const asked = { executorAddress: EXECUTOR, now: EARLIER, acceptedKeys: [key] }
    return authorityRefusal({ payment, authority: { ...authority, tiers }, ...asked })
  }
  const two = { above: '999', approvals: 2 }

  test('is one without tiers, and that of the highest tier below the amount', () => {
    expect(refusalFor(1, [])).toBeUndefined()
    expect(refusalFor(1, null)).toBeUndefined()
    expect(refusalFor(1, [{ above: '1000', approvals: 2 }])).toBeUndefined()
    expect(refusalFor(2, [two])).toBeUndefined()
    expect(
      refusalFor(3, [
        { above: '10', approvals: 2 },
        { above: '999', approvals: 3 },
      ]),
    ).toBeUndefined()
  })

  test('is refused where it is too low or too high, whatever the payment says', () => {
    expect(refusalFor(1, [two])).toBe('approval_count_mismatch')
    expect(refusalFor(2, [])).toBe('approval_count_mismatch')
    expect(refusalFor(3, [two])).toBe('approval_count_mismatch')
  })

  test('counts people: two wallets of one account are one', () => {
    const { payment, authority } = rows('approved')
    const same = <T extends { accountId: string }>(one: T): T => ({ ...one, accountId: id(8) })
    const change = {
      payment: { signatures: payment.signatures.map(same) },
      authority: { approvals: authority.approvals.map(same) },
    }
    expect(refusalOf('approved', change)).toBe('approval_count_mismatch')
  })

  test('a signed payment without signatures does not match the evidence', () => {
    const none = { signatures: [], approvalId: null, approvalDigest: null }
    const change = { payment: none, authority: { approvals: [], tiers: [] } }
    expect(refusalOf('approved', change)).toBe('evidence_mismatch')
  })
})

test.each<[string, Change]>([
  ['no MAC', { authority: { paymentMac: null } }],
  ['the MAC of an unknown key', { authority: { paymentMacKeyId: 'unknown' } }],
  ['the MAC of another deadline', { payment: { deadline: '2026-05-02T00:00:00.000Z' } }],
])('an automatic payment with %s is not authentic', (_name, change) => {
  expect(refusalOf('automatic', change)).toBe('authorization_not_authentic')
})

test('codes of forged rows are those that are never retried', () => {
  expect(FORGERY_CODES).toEqual([
    'evidence_mismatch',
    'report_not_authentic',
    'authorization_not_authentic',
    'signature_not_authentic',
  ])
})
