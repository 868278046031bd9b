import { useAction } from '@countersign/app-kit/data/actions.ts'
import { useRead } from '@countersign/app-kit/data/queries.ts'
import { SelectField, TextArea, TextField } from '@countersign/ui/field.tsx'
import { Trans, useLingui } from '@lingui/react/macro'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useOrganization } from '../../data/organization.tsx'
import { FormDialog } from '../../shell/form-dialog.tsx'
import { PRIORITIES, withRequest } from '../../words/support.ts'

/** What the case is about comes from the screen that opened it. */
export type About = {
  expense?: string | undefined
  payment?: string | undefined
  request?: string | undefined
}

const REQUEST_LINE = 80

export function NewCaseDialog({ about, onClose }: { about: About; onClose(): void }) {
  const { t, i18n } = useLingui()
  const navigate = useNavigate()
  const { id: organizationId, config } = useOrganization()
  const open = useAction('openSupportCase', ['listSupportCases'])
  const expense = useRead(
    'getExpense',
    { path: { organizationId, expenseId: about.expense ?? '' } },
    { isEnabled: about.expense !== undefined },
  )
  const [subject, setSubject] = useState('')
  const [body, setBody] = useState('')
  const [priority, setPriority] = useState('2')
  const submit = async () => {
    const text = withRequest(body.trim(), about.request)
    const opened = await open.run({
      path: { organizationId },
      body: {
        subject: subject.trim(),
        priority: Number(priority),
        ...(text && { body: text }),
        ...(about.expense && { expenseId: about.expense }),
        ...(about.payment && { paymentId: about.payment }),
      },
    })
    if (!opened.ok) return
    await navigate({
      to: '/organizations/$organizationId/support-cases/$caseId',
      params: { organizationId, caseId: opened.data.id },
    })
  }
  return (
    <FormDialog
      title={<Trans>New support case</Trans>}
      description={<Trans>The people who run this service read it. Owners see it, too.</Trans>}
      action={<Trans>Send</Trans>}
      isReady={subject.trim() !== ''}
      isBusy={open.isBusy}
      failure={open.failure}
      onSubmit={submit}
      onClose={onClose}
    >
      {(about.expense || about.payment || about.request) && (
        <div className="rounded-md bg-sunken px-3 py-2 text-sm">
          {about.expense && (
            <p>
              <Trans>About the expense</Trans>{' '}
              <bdi className="font-medium">{expense.data?.revision.purpose ?? about.expense}</bdi>
            </p>
          )}
          {about.payment && (
            <p className="break-all">
              <Trans>About the payment {about.payment}</Trans>
            </p>
          )}
          {about.request && (
            <p className="break-all">
              <Trans>With the request {about.request}</Trans>
            </p>
          )}
        </div>
      )}
      <TextField
        label={t`What is it about?`}
        value={subject}
        onChange={(event) => setSubject(event.target.value)}
        maxLength={config.limits.lengths.supportSubject}
        autoComplete="off"
        required
      />
      <TextArea
        label={t`What happened, and what did you expect?`}
        hint={t`Never write a key or a password here.`}
        rows={5}
        value={body}
        onChange={(event) => setBody(event.target.value)}
        maxLength={config.limits.lengths.comment - REQUEST_LINE}
      />
      <SelectField
        label={t`Priority`}
        value={priority}
        onChange={(event) => setPriority(event.target.value)}
        options={PRIORITIES.map(({ value, word }) => ({ value, label: i18n._(word) }))}
      />
    </FormDialog>
  )
}
