import { expect, test } from 'vitest'
import { differencesOf } from './differences.ts'
import { aRevision } from './testing.ts'

const file = (id: string) => ({
  id,
  name: `${id}.pdf`,
  mediaType: 'application/pdf' as const,
  sizeBytes: 1,
  sha256: 'aa'.repeat(32),
})

test('equal revisions differ in nothing, and an absent detail equals null', () => {
  const { category: _, ...older } = aRevision()
  expect(differencesOf(older, aRevision({ revision: 2, reason: 'Why' }))).toEqual([])
})

test('every changed term is named, money first', () => {
  const after = aRevision({
    amountBaseUnits: '75000000',
    recipientId: 'recipient-2',
    recipientLabel: 'Hotel Alma',
    purpose: 'Printing, 500 copies',
    vaultId: 'vault-2',
    requestedMode: 'automatic',
    category: '6100',
    categoryName: 'Printing',
    reference: '2026-118',
    dueDate: '2026-12-01',
    attachments: [file('b')],
  })
  const differences = differencesOf(aRevision({ attachments: [file('a')] }), after)
  expect(differences.map(({ field }) => field)).toEqual([
    'amount',
    'recipient',
    'purpose',
    'vault',
    'mode',
    'category',
    'reference',
    'dueDate',
    'attachments',
  ])
  expect(differences[0]).toEqual({ field: 'amount', before: '80000000', after: '75000000' })
  expect(differences[5]).toEqual({ field: 'category', before: null, after: 'Printing' })
  expect(differences[8]).toEqual({ field: 'attachments', added: ['b.pdf'], removed: ['a.pdf'] })
})
