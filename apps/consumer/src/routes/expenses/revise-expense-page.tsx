import { useRead } from '@countersign/app-kit/data/queries.ts'
import { ReadView } from '@countersign/app-kit/shell/read-view.tsx'
import { Notice } from '@countersign/ui/notice.tsx'
import { Page } from '@countersign/ui/page.tsx'
import { Trans, useLingui } from '@lingui/react/macro'
import { getRouteApi, Link } from '@tanstack/react-router'
import { ArrowLeft } from 'lucide-react'
import { actionsOf } from './detail/actions.ts'
import { useOffText } from './detail/off-text.ts'
import { useSituation } from './detail/use-situation.ts'
import type { Expense } from './expense-types.ts'
import { ReviseForm } from './form/revise-form.tsx'
import { WithChoices } from './form/with-choices.tsx'

const route = getRouteApi('/signed-in/organizations/$organizationId/expenses/$expenseId/revise')

export function ReviseExpensePage() {
  const params = route.useParams()
  const expense = useRead('getExpense', { path: params })
  return (
    <Page
      width="reading"
      title={<Trans>Revise the expense</Trans>}
      back={
        <Link
          to="/organizations/$organizationId/expenses/$expenseId"
          params={params}
          className="inline-flex items-center gap-1.5 text-accent hover:underline"
        >
          <ArrowLeft className="size-4" aria-hidden="true" />
          <Trans>Back to the expense</Trans>
        </Link>
      }
    >
      <ReadView of={expense} lines={6}>
        {(read) => <Revisable expense={read} />}
      </ReadView>
    </Page>
  )
}

/** The form only for the person and in the states in which the service takes a revision. */
function Revisable({ expense }: { expense: Expense }) {
  const { t } = useLingui()
  const { situation } = useSituation(expense)
  const offText = useOffText()
  const revise = actionsOf(situation).find(({ id }) => id === 'revise')
  if (!revise || revise.off) {
    return (
      <Notice tone="warn" title={t`This expense cannot be revised by you now.`}>
        {revise ? offText(revise.off) : <Trans>Its state does not allow it.</Trans>}
      </Notice>
    )
  }
  return (
    <WithChoices>
      {(choices) => <ReviseForm key={expense.id} {...choices} expense={expense} />}
    </WithChoices>
  )
}
