/** One message about several rows of a list in a request. Pure. */

/** `message` is a whole sentence that names the row. */
export type BadRow = { row: number; message: string }

const EXPLAINED_MAX = 20

/** Explains the first rows and names the others, so that one response is enough to fix a file. */
export function badRowsMessage(rows: readonly BadRow[]): string {
  const explained = rows.slice(0, EXPLAINED_MAX).map(({ message }) => message)
  const others = rows.slice(EXPLAINED_MAX).map(({ row }) => row)
  const more = others.length === 0 ? [] : [`Other bad rows: ${others.join(', ')}.`]
  return [...explained, ...more].join(' ')
}
