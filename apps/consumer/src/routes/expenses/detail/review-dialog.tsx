import { useAction } from '@countersign/app-kit/data/actions.ts'
import { FailureNotice } from '@countersign/app-kit/shell/failure-notice.tsx'
import { Address } from '@countersign/ui/address.tsx'
import { Button } from '@countersign/ui/button.tsx'
import { Dialog } from '@countersign/ui/dialog.tsx'
import { ChoiceGroup, Radio, TextArea } from '@countersign/ui/field.tsx'
import { Money } from '@countersign/ui/money.tsx'
import { say } from '@countersign/ui/say.ts'
import { Trans, useLingui } from '@lingui/react/macro'
import { useState } from 'react'
import { useOrganization } from '../../../data/organization.tsx'
import type { Expense } from '../expense-types.ts'
import { reviewChoices } from './actions.ts'

type Choice = ReturnType<typeof reviewChoices>[number]

/** A decision about the revision on the screen, with a reason that the submitter reads. */
export function ReviewDialog({ expense, onClose }: { expense: Expense; onClose(): void }) {
  const { t } = useLingui()
  const { id: organizationId, config } = useOrganization()
  const review = useAction('reviewExpense', ['getExpense', 'listExpenses', 'countExpenses'])
  const [action, setAction] = useState<Choice | null>(null)
  const [reason, setReason] = useState('')
  const [isAsked, setAsked] = useState(false)
  // The version that was on the screen when the dialog opened, not one that arrived since.
  const [version] = useState(expense.currentRevision)
  const { amountBaseUnits, recipientAddress, recipientLabel } = expense.revision
  const words: Record<Choice, { label: string; hint: string; button: string }> = {
    advance_to_approval: {
      label: t`Accept`,
      hint: t`An approver can then sign it. Nothing is paid yet.`,
      button: t`Accept`,
    },
    request_revision: {
      label: t`Ask for changes`,
      hint: t`The submitter revises it, and it is checked again.`,
      button: t`Ask for changes`,
    },
    reject: {
      label: t`Reject`,
      hint: t`This ends the expense and cannot be undone.`,
      button: t`Reject`,
    },
  }
  const send = async () => {
    setAsked(true)
    if (!action || reason.trim() === '') return
    const done = await review.run({
      path: { organizationId, expenseId: expense.id },
      body: { expectedVersion: version, action, reason: reason.trim() },
    })
    if (!done.ok) return
    say(t`Your review is recorded.`)
    onClose()
  }
  const isMissing = isAsked && reason.trim() === ''
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={t`Review`}
      description={<bdi className="line-clamp-2">{expense.revision.purpose}</bdi>}
      actions={
        <>
          <Button onClick={onClose}>
            <Trans>Not now</Trans>
          </Button>
          <Button
            look={action === 'reject' ? 'danger' : 'primary'}
            isBusy={review.isBusy}
            onClick={() => void send()}
          >
            {action ? words[action].button : t`Record the review`}
          </Button>
        </>
      }
    >
      <div className="mb-4 flex flex-col gap-1">
        <Money baseUnits={amountBaseUnits} isStrong />
        <Address address={recipientAddress} name={recipientLabel} />
      </div>
      <ChoiceGroup label={t`Your decision`}>
        {reviewChoices(expense).map((choice) => (
          <Radio
            key={choice}
            name="review"
            label={words[choice].label}
            hint={words[choice].hint}
            checked={action === choice}
            onChange={() => setAction(choice)}
          />
        ))}
      </ChoiceGroup>
      {isAsked && !action && (
        <p role="alert" className="mb-2 text-bad text-sm">
          <Trans>Choose one of these.</Trans>
        </p>
      )}
      <TextArea
        label={t`Reason`}
        hint={t`The submitter and other reviewers read it.`}
        problem={isMissing ? t`Say why, in a few words.` : undefined}
        maxLength={config.limits.lengths.reviewReason}
        value={reason}
        onChange={({ target }) => {
          setReason(target.value)
          review.reset()
        }}
      />
      {review.failure && (
        <div className="mt-3">
          <FailureNotice failure={review.failure} />
        </div>
      )}
    </Dialog>
  )
}
