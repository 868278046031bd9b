import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { csvLine, headerLine, rowLine, textColumn, valueColumn } from './csv.ts'

const cellsOf = (line: string): string[] => parse(line, { relaxColumnCount: false })[0] ?? []

describe('csvLine', () => {
  test('ends with CR and LF', () => {
    expect(csvLine([{ text: 'a' }, { value: '1' }])).toBe('a,1\r\n')
  })

  test.each([
    ['a comma', 'a,b', '"a,b"'],
    ['a quote', 'say "yes"', '"say ""yes"""'],
    ['a line break', 'a\nb', '"a\nb"'],
    ['a CR and LF', 'a\r\nb', '"a\r\nb"'],
    ['a blank at the end', 'a ', '"a "'],
  ])('quotes %s', (_what, text, line) => {
    expect(csvLine([{ text }])).toBe(`${line}\r\n`)
  })

  test.each(['=1+1', '+1', '-1', '@SUM(A1)', '\tx', '\rx', '\nx', '＝1', '＋1', '－1', '＠x'])(
    'puts an apostrophe before the text %j',
    (text) => {
      expect(cellsOf(csvLine([{ text }]))).toEqual([`'${text}`])
    },
  )

  test('leaves a computed number unchanged', () => {
    expect(csvLine([{ value: '-25.00' }])).toBe('-25.00\r\n')
  })

  test('leaves a missing value empty', () => {
    expect(csvLine([{ text: null }, { value: null }, { text: '' }])).toBe(',,\r\n')
  })

  test('is read back by another parser, whatever the text is', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 30 })
    const property = fc.property(fc.array(text, { minLength: 2, maxLength: 5 }), (texts) => {
      const read = cellsOf(csvLine(texts.map((one) => ({ text: one }))))
      expect(read.map((cell) => cell.replace(/^'(?=[=+\-@\t\r\n＝＋－＠])/u, ''))).toEqual(
        texts.map((one) => one.replace(/^'(?=[=+\-@\t\r\n＝＋－＠])/u, '')),
      )
    })
    fc.assert(property, { numRuns: 300 })
  })
})

test('columns have a header and a cell for each row', () => {
  const columns = [
    textColumn('name', ({ name }: { name: string | null; size: number }) => name),
    valueColumn('size', ({ size }: { name: string | null; size: number }) => size),
  ]
  expect(headerLine(columns)).toBe('name,size\r\n')
  expect(rowLine(columns, { name: '=x', size: -3 })).toBe("'=x,-3\r\n")
})
