import { describe, expect, it } from 'vitest'
import { readRecipientFile, recordsOf, refusedRows } from './recipient-file.ts'

const A = '0x1111111111111111111111111111111111111111'
const B = '0x2222222222222222222222222222222222222222'

const kindsOf = (text: string) =>
  readRecipientFile(text, []).rows.map(({ problems }) => problems.map(({ kind }) => kind))

describe('a file of recipients', () => {
  it.each([
    ['commas', `Printers,${A}\nHotel,${B}`],
    ['semicolons and Windows line ends', `Printers;${A}\r\nHotel;${B}\r\n`],
    ['tabs', `Printers\t${A}\nHotel\t${B}`],
    ['titles in any order', `Address,Name\n${A},Printers\n${B},Hotel`],
    ['the address first', `${A},Printers\n${B},Hotel`],
    ['a byte order mark and empty lines', `\ufeffPrinters,${A}\n\n\nHotel,${B}\n`],
    ['quotes', `"Printers","${A}"\n"Hotel","${B}"`],
  ])('is read with %s', (_name, text) => {
    const { rows } = readRecipientFile(text, [])
    expect(rows.map(({ label, address }) => [label, address])).toEqual([
      ['Printers', A],
      ['Hotel', B],
    ])
    expect(rows.flatMap(({ problems }) => problems)).toEqual([])
  })

  it('keeps separators, quotes and line ends inside of quotes, and counts lines', () => {
    expect(recordsOf(`"Smith, ""Joe""\nand sons",${A}\nnext,${B}`)).toEqual([
      { line: 1, cells: ['Smith, "Joe"\nand sons', A] },
      { line: 3, cells: ['next', B] },
    ])
  })

  it('takes formulas as text', () => {
    const text = `'=cmd|calc,${A}\n"=HYPERLINK(""x"")","=""${B}"""`
    expect(readRecipientFile(text, []).rows.map(({ label, address }) => [label, address])).toEqual([
      ['=cmd|calc', A],
      ['=HYPERLINK("x")', B],
    ])
  })

  it('names what is wrong with a row', () => {
    expect(kindsOf(`,${A}`)).toEqual([['no_name']])
    expect(kindsOf('Printers,')).toEqual([['no_address']])
    expect(kindsOf('Printers,0x12')).toEqual([['bad_address']])
    expect(kindsOf('Printers,0x5AAeb6053F3E94C9b9A09f33669435E7Ef1BeAed')).toEqual([
      ['bad_checksum'],
    ])
    expect(kindsOf(`${'x'.repeat(101)},${A}`)).toEqual([['long_name']])
    expect(kindsOf(`evil\u202ename,${A}`)).toEqual([['bad_name']])
  })

  it('names the line that an address repeats, and a recipient that has it', () => {
    const known = [{ label: 'Hotel Alma', address: B, active: true }]
    const { rows } = readRecipientFile(
      `One,${A}\nTwo,${A.toUpperCase().replace('X', 'x')}\nThree,${B}`,
      known,
    )
    expect(rows[1]?.problems).toEqual([{ kind: 'repeated', line: 1 }])
    expect(rows[2]?.problems).toEqual([{ kind: 'known', label: 'Hotel Alma' }])
  })

  it('warns of look-alikes among the rows and the recipients', () => {
    const twin = `${A.slice(0, 20)}9${A.slice(21)}`
    const { rows } = readRecipientFile(`One,${A}\nTwo,${twin}`, [])
    expect(rows[1]?.lookAlikes.map(({ label }) => label)).toEqual(['One'])
  })

  it('stops at 500 rows and says so', () => {
    const text = Array.from(
      { length: 501 },
      (_, at) => `R${at},0x${at.toString(16).padStart(40, '1')}`,
    )
    const { rows, isTooLong } = readRecipientFile(text.join('\n'), [])
    expect(rows).toHaveLength(500)
    expect(isTooLong).toBe(true)
  })
})

describe("the service's reasons", () => {
  it('belong to rows', () => {
    const message =
      '`recipients[0]`: It is a contract. `recipients[2]`: It repeats the address of `recipients[1]`. Other bad rows: 7, 9.'
    expect([...(refusedRows(message) ?? [])]).toEqual([
      [0, 'It is a contract.'],
      [2, 'It repeats the address of recipients[1].'],
      [7, ''],
      [9, ''],
    ])
  })

  it('may be about the whole', () => {
    expect(refusedRows('The body is too large.')).toBeNull()
  })
})
