import { useAction } from '@countersign/app-kit/data/actions.ts'
import { FailureNotice } from '@countersign/app-kit/shell/failure-notice.tsx'
import { Button, buttonStyle } from '@countersign/ui/button.tsx'
import { Notice } from '@countersign/ui/notice.tsx'
import { say } from '@countersign/ui/say.ts'
import { Trans, useLingui } from '@lingui/react/macro'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useOrganization } from '../../../data/organization.tsx'
import type { Recipient } from '../expense-types.ts'
import { ExpenseFields } from './expense-fields.tsx'
import { FormActions, type Wanted } from './form-actions.tsx'
import { useDraft } from './use-draft.ts'
import { type UsableVault, useExpenseForm } from './use-expense-form.ts'
import { EMPTY, isBegun, type Values } from './values.ts'

type Props = {
  recipients: readonly Recipient[]
  vaults: readonly UsableVault[]
  name: string
  initial: Values
}

const READS = ['listExpenses', 'countExpenses', 'getExpense'] as const

export function NewExpenseForm({ recipients, vaults, name, initial }: Props) {
  const { t } = useLingui()
  const navigate = useNavigate()
  const { id: organizationId } = useOrganization()
  const draft = useDraft(`${organizationId}.${name}`, () => initial)
  const form = useExpenseForm({ draft, recipients, vaults })
  const create = useAction('createExpense', READS)
  const submit = useAction('submitExpense', READS)
  const [wanted, setWanted] = useState<Wanted | null>(null)
  const isBusy = create.isBusy || submit.isBusy

  const send = async (want: Wanted, key = draft.key) => {
    const body = form.check()
    if (!body || isBusy) return
    setWanted(want)
    const made = await create.run({ path: { organizationId }, body, idempotencyKey: key })
    if (!made.ok) return
    const { id: expenseId, currentRevision: expectedVersion } = made.data
    const path = { organizationId, expenseId }
    const sent = want === 'send' ? await submit.run({ path, body: { expectedVersion } }) : null
    form.uploads.clear()
    draft.forget()
    if (sent && !sent.ok) say(t`Saved as a draft, but not sent yet.`, sent.failure.message)
    else if (sent) say(t`Sent. You will be notified when something is needed.`)
    else say(t`Saved as a draft.`)
    await navigate({ to: '/organizations/$organizationId/expenses/$expenseId', params: path })
  }
  const isReused = create.failure?.code === 'idempotency_key_reused'
  return (
    <form
      ref={form.form}
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        void send('send')
      }}
      className="flex flex-col gap-5"
    >
      <ExpenseFields {...form.fields} />
      {create.failure && !isReused && <FailureNotice failure={create.failure} />}
      {isReused && (
        <Notice
          tone="warn"
          isLive
          title={t`An earlier version of this form was saved already.`}
          actions={
            <>
              <Link
                to="/organizations/$organizationId/expenses"
                params={{ organizationId }}
                search={{ view: 'mine' }}
                className={buttonStyle({ size: 'small' })}
              >
                <Trans>Look at my expenses</Trans>
              </Link>
              <Button size="small" onClick={() => void send(wanted ?? 'draft', draft.renewKey())}>
                <Trans>Save this as a new expense</Trans>
              </Button>
            </>
          }
        >
          <Trans>The answer was lost on its way. Look first, so that nothing is paid twice.</Trans>
        </Notice>
      )}
      <FormActions
        busy={isBusy ? wanted : null}
        isUploading={form.uploads.isBusy}
        onDraft={() => void send('draft')}
        draft={<Trans>Save draft</Trans>}
        send={<Trans>Send for review</Trans>}
        startOver={
          isBegun(draft.values)
            ? {
                text: <Trans>Clear the form</Trans>,
                run: () => {
                  form.uploads.clear()
                  draft.startOver(EMPTY)
                },
              }
            : undefined
        }
      />
    </form>
  )
}
