import { expect, test } from 'vitest'
import { findTerm, isExact } from './exact-term.ts'

const uuid = (n: number) => `01900000-0000-7000-8000-00000000000${n}`
const hash = (digit: string) => `0x${digit.repeat(64)}`
const address = `0x${'Ab'.repeat(20)}`

const detail = {
  payments: [{ id: uuid(1), chainPaymentId: hash('a'), transactionHash: hash('b') }],
  attempts: [{ paymentId: uuid(1), transactionHash: hash('c') }],
  expenses: [
    { id: uuid(2), paymentId: uuid(1) },
    { id: uuid(3), paymentId: uuid(4) },
  ],
  supportCases: [{ id: uuid(5) }],
  treasuryVaults: [{ id: uuid(6), address, label: 'Main' }],
}

test.each([uuid(1), hash('a'), hash('B'), hash('c'), uuid(2)])('%s is the payment', (term) => {
  expect(findTerm(detail, term)).toEqual({ kind: 'payment', paymentId: uuid(1) })
})

test('an expense that has no payment yet has a story all the same', () => {
  expect(findTerm(detail, uuid(3))).toEqual({ kind: 'payment', paymentId: uuid(4) })
})

test('a case and a vault are found, the organization itself is not', () => {
  expect(findTerm(detail, uuid(5))).toEqual({ kind: 'case', caseId: uuid(5) })
  expect(findTerm(detail, address.toLowerCase())).toEqual({ kind: 'vault', label: 'Main' })
  expect(findTerm(detail, uuid(9))).toBeNull()
})

test('a name is not exact', () => {
  expect(['Acme', '0x12', uuid(1), hash('f'), address].map(isExact)).toEqual([
    false,
    false,
    true,
    true,
    true,
  ])
})
