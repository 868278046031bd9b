import { organizationHash } from '@countersign/proof/digest.ts'
import { toStoredExecution } from '@countersign/proof/execution.ts'
import type { TypedData } from '@countersign/proof/typed-data.ts'
import { checksummed } from '@countersign/proof/values.ts'
import { describe, expect, test } from 'vitest'
import { executionOf } from '#payments/lane-store/lane-rows.ts'
import type { PaymentRow, ReceiptRow } from '#payments/payments.store.ts'
import type { EvidenceRow } from './evidence.store.ts'
import { evidenceOf } from './evidence.ts'

const id = (n: number): string => `0198a000-0000-7000-8000-00000000000${n}`
const address = (pair: string): string => `0x${pair.repeat(20)}`
const hash = (digit: string): string => `0x${digit.repeat(64)}`

const vaultAddress = address('ab')
const typedData = { primaryType: 'PaymentApproval' } as unknown as TypedData
const otherTypedData = { primaryType: 'PaymentApproval', of: 'other' } as unknown as TypedData

const payment = {
  ...{ id: id(4), organizationId: id(1), expenseId: id(2), expenseRevision: 3, vaultId: id(3) },
  ...{ chainPaymentId: hash('1'), mode: 'approved', recipientAddress: address('cd') },
  ...{ tokenAddress: address('ef'), amount: 1_000n, policyVersion: 6, reportId: id(5) },
  ...{ reportHash: hash('2'), expenseVersionHash: hash('3'), approvalId: id(6) },
  ...{ approvalDigest: hash('4'), requiredApprovals: 2 },
  signatures: [
    {
      ...{ approvalId: id(7), accountId: id(9), approverAddress: address('ad') },
      ...{ digest: hash('5'), signature: '0x52' },
    },
    {
      ...{ approvalId: id(6), accountId: id(8), approverAddress: address('de') },
      ...{ digest: hash('4'), signature: '0x51' },
    },
  ],
  deadline: '2026-05-01T12:00:00.000Z',
} as PaymentRow

const row: EvidenceRow = {
  ...{ revision: 3, purpose: 'Toner', requestedMode: 'approved', versionHash: hash('3') },
  ...{ vaultAddress, chainId: 31_337, reportOutput: { verdict: 'clean' } },
  ...{ salt: Buffer.alloc(32, 7), typedData: { [id(6)]: typedData, [id(7)]: otherTypedData } },
  recipient: {
    ...{ recipientsVersion: 3, allowedFrom: '2026-04-01T00:00:00.000Z' },
    transactionHash: hash('6'),
  },
  ...{ attachments: [], category: null, reference: null, dueDate: null },
  policy: {
    ...{ executorAddress: address('ea'), approverAddresses: [address('de'), address('ad')] },
    ...{ approvedCap: '5', automaticCap: '4', periodSeconds: 86_400, periodCap: '8' },
    ...{ automaticPeriodCap: '3', tiers: [{ above: '4', approvals: 2 }], proposal: null },
    ...{ lifetimeCap: '9', reserveFloor: '1', expiresAt: '2027-01-01T00:00:00.000Z' },
    ...{ automaticEnabled: true, chainTransactionHash: hash('9') },
  },
}

const executed = toStoredExecution(executionOf({ ...payment, vaultAddress }))
const receipt: ReceiptRow = {
  ...{ transactionHash: hash('7'), blockNumber: 12, blockHash: hash('8'), logIndex: 0 },
  ...{ status: 'success', gasUsed: 1n, effectiveGasPrice: 1n, execution: executed },
  confirmedAt: '2026-05-01T11:00:00.000Z',
}

test('a payment that was signed and made is explained from the revision to the log', () => {
  const shown = {
    ...executed,
    vaultAddress: checksummed(vaultAddress),
    recipientAddress: checksummed(address('cd')),
    approverAddresses: [checksummed(address('ad')), checksummed(address('de'))],
  }
  const first = {
    ...{ id: id(6), approverAddress: checksummed(address('de')), digest: hash('4') },
    ...{ signature: '0x51', typedData },
  }
  const second = {
    ...{ id: id(7), approverAddress: checksummed(address('ad')), digest: hash('5') },
    ...{ signature: '0x52', typedData: otherTypedData },
  }
  expect(evidenceOf(payment, row, receipt)).toEqual({
    version: 2,
    revision: {
      ...{ organizationId: id(1), expenseId: id(2), revision: 3, vaultId: id(3) },
      ...{ vaultAddress: checksummed(vaultAddress), chainId: 31_337, amountBaseUnits: '1000' },
      ...{ attachments: [], category: null, reference: null, dueDate: null },
      tokenAddress: checksummed(address('ef')),
      recipientAddress: checksummed(address('cd')),
      ...{ requestedMode: 'approved', purpose: 'Toner', versionHash: hash('3') },
    },
    report: { id: id(5), reportHash: hash('2'), output: { verdict: 'clean' } },
    policy: {
      ...row.policy,
      version: 6,
      executorAddress: checksummed(address('ea')),
      approverAddresses: [checksummed(address('de')), checksummed(address('ad'))],
    },
    recipient: row.recipient,
    approval: first,
    approvals: [second, first],
    payment: {
      organizationHash: organizationHash({ organizationId: id(1), salt: row.salt }),
      ...{ id: id(4), chainPaymentId: hash('1'), mode: 'approved', deadline: payment.deadline },
    },
    asked: shown,
    event: { ...shown, transactionHash: hash('7'), blockNumber: 12, blockHash: hash('8') },
    matches: true,
  })
})

describe('without a log', () => {
  test.each([
    ['no receipt', undefined],
    ['a receipt without a log', { ...receipt, execution: undefined } as unknown as ReceiptRow],
  ])('%s: there is no event, and nothing matches', (_name, given) => {
    expect(evidenceOf(payment, row, given)).toMatchObject({ event: null, matches: false })
  })
})

const otherAddresses = (field: string) => {
  if (field.endsWith('Addresses')) return { [field]: [address('99')] }
  return field.endsWith('Address') ? { [field]: address('99') } : {}
}

test.each(Object.keys(executed))('a log with another %s does not match', (field) => {
  const execution = { ...executed, [field]: 'another' }
  const { matches, event } = evidenceOf(payment, row, {
    ...receipt,
    execution: { ...execution, ...otherAddresses(field) },
  })
  expect(matches).toBe(false)
  expect(event).not.toBeNull()
})

test('a log with the approvers in another order does not match', () => {
  const execution = { ...executed, approverAddresses: [address('de'), address('ad')] }
  expect(evidenceOf(payment, row, { ...receipt, execution }).matches).toBe(false)
})

test('an automatic payment is shown without signatures', () => {
  const automatic = { approvalId: null, approvalDigest: null, signatures: [] }
  const shown = evidenceOf({ ...payment, ...automatic }, { ...row, typedData: {} }, receipt)
  expect(shown).toMatchObject({ approval: null, approvals: [] })
})

test('a signature without its typed data is not shown', () => {
  const stored = { ...row, typedData: { [id(7)]: otherTypedData } }
  const { approval, approvals } = evidenceOf(payment, stored, receipt)
  expect(approval).toBeNull()
  expect(approvals.map((one) => one.id)).toEqual([id(7)])
})

test('a policy that is not known is null', () => {
  expect(evidenceOf(payment, { ...row, policy: null }, receipt).policy).toBeNull()
})
