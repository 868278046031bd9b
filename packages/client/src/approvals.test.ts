import { canonicalHash, chainPaymentIdOf } from '@countersign/proof/digest.ts'
import { digestOf, typedDataOf } from '@countersign/proof/typed-data.ts'
import { versionHashOf } from '@countersign/proof/version-hash.ts'
import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, test } from 'vitest'
import {
  type ApprovalFacts,
  checkApproval,
  isSignedBy,
  type PreparedApproval,
} from './approvals.ts'

const uuid = (end: number) => `0191a000-0000-7000-8000-${String(end).padStart(12, '0')}`
const address = (byte: string) => `0x${byte.repeat(20)}`
const approver = privateKeyToAccount(`0x${'7'.repeat(64)}`)
const ORGANIZATION_HASH = `0x${'ab'.repeat(32)}`
const NOW = Date.UTC(2030, 0, 1)

const output = { summary: 'Fine', riskScore: 12 }
const revision = {
  revision: 2,
  vaultId: uuid(3),
  purpose: 'Printing of 500 reports',
  recipientAddress: address('22'),
  amountBaseUnits: '75000000',
  requestedMode: 'approved' as const,
  attachments: [{ sha256: 'c'.repeat(64) }],
  category: 'printing',
}

function shown(): ApprovalFacts {
  const expense = {
    id: uuid(1),
    organizationId: uuid(2),
    paymentId: uuid(4),
    currentRevision: 2,
    revision,
  }
  const vault = {
    id: uuid(3),
    chainId: 31_337,
    address: address('33'),
    tokenAddress: address('44'),
    policy: {
      version: 7,
      approvedCap: '75000000',
      expiresAt: '2031-01-01T00:00:00.000Z',
      approverAddresses: [approver.address],
      recipientAddresses: [address('22')],
    },
  }
  const report = { expenseId: uuid(1), expenseRevision: 2, output }
  const facts = { expense, vault, report, approverAddress: approver.address, now: NOW }
  return structuredClone(facts) as unknown as ApprovalFacts
}

/** What an honest service prepares, computed from the same values by other means. */
function honest(): PreparedApproval {
  const terms = {
    chainId: 31_337,
    vaultAddress: address('33'),
    tokenAddress: address('44'),
    recipientAddress: address('22'),
    amount: 75_000_000n,
  }
  const content = {
    ...terms,
    approvalId: uuid(5),
    approverAddress: approver.address.toLowerCase(),
    organizationHash: ORGANIZATION_HASH,
    chainPaymentId: chainPaymentIdOf({
      chainId: 31_337,
      organizationHash: ORGANIZATION_HASH,
      paymentId: uuid(4),
    }),
    policyVersion: 7,
    reportHash: canonicalHash(output),
    expenseVersionHash: versionHashOf({
      ...terms,
      organizationId: uuid(2),
      expenseId: uuid(1),
      revision: 2,
      vaultId: uuid(3),
      requestedMode: 'approved',
      purpose: revision.purpose,
      attachments: ['c'.repeat(64)],
      category: 'printing',
    }),
    deadlineSeconds: NOW / 1_000 + 3_600,
  }
  const digest = digestOf(content)
  const own = { approvalId: content.approvalId, approverAddress: approver.address, digest }
  return { ...typedDataOf(content), ...own } as PreparedApproval
}

const failing = (prepared: PreparedApproval, facts: ApprovalFacts): string[] =>
  checkApproval(prepared, facts)
    .findings.filter(({ holds }) => !holds)
    .map(({ link }) => link)

test('what an honest service prepares holds, and is computed again for the wallet', async () => {
  const prepared = honest()
  const check = checkApproval(prepared, shown())
  expect(check.findings.filter(({ holds }) => !holds)).toEqual([])
  expect(check).toMatchObject({ holds: true, digest: prepared.digest })
  const { typedData, digest } = check
  if (typedData === null || digest === null) throw new Error('It does not hold')
  const signature = await approver.signTypedData(typedData)
  expect(await isSignedBy(approver.address, { digest, signature })).toBe(true)
  expect(await isSignedBy(address('55'), { digest, signature })).toBe(false)
})

