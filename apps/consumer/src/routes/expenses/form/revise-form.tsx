import { useAction } from '@countersign/app-kit/data/actions.ts'
import { FailureNotice } from '@countersign/app-kit/shell/failure-notice.tsx'
import { Button } from '@countersign/ui/button.tsx'
import { TextArea } from '@countersign/ui/field.tsx'
import { Notice } from '@countersign/ui/notice.tsx'
import { say } from '@countersign/ui/say.ts'
import { useRegion } from '@countersign/ui/use-region.ts'
import { Trans, useLingui } from '@lingui/react/macro'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useOrganization } from '../../../data/organization.tsx'
import { DifferenceList } from '../detail/difference-list.tsx'
import { differencesOf } from '../differences.ts'
import type { Expense, Recipient } from '../expense-types.ts'
import { ExpenseFields } from './expense-fields.tsx'
import { FormActions, type Wanted } from './form-actions.tsx'
import { useDraft } from './use-draft.ts'
import { type UsableVault, useExpenseForm } from './use-expense-form.ts'
import { valuesOf } from './values.ts'

type Props = {
  expense: Expense
  recipients: readonly Recipient[]
  vaults: readonly UsableVault[]
}

const READS = ['getExpense', 'listExpenses', 'countExpenses'] as const

export function ReviseForm({ expense, recipients, vaults }: Props) {
  const { t } = useLingui()
  const region = useRegion()
  const navigate = useNavigate()
  const { id: organizationId, config } = useOrganization()
  const units = { decimals: config.token.decimals, locale: region }
  // What the person saw when the form opened. A newer revision becomes it only when they say so.
  const [base, setBase] = useState(expense.revision)
  const name = `${organizationId}.revise.${expense.id}`
  const draft = useDraft(name, () => valuesOf(base, units))
  const form = useExpenseForm({ draft, recipients, vaults })
  const revise = useAction('reviseExpense', READS)
  const submit = useAction('submitExpense', READS)
  const [wanted, setWanted] = useState<Wanted | null>(null)
  const [isAsked, setAsked] = useState(false)
  const isBusy = revise.isBusy || submit.isBusy
  const isOvertaken = expense.currentRevision !== base.revision
  const isReasonMissing = draft.reason.trim() === ''

  const send = async (want: Wanted) => {
    setAsked(true)
    const terms = form.check()
    if (!terms || isReasonMissing || isOvertaken || isBusy) return
    setWanted(want)
    const path = { organizationId, expenseId: expense.id }
    const body = { ...terms, expectedVersion: base.revision, reason: draft.reason.trim() }
    const made = await revise.run({ path, body })
    if (!made.ok) return
    const expectedVersion = made.data.currentRevision
    const sent = want === 'send' ? await submit.run({ path, body: { expectedVersion } }) : null
    form.uploads.clear()
    draft.forget()
    if (sent && !sent.ok) say(t`The revision is saved, but not sent yet.`, sent.failure.message)
    else if (sent) say(t`Sent. You will be notified when something is needed.`)
    else say(t`The revision is saved.`)
    await navigate({ to: '/organizations/$organizationId/expenses/$expenseId', params: path })
  }
  const asked = expense.reviews?.find(
    ({ action, revision }) => action === 'request_revision' && revision === base.revision,
  )
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
      {asked && (
        <Notice tone="info" title={t`What the reviewer asked for`}>
          <q className="whitespace-pre-line">
            <bdi>{asked.reason}</bdi>
          </q>
        </Notice>
      )}
      <ExpenseFields {...form.fields} before={base} />
      <TextArea
        label={t`What did you change, and why?`}
        hint={t`Reviewers read it.`}
        maxLength={config.limits.lengths.reviewReason}
        value={draft.reason}
        problem={isAsked && isReasonMissing ? t`Say it in a few words.` : undefined}
        onChange={({ target }) => draft.setReason(target.value)}
      />
      {isOvertaken && (
        <Notice
          tone="warn"
          isLive
          title={t`There is a newer revision. What you typed is still here.`}
          actions={
            <Button
              size="small"
              onClick={() => {
                setBase(expense.revision)
                revise.reset()
              }}
            >
              <Trans>I have seen it. Continue from there</Trans>
            </Button>
          }
        >
          <DifferenceList differences={differencesOf(base, expense.revision)} />
        </Notice>
      )}
      {revise.failure && <FailureNotice failure={revise.failure} />}
      <FormActions
        busy={isBusy ? wanted : null}
        isUploading={form.uploads.isBusy}
        onDraft={() => void send('draft')}
        draft={<Trans>Save only</Trans>}
        send={<Trans>Save and send for review</Trans>}
        startOver={{
          text: <Trans>Undo my changes</Trans>,
          run: () => {
            form.uploads.clear()
            draft.startOver(valuesOf(base, units))
          },
        }}
      />
    </form>
  )
}
