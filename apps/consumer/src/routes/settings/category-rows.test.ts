import { describe, expect, it } from 'vitest'
import { moved, problemsOf, toCategories } from './category-rows.ts'

const row = (id: string, code: string, name: string) => ({ id, code, name })

describe('categories', () => {
  it('need a code without spaces, once, and a name', () => {
    const problems = problemsOf([
      row('a', '6300', 'Travel'),
      row('b', '', 'Rent'),
      row('c', '63 00', 'Office'),
      row('d', '6300 ', 'Again'),
      row('e', '6400', ' '),
      row('f', '', ''),
    ])
    expect([...problems]).toEqual([
      ['b', 'code_missing'],
      ['c', 'code_characters'],
      ['d', 'code_repeated'],
      ['e', 'name_missing'],
    ])
  })

  it('are saved without empty rows and spaces around', () => {
    expect(toCategories([row('a', ' 1 ', ' One '), row('b', '', ' ')])).toEqual([
      { code: '1', name: 'One' },
    ])
  })

  it('move up and down, not beyond the ends', () => {
    const rows = [row('a', '1', 'A'), row('b', '2', 'B')]
    expect(moved(rows, 0, 1).map(({ id }) => id)).toEqual(['b', 'a'])
    expect(moved(rows, 0, -1).map(({ id }) => id)).toEqual(['a', 'b'])
  })
})