describe('a lie of the service is found', () => {
  test.each(Object.entries(honest().message))('in the message: %s', (field, value) => {
    const prepared = honest()
    const other = value.startsWith('0x')
      ? value.replace(/.$/, (end) => (end === '0' ? '1' : '0'))
      : '9'
    Object.assign(prepared.message, { [field]: other })
    expect(checkApproval(prepared, shown()).holds).toBe(false)
  })

  test.each(['name', 'version', 'chainId', 'verifyingContract'] as const)(
    'in the domain: %s',
    (field) => {
      const prepared = honest()
      Object.assign(prepared.domain, { [field]: field === 'chainId' ? 1 : address('99') })
      expect(failing(prepared, shown())).toEqual([`domain: ${field}`])
    },
  )

  test('in the types, which decide what a wallet hashes', () => {
    const prepared = honest()
    prepared.types.PaymentApproval?.pop()
    expect(failing(prepared, shown())).toEqual(['types'])
  })

  test('in a field that nobody asked for', () => {
    const prepared = honest()
    Object.assign(prepared.message, { extra: '1' })
    expect(failing(prepared, shown())).toEqual(['fields'])
  })

  test('in the digest', () => {
    expect(failing({ ...honest(), digest: `0x${'0'.repeat(64)}` }, shown())).toEqual(['digest'])
  })

  test('in the organization, when the caller knows it from the chain', () => {
    const facts = { ...shown(), organizationHash: `0x${'cd'.repeat(32)}` }
    expect(failing(honest(), facts)).toEqual(['organizationHash', 'paymentId', 'digest'])
  })

  test('that cannot be read at all', () => {
    const prepared = honest()
    prepared.approvalId = 'not an id, and far too long for one'.repeat(3)
    const check = checkApproval(prepared, shown())
    expect(check).toMatchObject({ holds: false, typedData: null, digest: null })
  })
})

describe('what was shown decides', () => {
  test.each([
    ['the amount', { amountBaseUnits: '74000000' }, 'amount'],
    ['the recipient', { recipientAddress: address('66') }, 'recipient'],
    ['the purpose', { purpose: 'Something else' }, 'expenseVersionHash'],
    ['an attachment', { attachments: [] }, 'expenseVersionHash'],
    ['the category', { category: null }, 'expenseVersionHash'],
  ])('%s', (_what, terms, field) => {
    const facts = shown()
    Object.assign(facts.expense.revision, terms)
    expect(failing(honest(), facts)).toContain(field)
  })

  test('the report', () => {
    const facts = shown()
    Object.assign(facts.report.output, { riskScore: 99 })
    expect(failing(honest(), facts)).toEqual(['reportHash', 'digest'])
  })

  test('the wallet that signs', () => {
    const failed = failing(honest(), { ...shown(), approverAddress: address('77') })
    expect(failed).toEqual(['approver', 'digest', 'approver in the policy'])
  })
})

describe('a policy that does not allow the payment', () => {
  const withPolicy = (terms: object) => {
    const facts = shown()
    Object.assign(facts.vault.policy ?? {}, terms)
    return failing(honest(), facts)
  }

  test('is found', () => {
    expect(withPolicy({ approvedCap: '74999999' })).toEqual(['amount within the policy'])
    expect(withPolicy({ recipientAddresses: [] })).toEqual(['recipient in the policy'])
    expect(withPolicy({ expiresAt: '2030-01-01T00:59:59.000Z' })).toEqual([
      'deadline ahead and within the policy',
    ])
    const facts = shown()
    facts.vault.policy = null
    expect(failing(honest(), facts)).toContain('policy')
  })

  test('by a deadline that has passed is found', () => {
    const facts = { ...shown(), now: NOW + 3_600_000 }
    expect(failing(honest(), facts)).toEqual(['deadline ahead and within the policy'])
  })
})
