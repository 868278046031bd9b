/**
 * Recipients from a file or pasted text: a name and an address on each line, separated by commas,
 * semicolons or tabs. Everything is text; nothing that looks like a formula is computed.
 */
import {
  type AddressIndex,
  indexAddresses,
  type KnownAddress,
  type ReadAddress,
  readAddress,
} from './look-alikes.ts'

export const ROWS_MAX = 500
const LABEL_MAX = 100

export type RowProblem =
  | { kind: 'no_name' | 'long_name' | 'bad_name' | 'no_address' | 'bad_address' | 'bad_checksum' }
  | { kind: 'repeated'; line: number }
  | { kind: 'known'; label: string }
  | { kind: 'refused'; message: string }

export type FileRow = {
  /** As the file counts them, from 1. */
  line: number
  label: string
  address: string
  problems: readonly RowProblem[]
  /** Recipients that this address can be mistaken for. A warning: the row can be imported. */
  lookAlikes: readonly KnownAddress[]
}

export type ReadFile = { rows: FileRow[]; isTooLong: boolean }

const SEPARATORS = ['\t', ';', ','] as const
const NAME_TITLES = /^(?:name|label|recipient|empfänger|bezeichnung)$/i
const ADDRESS_TITLES = /^(?:address|wallet|wallet address|adresse)$/i
const UNPRINTABLE = /[\p{Cc}\u2028-\u202e\u2066-\u2069]/u

const ADDRESS_PROBLEMS = {
  empty: 'no_address',
  not_an_address: 'bad_address',
  bad_checksum: 'bad_checksum',
} as const

type Record = { line: number; cells: string[] }

/** The separator of the first line, outside of quotes. */
function separatorOf(text: string): string {
  const [first = ''] = text.replace(/"[^"]*"/g, '').split('\n')
  return SEPARATORS.find((separator) => first.includes(separator)) ?? ','
}

/** RFC 4180: a quoted cell may contain separators, line ends and doubled quotes. */
export function recordsOf(text: string): Record[] {
  const separator = separatorOf(text)
  const records: Record[] = []
  let line = 1
  let record: Record = { line, cells: [] }
  let cell = ''
  let isQuoted = false
  const endCell = () => {
    record.cells.push(neutral(cell))
    cell = ''
  }
  const endRecord = () => {
    endCell()
    if (record.cells.some((each) => each !== '')) records.push(record)
    record = { line, cells: [] }
  }
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at)
    if (character === '\n') line += 1
    if (isQuoted) {
      if (character !== '"') cell += character
      else if (text[at + 1] === '"') {
        cell += '"'
        at += 1
      } else isQuoted = false
    } else if (character === '"' && cell.trim() === '') {
      cell = ''
      isQuoted = true
    } else if (character === separator) endCell()
    else if (character === '\n') endRecord()
    else if (character !== '\r') cell += character
  }
  endRecord()
  return records
}

/** Undoes what spreadsheets and exports do to keep text from being read as a formula. */
function neutral(cell: string): string {
  const text = cell.trim()
  const wrapped = /^="([^"]*)"$/.exec(text)
  if (wrapped) return wrapped[1] ?? ''
  return /^'[=+\-@\t]/.test(text) ? text.slice(1) : text
}

type Columns = { name: number; address: number; hasTitles: boolean }

function columnsOf([first]: readonly Record[]): Columns {
  const cells = first?.cells ?? []
  const titled = cells.findIndex((cell) => ADDRESS_TITLES.test(cell))
  if (titled >= 0) {
    const named = cells.findIndex((cell) => NAME_TITLES.test(cell))
    const other = titled === 0 ? 1 : 0
    return { name: named >= 0 ? named : other, address: titled, hasTitles: true }
  }
  const address = Math.max(
    cells.findIndex((cell) => /^0x/i.test(cell)),
    -1,
  )
  if (address < 0) return { name: 0, address: 1, hasTitles: false }
  return { name: address === 0 ? 1 : 0, address, hasTitles: false }
}

type Earlier = { label: string; address: string; active: boolean; line: number }

function problemsOf(
  { label, read }: { label: string; read: ReadAddress },
  { known, earlier }: { known: AddressIndex<KnownAddress>; earlier: AddressIndex<Earlier> },
): RowProblem[] {
  const recipient = read.ok ? known.find(read.address) : undefined
  const first = read.ok ? earlier.find(read.address) : undefined
  const problems: (RowProblem | false)[] = [
    label === '' && { kind: 'no_name' },
    label.length > LABEL_MAX && { kind: 'long_name' },
    UNPRINTABLE.test(label) && { kind: 'bad_name' },
    !read.ok && { kind: ADDRESS_PROBLEMS[read.problem] },
    first !== undefined && { kind: 'repeated', line: first.line },
    recipient !== undefined && { kind: 'known', label: recipient.label },
  ]
  return problems.filter((problem) => problem !== false)
}

export function readRecipientFile(text: string, recipients: readonly KnownAddress[]): ReadFile {
  const records = recordsOf(text.replace(/^\ufeff/, ''))
  const columns = columnsOf(records)
  const own = columns.hasTitles ? records.slice(1) : records
  const known = indexAddresses(recipients)
  const earlier = indexAddresses<Earlier>([])
  const rows = own.slice(0, ROWS_MAX).map(({ line, cells }): FileRow => {
    const label = cells[columns.name] ?? ''
    const typed = cells[columns.address] ?? ''
    const read = readAddress(typed)
    const address = read.ok ? read.address : typed
    const problems = problemsOf({ label, read }, { known, earlier })
    const lookAlikes = read.ok
      ? [...known.lookAlikesOf(address), ...earlier.lookAlikesOf(address)]
      : []
    earlier.add({ label, address, active: read.ok, line })
    return { line, label, address, problems, lookAlikes }
  })
  return { rows, isTooLong: own.length > ROWS_MAX }
}

/** Why the service refused rows, by their place in the request. Null if it says nothing of rows. */
export function refusedRows(message: string): Map<number, string> | null {
  const refused = new Map<number, string>()
  for (const part of message.split(/(?=`recipients\[\d+\]`: )/)) {
    const [, row, reason] = /^`recipients\[(\d+)\]`: ([\s\S]*)$/.exec(part) ?? []
    if (row === undefined || reason === undefined) continue
    const said = reason.replace(/ ?Other bad rows: [\d, ]+\.$/, '').replaceAll('`', '')
    refused.set(Number(row), said.trim())
  }
  const [, others = ''] = /Other bad rows: ([\d, ]+)\.$/.exec(message) ?? []
  for (const row of others.split(', ').filter(Boolean)) refused.set(Number(row), '')
  return refused.size > 0 ? refused : null
}
