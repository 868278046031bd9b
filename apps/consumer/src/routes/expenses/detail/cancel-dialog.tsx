import { useAction } from '@countersign/app-kit/data/actions.ts'
import { FailureNotice } from '@countersign/app-kit/shell/failure-notice.tsx'
import { Button } from '@countersign/ui/button.tsx'
import { Dialog } from '@countersign/ui/dialog.tsx'
import { TextArea } from '@countersign/ui/field.tsx'
import { say } from '@countersign/ui/say.ts'
import { Trans, useLingui } from '@lingui/react/macro'
import { useState } from 'react'
import { useOrganization } from '../../../data/organization.tsx'
import type { Expense } from '../expense-types.ts'

const READS = ['getExpense', 'listExpenses', 'countExpenses'] as const

/** Cancelling takes no reason in the API: a reason becomes a comment, which is written first. */
export function CancelDialog({ expense, onClose }: { expense: Expense; onClose(): void }) {
  const { t } = useLingui()
  const { id: organizationId, config } = useOrganization()
  const cancel = useAction('cancelExpense', READS)
  const comment = useAction('commentOnExpense')
  const [reason, setReason] = useState('')
  const [isWritten, setWritten] = useState(false)
  const [version] = useState(expense.currentRevision)
  const path = { organizationId, expenseId: expense.id }
  const send = async () => {
    const body = reason.trim()
    if (body !== '' && !isWritten) {
      const written = await comment.run({ path, body: { body } })
      if (!written.ok) return
      setWritten(true)
    }
    const done = await cancel.run({ path, body: { expectedVersion: version } })
    if (!done.ok) return
    say(t`The expense is cancelled.`)
    onClose()
  }
  const failure = cancel.failure ?? comment.failure
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={t`Cancel this expense?`}
      description={t`This ends the expense and cannot be undone. You can create a new one from a copy.`}
      actions={
        <>
          <Button onClick={onClose}>
            <Trans>Keep it</Trans>
          </Button>
          <Button
            look="danger"
            isBusy={cancel.isBusy || comment.isBusy}
            onClick={() => void send()}
          >
            <Trans>Cancel the expense</Trans>
          </Button>
        </>
      }
    >
      <TextArea
        label={t`Reason (optional)`}
        hint={t`It becomes a comment on the expense.`}
        maxLength={config.limits.lengths.comment}
        value={reason}
        readOnly={isWritten}
        onChange={({ target }) => setReason(target.value)}
      />
      {failure && (
        <div className="mt-3">
          <FailureNotice failure={failure} />
        </div>
      )}
    </Dialog>
  )
}
