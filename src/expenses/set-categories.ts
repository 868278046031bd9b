/** Replaces the organization's categories. Revisions keep the code and name that they copied. */
import type { Member } from '#access/permissions.ts'
import type { Context } from '#context.ts'
import { recordChange } from '#journal/journal.ts'
import { asActor, asMember } from '#organizations/actor.ts'
import { type ExpenseCategory, lockCategories, replaceCategories } from './categories.store.ts'
import { requireValidCategories } from './categories.ts'
import { expenseActions } from './expenses.actions.ts'

export type SetCategories = { actor: Member; categories: readonly ExpenseCategory[] }

const isSame = (a: readonly ExpenseCategory[], b: readonly ExpenseCategory[]): boolean =>
  a.length === b.length &&
  a.every(({ code, name }, n) => code === b[n]?.code && name === b[n]?.name)

/** Repeating the same list changes nothing and records nothing. */
export async function setCategories(
  ctx: Pick<Context, 'db' | 'clock' | 'ids'>,
  { actor, categories }: SetCategories,
): Promise<readonly ExpenseCategory[]> {
  requireValidCategories(categories)
  const { organizationId } = actor
  return asMember(ctx, actor, async (tx) => {
    const before = await lockCategories(tx, organizationId)
    if (isSame(before, categories)) return categories
    replaceCategories(tx, { organizationId, categories })
    await recordChange(ctx, tx, {
      organizationId,
      actor: asActor(actor),
      action: expenseActions.replace_categories,
      aggregateType: 'categories',
      aggregateId: organizationId,
      data: { before: before.map(({ code }) => code), categories },
    })
    return categories
  })
}
