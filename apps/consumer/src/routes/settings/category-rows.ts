/** Categories while they are being edited. */
export type Category = { code: string; name: string }
export type CategoryRow = { id: string; code: string; name: string }
export type CategoryProblem = 'code_missing' | 'code_characters' | 'code_repeated' | 'name_missing'

export const CATEGORIES_MAX = 200
const CODE = /^[!-~]{1,40}$/

/** By the id of the row. Rows that are empty altogether are dropped when they are saved. */
export function problemsOf(rows: readonly CategoryRow[]): Map<string, CategoryProblem> {
  const problems = new Map<string, CategoryProblem>()
  const seen = new Set<string>()
  for (const { id, code, name } of rows.filter((row) => !isEmpty(row))) {
    const text = code.trim()
    if (text === '') problems.set(id, 'code_missing')
    else if (!CODE.test(text)) problems.set(id, 'code_characters')
    else if (seen.has(text)) problems.set(id, 'code_repeated')
    else if (name.trim() === '') problems.set(id, 'name_missing')
    seen.add(text)
  }
  return problems
}

const isEmpty = ({ code, name }: CategoryRow): boolean => code.trim() === '' && name.trim() === ''

export const toCategories = (rows: readonly CategoryRow[]): Category[] =>
  rows
    .filter((row) => !isEmpty(row))
    .map(({ code, name }) => ({ code: code.trim(), name: name.trim() }))

/** The row moved by one place, where there is one. */
export function moved(rows: readonly CategoryRow[], at: number, by: -1 | 1): CategoryRow[] {
  const to = at + by
  const row = rows[at]
  if (!row || to < 0 || to >= rows.length) return [...rows]
  const others = rows.toSpliced(at, 1)
  return others.toSpliced(to, 0, row)
}
