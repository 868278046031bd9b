import { describe, expect, test } from 'vitest'
import { canonicalHash, textHash } from './digest.ts'
import { type VersionedContent, versionHashOf } from './version-hash.ts'

const id = (n: number): string => `0198a000-0000-7000-8000-00000000000${n}`

const content: VersionedContent = {
  organizationId: id(1),
  expenseId: id(2),
  revision: 3,
  vaultId: id(4),
  vaultAddress: `0x${'11'.repeat(20)}`,
  chainId: 31_337,
  tokenAddress: `0x${'22'.repeat(20)}`,
  recipientAddress: `0x${'33'.repeat(20)}`,
  amount: 1_000n,
  requestedMode: 'approved',
  purpose: 'Toner',
}

const twelve = {
  organizationId: id(1),
  expenseId: id(2),
  revision: 3,
  vaultId: id(4),
  vaultAddress: `0x${'11'.repeat(20)}`,
  chainId: 31_337,
  token: `0x${'22'.repeat(20)}`,
  recipientAddress: `0x${'33'.repeat(20)}`,
  amountBaseUnits: '1000',
  requestedMode: 'approved',
  purposeHash: textHash('Toner'),
}

const none = { attachments: null, category: null, reference: null, dueDate: null }
const [first, second] = ['a'.repeat(64), 'b'.repeat(64)]

describe('the hash of a revision', () => {
  test('without details is version 1, whether they are absent, null or empty', () => {
    const expected = canonicalHash({ v: 1, ...twelve })
    // As the first release computed it.
    expect(expected).toBe('0xdb3d28625e6f0fe8e4c9986b5bd50896c5f40c6a40414c1cccc9cf7363a537d7')
    expect(versionHashOf(content)).toBe(expected)
    expect(versionHashOf({ ...content, ...none, attachments: [] })).toBe(expected)
  })

  test.each([
    ['attachments', { attachments: [first, second] }],
    ['a category', { category: '6400' }],
    ['a reference', { reference: 'INV-2026-17' }],
    ['a due date', { dueDate: '2026-12-31' }],
  ])('with %s is version 2, with null for the rest', (_name, details) => {
    const expected = canonicalHash({ v: 2, ...twelve, ...none, ...details })
    expect(versionHashOf({ ...content, ...details })).toBe(expected)
  })

  test('depends on the order of the attachments', () => {
    const hashes = [
      versionHashOf({ ...content, attachments: [first, second] }),
      versionHashOf({ ...content, attachments: [second, first] }),
      versionHashOf({ ...content, attachments: [first] }),
    ]
    expect(new Set(hashes).size).toBe(3)
  })
})
