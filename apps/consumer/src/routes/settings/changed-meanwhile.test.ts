import { expect, test } from 'vitest'
import { changedMeanwhile } from './changed-meanwhile.ts'

const travel = { code: '6300', name: 'Travel' }
const rent = { code: '6400', name: 'Rent' }
const row = (about: { code: string; name: string }) => ({ id: about.code, ...about })
const edit = { rows: [row(travel)], base: [travel], sent: null }

test('rows that nobody touched follow the list', () => {
  expect(changedMeanwhile([travel], edit)).toBe('same')
  expect(changedMeanwhile([travel, rent], edit)).toBe('take')
})

test.each([
  ['a changed row', [row({ ...travel, name: 'Trips' })]],
  ['an added row', [row(travel), row({ code: '', name: '' })]],
  ['a removed row', []],
  ['another order', [row(rent), row(travel)]],
])('%s is kept when somebody else saves', (_what, rows) => {
  const base = rows.length === 2 && rows[0]?.code === rent.code ? [travel, rent] : [travel]
  expect(changedMeanwhile([rent], { rows, base, sent: null })).toBe('ask')
})

test('what was saved here is no change of somebody else', () => {
  const rows = [row(travel), row({ code: '6400 ', name: 'Rent' })]
  expect(changedMeanwhile([travel, rent], { ...edit, rows })).toBe('own')
  const typedOn = [...rows, row({ code: '6500', name: '' })]
  expect(changedMeanwhile([travel, rent], { ...edit, rows: typedOn, sent: [travel, rent] })).toBe(
    'own',
  )
})
