import { failureOf } from '@countersign/app-kit/data/api.ts'
import { FailureNotice } from '@countersign/app-kit/shell/failure-notice.tsx'
import { Button, buttonStyle } from '@countersign/ui/button.tsx'
import { Empty, Skeleton } from '@countersign/ui/page.tsx'
import { Spinner } from '@countersign/ui/spinner.tsx'
import { VirtualList } from '@countersign/ui/virtual-list.tsx'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Link } from '@tanstack/react-router'
import { ArrowUp, ReceiptText, SearchX } from 'lucide-react'
import { useOrganization } from '../../../data/organization.tsx'
import { useRowKeys } from '../../../shell/use-row-keys.ts'
import { ExpenseRow } from './expense-row.tsx'
import { ResetFilters } from './filter-bar.tsx'
import { DEFAULT_VIEW, filtersIn, type Query, type Search } from './filters.ts'
import { useExpenseRows } from './use-expense-rows.ts'

const ROW_HEIGHT = 69

type Props = {
  search: Search
  query: Query
  openId: string | undefined
  onResetFilters(): void
}

export function ExpenseList({ search, query, openId, onResetFilters }: Props) {
  const { t } = useLingui()
  const list = useRowKeys()
  const found = useExpenseRows(query)
  const { rows, freshCount, isOutdated, isFetchingNextPage, hasNextPage } = found
  const failure = failureOf(found.error)
  const isSearching = isFetchingNextPage || (rows.length === 0 && hasNextPage && !failure)
  return (
    <div ref={list}>
      {failure && (
        <div className="mb-4">
          <FailureNotice
            failure={failure}
            onRetry={() => void (rows.length > 0 ? found.fetchNextPage() : found.refetch())}
          />
        </div>
      )}
      {found.isPending && (
        <div role="status" aria-label={t`Loading`}>
          <Skeleton lines={6} />
        </div>
      )}
      <div role="status" className="sticky top-16 z-10 flex justify-center">
        {(freshCount > 0 || isOutdated) && (
          <div className="my-2 rounded-md shadow-raised">
            <Button size="small" look="primary" onClick={found.showFresh}>
              <ArrowUp className="size-4" aria-hidden="true" />
              {freshCount > 0 ? (
                <Plural value={freshCount} one="# new · show" other="# new · show" />
              ) : (
                <Trans>The list has changed · show</Trans>
              )}
            </Button>
          </div>
        )}
      </div>
      {rows.length > 0 && (
        <div className="overflow-hidden rounded-lg border border-line border-b-0">
          <VirtualList
            items={rows}
            keyOf={({ id }) => id}
            label={t`Expenses`}
            estimatedHeight={ROW_HEIGHT}
            onEnd={found.wantMore}
          >
            {(expense) => <ExpenseRow expense={expense} isOpen={expense.id === openId} />}
          </VirtualList>
        </div>
      )}
      {isSearching && (
        <p role="status" className="flex items-center justify-center gap-2 py-4 text-muted text-sm">
          <Spinner />
          {filtersIn(search).length > 0 ? (
            <Trans>Searching further back…</Trans>
          ) : (
            <Trans>Loading older ones…</Trans>
          )}
        </p>
      )}
      {rows.length === 0 && !found.isPending && !isSearching && !failure && (
        <NothingListed search={search} onResetFilters={onResetFilters} />
      )}
    </div>
  )
}

/** None yet, none that matches, and none that waits are three different things. */
function NothingListed({ search, onResetFilters }: Pick<Props, 'search' | 'onResetFilters'>) {
  const { id: organizationId } = useOrganization()
  if (filtersIn(search).length > 0) {
    return (
      <Empty
        icon={<SearchX aria-hidden="true" />}
        title={<Trans>No matching expenses</Trans>}
        action={<ResetFilters search={search} onReset={onResetFilters} />}
      >
        <Trans>Finds the beginnings of words in purpose, reference and recipient.</Trans>
      </Empty>
    )
  }
  if ((search.view ?? DEFAULT_VIEW) === 'needs-me') {
    return (
      <Empty
        icon={<ReceiptText aria-hidden="true" />}
        title={<Trans>Nothing needs you right now</Trans>}
      />
    )
  }
  return (
    <Empty
      icon={<ReceiptText aria-hidden="true" />}
      title={<Trans>No expenses here yet</Trans>}
      action={
        <Link
          to="/organizations/$organizationId/expenses/new"
          params={{ organizationId }}
          className={buttonStyle({ look: 'primary' })}
        >
          <Trans>New expense</Trans>
        </Link>
      }
    >
      <Trans>
        An expense says what is paid, to whom and why. It is checked, reviewed and signed; then the
        vault pays it. Everyone can see where it stands.
      </Trans>
    </Empty>
  )
}
