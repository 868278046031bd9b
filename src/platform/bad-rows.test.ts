import { expect, test } from 'vitest'
import { badRowsMessage } from './bad-rows.ts'

const bad = (row: number) => ({ row, message: `\`rows[${row}]\` is wrong.` })

test('explains each bad row', () => {
  expect(badRowsMessage([bad(0), bad(7)])).toBe('`rows[0]` is wrong. `rows[7]` is wrong.')
})

test('names the rows after the twentieth without an explanation', () => {
  const message = badRowsMessage(Array.from({ length: 23 }, (_, row) => bad(row)))
  expect(message).toMatch(/`rows\[19\]` is wrong\. Other bad rows: 20, 21, 22\.$/)
})
