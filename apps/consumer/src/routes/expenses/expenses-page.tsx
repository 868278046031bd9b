import { useIsWide } from '@countersign/app-kit/data/media.ts'
import { classes } from '@countersign/ui/classes.ts'
import { Heading } from '@countersign/ui/heading.tsx'
import { Trans } from '@lingui/react/macro'
import { getRouteApi, Outlet, useParams } from '@tanstack/react-router'
import { MousePointerClick } from 'lucide-react'
import { useState } from 'react'
import { useOrganization } from '../../data/organization.tsx'
import { ExpenseList } from './list/expense-list.tsx'
import { FilterBar } from './list/filter-bar.tsx'
import { queryOf } from './list/filters.ts'
import { ViewLinks } from './list/view-links.tsx'

const route = getRouteApi('/signed-in/organizations/$organizationId/expenses')

/** The list, and beside it the open expense where there is room. */
export function ExpensesPage() {
  const search = route.useSearch()
  const { accountId, config } = useOrganization()
  const { expenseId } = useParams({ strict: false })
  const isWide = useIsWide()
  const [resets, setResets] = useState(0)
  const onReset = () => setResets((count) => count + 1)
  const query = queryOf(search, { accountId, decimals: config.token.decimals })
  if (expenseId && !isWide) return <Outlet />
  return (
    <div className="xl:grid xl:grid-cols-[minmax(24rem,2fr)_3fr]">
      <div className="min-w-0 px-4 pt-5 pb-28 sm:px-6 lg:pb-12">
        <div className="mb-2">
          <Heading isAside={expenseId !== undefined}>
            <Trans>Expenses</Trans>
          </Heading>
        </div>
        <ViewLinks search={search} />
        <div className="mt-2 mb-3">
          <FilterBar search={search} query={query} resets={resets} onReset={onReset} />
        </div>
        <ExpenseList search={search} query={query} openId={expenseId} onResetFilters={onReset} />
      </div>
      {isWide && (
        <div
          className={classes(
            'sticky top-14 h-[calc(100dvh-3.5rem)] overflow-y-auto border-line border-s',
            expenseId ? 'bg-page' : 'bg-sunken/40',
          )}
        >
          {expenseId ? (
            <Outlet />
          ) : (
            <div className="flex h-full flex-col items-center justify-center gap-3 text-muted">
              <MousePointerClick className="size-8" aria-hidden="true" />
              <p>
                <Trans>Choose an expense to see it here.</Trans>
              </p>
            </div>
          )}
        </div>
      )}
    </div>
  )
}
