import { describe, expect, test } from 'vitest'
import { expensesSearch } from '../../../search.ts'
import { countOf, countText } from './counts.ts'
import { csvOf } from './csv.ts'
import { filtersIn, IN_PROGRESS, inView, isOnlyDates, queryOf, stateChoicesIn } from './filters.ts'
import { splitFresh } from './steady-rows.ts'

const me = { accountId: '01a1e609-93d5-78ae-bffe-34b91d7f97ae', decimals: 6 }
const other = '01a1e609-93d5-78ae-bffe-34b91d7f97af'
const query = (search: Record<string, unknown>) => queryOf(expensesSearch(search), me)

describe('filters', () => {
  test('views ask for what their names say', () => {
    expect(query({})).toEqual({})
    expect(query({ view: 'needs-me' })).toEqual({ waitingFor: 'me' })
    expect(query({ view: 'mine' })).toEqual({ submitterAccountId: me.accountId })
    expect(query({ view: 'paid' })).toEqual({ state: ['paid'] })
    expect(query({ view: 'in-progress' })).toEqual({ state: [...IN_PROGRESS] })
    expect(query({ view: 'moon' })).toEqual({})
  })

  test('filters become parameters, and a number is text', () => {
    const asked = {
      q: 2026,
      state: 'ready',
      recipient: other,
      submitter: other,
      category: '6100',
      from: '2026-10-01',
      to: '2026-10-31',
      min: 10,
      max: '75.5',
    }
    expect(query(asked)).toEqual({
      q: '2026',
      state: ['approved_ready_for_payment', 'automatic_ready_for_payment'],
      recipientId: other,
      submitterAccountId: other,
      category: '6100',
      from: '2026-10-01',
      to: '2026-10-31',
      minAmount: '10000000',
      maxAmount: '75500000',
    })
    expect(filtersIn(expensesSearch(asked))).toHaveLength(9)
  })

  test('nonsense is left out', () => {
    const nonsense = { q: '---', state: 'toString', recipient: 'x', min: 'ten', from: 'May' }
    expect(query(nonsense)).toEqual({})
  })

  test('another view drops only what it contradicts', () => {
    const search = expensesSearch({ state: 'paid', submitter: other, q: 'print' })
    expect(inView(search, 'in-progress')).toMatchObject({
      view: 'in-progress',
      state: undefined,
      q: 'print',
      submitter: other,
    })
    expect(inView(search, 'mine').submitter).toBeUndefined()
    expect(inView(search, 'all').view).toBeUndefined()
    expect(stateChoicesIn('paid')).toEqual(['paid'])
  })

  test('only dates can be exported by the service', () => {
    expect(isOnlyDates(expensesSearch({ from: '2026-10-01' }))).toBe(true)
    expect(isOnlyDates(expensesSearch({ view: 'paid' }))).toBe(false)
    expect(isOnlyDates(expensesSearch({ q: 'print' }))).toBe(false)
  })
})

describe('counts', () => {
  const counts = { paid: 100, draft: 3 } as Parameters<typeof countOf>[0]['counts']
  test('say where they stop', () => {
    const some = { counts, total: 103, isComplete: false }
    expect(countText(countOf(some, ['paid']))).toBe('100+')
    expect(countText(countOf(some, ['draft']))).toBe('3')
    expect(countText(countOf(some, null))).toBe('100+')
    expect(countText(countOf({ ...some, isComplete: true }, null))).toBe('103')
  })
})

describe('steady rows', () => {
  const rows = (ids: string) => [...ids].map((id) => ({ id }))
  const told = (ids: string, known: string) => {
    const { shown, fresh } = splitFresh(rows(ids), new Set(known))
    return [shown, fresh].map((list) => list.map(({ id }) => id).join('')).join('|')
  }
  test('new rows wait above, rows of the next page are appended', () => {
    expect(told('dcba', '')).toBe('dcba|')
    expect(told('fedcba', 'dcba')).toBe('dcba|fe')
    expect(told('dcbaZY', 'dcba')).toBe('dcbaZY|')
    expect(told('dxba', 'dcba')).toBe('dba|x')
  })
})

test('CSV quotes what it must and computes nothing', () => {
  expect(
    csvOf([
      ['a', 'b,c'],
      ['=1+1', 'say "x"\nplease'],
    ]),
  ).toBe('a,"b,c"\r\n\'=1+1,"say ""x""\nplease"\r\n')
})
