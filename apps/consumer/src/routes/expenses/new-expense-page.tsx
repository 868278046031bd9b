import { useRead } from '@countersign/app-kit/data/queries.ts'
import { ReadView } from '@countersign/app-kit/shell/read-view.tsx'
import { Page } from '@countersign/ui/page.tsx'
import { useRegion } from '@countersign/ui/use-region.ts'
import { Trans } from '@lingui/react/macro'
import { getRouteApi } from '@tanstack/react-router'
import { useOrganization } from '../../data/organization.tsx'
import { NewExpenseForm } from './form/new-expense-form.tsx'
import { EMPTY, valuesOf } from './form/values.ts'
import { WithChoices } from './form/with-choices.tsx'

const route = getRouteApi('/signed-in/organizations/$organizationId/expenses/new')

export function NewExpensePage() {
  const { recipient, copy } = route.useSearch()
  return (
    <Page width="reading" title={<Trans>New expense</Trans>}>
      <WithChoices>
        {(choices) =>
          copy ? (
            <CopiedForm expenseId={copy} {...choices} />
          ) : (
            <NewExpenseForm
              {...choices}
              name="new"
              initial={{ ...EMPTY, recipientId: knownOf(recipient, choices.recipients) }}
            />
          )
        }
      </WithChoices>
    </Page>
  )
}

type Choices = Pick<Parameters<typeof NewExpenseForm>[0], 'recipients' | 'vaults'>

const knownOf = (id: string | undefined, recipients: Choices['recipients']): string | null =>
  recipients.find((recipient) => recipient.id === id && recipient.active)?.id ?? null

/** The terms of another expense, without its files and dates, which belong to that one. */
function CopiedForm({ expenseId, ...choices }: Choices & { expenseId: string }) {
  const region = useRegion()
  const { id: organizationId, config } = useOrganization()
  const expense = useRead('getExpense', { path: { organizationId, expenseId } })
  const units = { decimals: config.token.decimals, locale: region }
  return (
    <ReadView of={expense}>
      {({ revision }) => (
        <NewExpenseForm
          {...choices}
          name={`copy.${expenseId}`}
          initial={{
            ...valuesOf(revision, units),
            recipientId: knownOf(revision.recipientId, choices.recipients),
            vaultId: choices.vaults.find(({ id }) => id === revision.vaultId)?.id ?? null,
            reference: '',
            dueDate: '',
            attachments: [],
          }}
        />
      )}
    </ReadView>
  )
}
