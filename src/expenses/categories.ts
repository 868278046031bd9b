/** Pure rules for an organization's categories. */
import { AppError } from '#platform/errors.ts'
import { isVisible } from '#platform/values.ts'
import type { ExpenseCategory } from './categories.store.ts'

export const CATEGORIES_MAX = 200

export function requireValidCategories(categories: readonly ExpenseCategory[]): void {
  const codes = new Set<string>()
  for (const [index, { code, name }] of categories.entries()) {
    const field = `categories[${index}]`
    if (!isVisible(name)) throw invalid(`\`${field}.name\` must have a visible character.`)
    if (codes.has(code)) throw invalid(`\`${field}.code\` repeats the code of another category.`)
    codes.add(code)
  }
}

const invalid = (message: string) => new AppError('validation_failed', { message })
