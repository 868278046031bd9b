import { useIsWide } from '@countersign/app-kit/data/media.ts'
import { ExpenseMark } from '@countersign/app-kit/words/state-mark.tsx'
import { classes } from '@countersign/ui/classes.ts'
import { Moment } from '@countersign/ui/moment.tsx'
import { Money } from '@countersign/ui/money.tsx'
import { Link } from '@tanstack/react-router'
import { useOrganization } from '../../../data/organization.tsx'
import { usePeople } from '../../../data/people.ts'
import type { ListedExpense } from '../expense-types.ts'

type Props = { expense: ListedExpense; isOpen: boolean }

export function ExpenseRow({ expense, isOpen }: Props) {
  const { id: organizationId } = useOrganization()
  const { nameOf } = usePeople()
  const isWide = useIsWide()
  const { purpose, amountBaseUnits, recipientLabel } = expense.revision
  return (
    <Link
      to="/organizations/$organizationId/expenses/$expenseId"
      params={{ organizationId, expenseId: expense.id }}
      search={(search) => search}
      resetScroll={!isWide}
      data-row
      aria-current={isOpen ? 'true' : undefined}
      activeProps={{}}
      className={classes(
        'press block border-line border-b px-4 py-2.5 -outline-offset-2',
        isOpen ? 'bg-selected' : 'bg-surface hover:bg-hover',
      )}
    >
      <span className="flex items-baseline justify-between gap-4">
        <bdi className="min-w-0 truncate font-medium">{purpose}</bdi>
        <Money baseUnits={amountBaseUnits} isStrong />
      </span>
      <span className="mt-1 flex items-center justify-between gap-3 text-muted text-sm">
        <span className="min-w-0 truncate">
          <bdi>{recipientLabel}</bdi> ·{' '}
          <bdi>{nameOf(expense.submitterAccountId, expense.submitterDisplayName)}</bdi> ·{' '}
          <Moment at={expense.createdAt} />
        </span>
        <ExpenseMark state={expense.state} />
      </span>
    </Link>
  )
}
