import { useIsWide } from '@countersign/app-kit/data/media.ts'
import { useRead } from '@countersign/app-kit/data/queries.ts'
import { ReadView } from '@countersign/app-kit/shell/read-view.tsx'
import { ExpenseMark } from '@countersign/app-kit/words/state-mark.tsx'
import { buttonStyle } from '@countersign/ui/button.tsx'
import { Heading } from '@countersign/ui/heading.tsx'
import { Trans } from '@lingui/react/macro'
import { getRouteApi, Link } from '@tanstack/react-router'
import { ArrowLeft } from 'lucide-react'
import { useOrganization } from '../../data/organization.tsx'
import { ActionBar } from './detail/action-bar.tsx'
import { AnalysisCard } from './detail/analysis-card.tsx'
import { BlockedNotice } from './detail/blocked-notice.tsx'
import { Comments } from './detail/comments.tsx'
import { ExpenseFacts } from './detail/expense-facts.tsx'
import { ExpenseTimeline } from './detail/expense-timeline.tsx'
import { historyOf } from './detail/history.ts'
import { useSituation } from './detail/use-situation.ts'
import type { Expense } from './expense-types.ts'

const route = getRouteApi('/signed-in/organizations/$organizationId/expenses/$expenseId')

export function ExpensePage() {
  const { organizationId, expenseId } = route.useParams()
  const isWide = useIsWide()
  const expense = useRead('getExpense', { path: { organizationId, expenseId } })
  return (
    <article
      key={expenseId}
      tabIndex={-1}
      data-arrival
      className="mx-auto w-full max-w-3xl px-4 pt-5 pb-28 outline-none sm:px-6 lg:pb-12"
    >
      {!isWide && (
        <Link
          to="/organizations/$organizationId/expenses"
          params={{ organizationId }}
          search={(search) => search}
          className="mb-2 inline-flex items-center gap-1.5 py-1 text-accent text-sm hover:underline"
        >
          <ArrowLeft className="size-4" aria-hidden="true" />
          <Trans>Expenses</Trans>
        </Link>
      )}
      <ReadView of={expense} lines={6}>
        {(read) => <Detail expense={read} />}
      </ReadView>
    </article>
  )
}

function Detail({ expense }: { expense: Expense }) {
  const { id: organizationId } = useOrganization()
  const { situation, accepted, vault, report, payment } = useSituation(expense)
  const { isReleaseManual } = situation
  const history = historyOf({ expense, report: report.data ?? null, payment, isReleaseManual })
  const params = { organizationId, paymentId: expense.paymentId }
  const isOver = ['paid', 'rejected', 'cancelled'].includes(expense.state)
  return (
    <div className="flex flex-col gap-6">
      <header>
        <p className="mb-1.5 flex flex-wrap items-center gap-3 text-muted text-sm">
          <span role="status">
            <ExpenseMark state={expense.state} />
          </span>
          {expense.currentRevision > 1 && <Trans>Revision {expense.currentRevision}</Trans>}
        </p>
        <Heading look="part">
          <bdi>{expense.revision.purpose}</bdi>
        </Heading>
      </header>
      {expense.state === 'blocked' && <BlockedNotice expense={expense} />}
      <ActionBar {...{ expense, situation, accepted, payment }} />
      {isOver && (
        <div className="flex flex-wrap gap-2">
          {expense.state === 'paid' && (
            <Link
              to="/organizations/$organizationId/payments/$paymentId"
              params={params}
              className={buttonStyle({ look: 'primary' })}
            >
              <Trans>Why did this leave?</Trans>
            </Link>
          )}
          <Link
            to="/organizations/$organizationId/expenses/new"
            params={{ organizationId }}
            search={{ copy: expense.id }}
            className={buttonStyle({})}
          >
            <Trans>Create a copy</Trans>
          </Link>
        </div>
      )}
      <ExpenseFacts expense={expense} vault={vault} />
      {expense.currentReportId && (
        <div>
          <AnalysisCard report={report} />
        </div>
      )}
      <div>
        <ExpenseTimeline history={history} situation={situation} />
      </div>
      <div>
        <Comments expense={expense} />
      </div>
    </div>
  )
}
