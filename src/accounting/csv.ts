/** CSV as RFC 4180 describes it, safe to open in a spreadsheet. Pure. */

/** A cell that the service computes: a number, a date, an id. Null for none. */
type Computed = { value: string | null }
/** A cell with text that somebody wrote. */
type Written = { text: string | null }
export type Cell = Computed | Written

/** A spreadsheet would run text that begins like this as a formula. */
const FORMULA = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/

/** The apostrophe makes spreadsheets treat the cell as text; they do not show it. */
const escapeFormula = (text: string): string => (FORMULA.test(text) ? `'${text}` : text)

const quoted = (cell: string): string =>
  /[",\r\n]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell

const toText = (cell: Cell): string =>
  'text' in cell ? escapeFormula(cell.text ?? '') : (cell.value ?? '')

export const csvLine = (cells: readonly Cell[]): string =>
  `${cells.map((cell) => quoted(toText(cell))).join(',')}\r\n`

export type Column<Row> = { header: string; cell(row: Row): Cell }

export const headerLine = (columns: readonly { header: string }[]): string =>
  csvLine(columns.map(({ header }) => ({ value: header })))

export const rowLine = <Row>(columns: readonly Column<Row>[], row: Row): string =>
  csvLine(columns.map(({ cell }) => cell(row)))

/** A column of computed values. */
export const valueColumn = <Row>(
  header: string,
  value: (row: Row) => string | number | null,
): Column<Row> => ({
  header,
  cell(row) {
    const found = value(row)
    return { value: found === null ? null : String(found) }
  },
})

/** A column of text that somebody wrote. */
export const textColumn = <Row>(
  header: string,
  text: (row: Row) => string | null,
): Column<Row> => ({
  header,
  cell: (row) => ({ text: text(row) }),
})

export const oneLine = (text: string): string => text.replace(/\s+/gu, ' ').trim()

export const dayOfTimestamp = (timestamp: string): string => timestamp.slice(0, 10)
