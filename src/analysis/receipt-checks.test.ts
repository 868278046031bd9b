import { describe, expect, test } from 'vitest'
import { ago, DAY, makeFacts, past, USDC } from '#test/support/facts.ts'
import type { CheckId } from './check.ts'
import type { Facts } from './facts.ts'
import { receiptChecks } from './receipt-checks.ts'

const resultOf = (id: CheckId, facts: Facts) =>
  receiptChecks.map((check) => check(facts)).find((result) => result.id === id)

const warns = (detail: string) => ({ outcome: 'warn', detail: expect.stringContaining(detail) })
const passes = (detail: string) => ({ outcome: 'pass', detail: expect.stringContaining(detail) })

describe('duplicate_receipt', () => {
  const facts = (sameReceipt = [past(400 * DAY)], attachmentCount = 2) =>
    makeFacts({ expense: { attachmentCount }, history: { sameReceipt } })

  test('warns about an expense with the same bytes, however old', () => {
    const day = ago(400 * DAY).slice(0, 10)
    expect(resultOf('duplicate_receipt', facts())).toMatchObject(
      warns(
        'At least 1 other expense has an attachment with the same bytes, ' +
          `the newest of ${day}.`,
      ),
    )
  })

  test('passes without such an expense, and without attachments', () => {
    expect(resultOf('duplicate_receipt', facts([]))).toMatchObject(passes('the 2 attachments'))
    expect(resultOf('duplicate_receipt', facts([], 0))).toMatchObject(passes('no attachments'))
  })
})

describe('duplicate_reference', () => {
  const facts = (sameReference = [past(DAY), past(2 * DAY)]) =>
    makeFacts({ expense: { reference: 'INV-7' }, history: { sameReference } })

  test('warns about an expense with the same reference and recipient', () => {
    expect(resultOf('duplicate_reference', facts())).toMatchObject(
      warns('At least 2 other expenses have the same reference and recipient'),
    )
  })

  test('passes without such an expense, and without a reference', () => {
    expect(resultOf('duplicate_reference', facts([]))).toMatchObject(passes('No other expense'))
    expect(resultOf('duplicate_reference', makeFacts())).toMatchObject(passes('no reference'))
  })

  test('does not quote the reference', () => {
    expect(JSON.stringify(resultOf('duplicate_reference', facts()))).not.toContain('INV-7')
  })
})

describe('receipt_missing', () => {
  const facts = (amount: bigint, attachmentCount = 0) =>
    makeFacts({ expense: { amount, attachmentCount }, receiptRequiredAbove: 75n * USDC })

  test('warns above the amount, and passes exactly at it', () => {
    expect(resultOf('receipt_missing', facts(75n * USDC + 1n))).toMatchObject(
      warns('an attachment is required above 75.00 USDC'),
    )
    expect(resultOf('receipt_missing', facts(75n * USDC))).toMatchObject(passes('0 attachments'))
  })

  test('passes with an attachment, and where no amount is configured', () => {
    expect(resultOf('receipt_missing', facts(1000n * USDC, 1))).toMatchObject(
      passes('1 attachment for'),
    )
    expect(resultOf('receipt_missing', makeFacts())).toMatchObject(passes('requires none'))
  })
})

describe('due_date_past', () => {
  const due = (dueDate: string | null) =>
    resultOf('due_date_past', makeFacts({ expense: { dueDate }, now: '2026-06-15T00:00:00.000Z' }))

  test('warns from the day after the due date, in UTC', () => {
    expect(due('2026-06-14')).toMatchObject(warns('was due on 2026-06-14; today is 2026-06-15'))
    expect(due('2026-06-15')).toMatchObject(passes('due on 2026-06-15'))
  })

  test('passes without a due date', () => {
    expect(due(null)).toMatchObject(passes('no due date'))
  })
})
