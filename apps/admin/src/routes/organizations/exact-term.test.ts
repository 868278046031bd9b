import { expect, test } from 'vitest'
import { findTerm, isExact } from './exact-term.ts'

const uuid = (n: number) => `01900000-0000-7000-8000-00000000000${n}`
const hash = (digit: string) => `0x${digit.repeat(64)}`
const address = `0x${'Ab'.repeat(20)}`

const wallet = `0x${'1c'.repeat(20)}`
const executor = `0x${'2c'.repeat(20)}`
const recipient = `0x${'3c'.repeat(20)}`
const revision = { recipientAddress: recipient, recipientLabel: 'Printers Ltd' }

const detail = {
  organization: { id: uuid(9) },
  payments: [
    {
      id: uuid(1),
      chainPaymentId: hash('a'),
      transactionHash: hash('b'),
      executorAddress: executor,
    },
  ],
  attempts: [{ paymentId: uuid(1), transactionHash: hash('c') }],
  expenses: [
    { id: uuid(2), paymentId: uuid(1), revision },
    { id: uuid(3), paymentId: uuid(4), revision },
  ],
  supportCases: [{ id: uuid(5) }],
  treasuryVaults: [{ id: uuid(6), address, label: 'Main' }],
  members: [{ wallets: [{ address: wallet }] }],
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

test('addresses are those of executors, recipients and wallets, too', () => {
  expect(findTerm(detail, executor)).toEqual({ kind: 'executor' })
  expect(findTerm(detail, recipient)).toEqual({ kind: 'recipient', label: 'Printers Ltd' })
  expect(findTerm(detail, wallet)).toEqual({ kind: 'wallet' })
  expect(findTerm(detail, `0x${'4c'.repeat(20)}`)).toBeNull()
})

test('another id may be that of an older payment, which has its story all the same', () => {
  expect(findTerm(detail, uuid(8))).toEqual({ kind: 'older', id: uuid(8) })
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
