import { useRead } from '@countersign/app-kit/data/queries.ts'
import { classes } from '@countersign/ui/classes.ts'
import { Count, ViewRow, viewStyle } from '@countersign/ui/tabs.tsx'
import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { Link } from '@tanstack/react-router'
import { useOrganization } from '../../../data/organization.tsx'
import { EXPENSE_VIEWS } from '../../../search.ts'
import { countOf, countText } from './counts.ts'
import { DEFAULT_VIEW, inView, type Search, type View, viewStates } from './filters.ts'

const VIEW_NAMES: Record<View, MessageDescriptor> = {
  'needs-me': msg`Needs me`,
  mine: msg`Mine`,
  'in-progress': msg`In progress`,
  paid: msg`Paid`,
  all: msg`All`,
}

/** One row on a phone, and in the narrow list beside an open expense. */
const TIGHT = classes(
  'max-sm:[&_a]:gap-1 max-sm:[&_a]:px-1.5 max-sm:[&_span]:bg-transparent max-sm:[&_span]:px-0',
  'xl:[&_a]:gap-1 xl:[&_a]:px-1.5 xl:[&_span]:bg-transparent xl:[&_span]:px-0',
  'min-[1400px]:[&_a]:px-2',
)

/** How many expenses each view has, without the filters. */
function useCounts(): Partial<Record<View, string>> {
  const { id: organizationId, accountId } = useOrganization()
  const path = { organizationId }
  const all = useRead('countExpenses', { path }).data
  const mine = useRead('countExpenses', { path, query: { submitterAccountId: accountId } }).data
  const waiting = useRead('countExpenses', { path, query: { waitingFor: 'me' } }).data
  return {
    ...(all && {
      'in-progress': countText(countOf(all, viewStates('in-progress'))),
      paid: countText(countOf(all, viewStates('paid'))),
      all: countText(countOf(all, null)),
    }),
    ...(mine && { mine: countText(countOf(mine, null)) }),
    ...(waiting && { 'needs-me': countText(countOf(waiting, null)) }),
  }
}

export function ViewLinks({ search }: { search: Search }) {
  const { t, i18n } = useLingui()
  const { id: organizationId } = useOrganization()
  const counts = useCounts()
  const current = search.view ?? DEFAULT_VIEW
  return (
    <div className={classes('[&>nav]:flex-nowrap [&>nav]:gap-0', TIGHT)}>
      <ViewRow label={t`Views`}>
        {EXPENSE_VIEWS.map((view) => (
          <Link
            key={view}
            to="/organizations/$organizationId/expenses"
            params={{ organizationId }}
            search={inView(search, view)}
            className={viewStyle(view === current)}
            activeProps={{}}
            aria-current={view === current ? 'page' : undefined}
          >
            {i18n._(VIEW_NAMES[view])}
            <Count>{counts[view]}</Count>
          </Link>
        ))}
      </ViewRow>
    </div>
  )
}
