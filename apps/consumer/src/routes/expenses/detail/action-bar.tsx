import { useAction } from '@countersign/app-kit/data/actions.ts'
import { FailureNotice } from '@countersign/app-kit/shell/failure-notice.tsx'
import { Button, buttonStyle } from '@countersign/ui/button.tsx'
import { say } from '@countersign/ui/say.ts'
import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { ReleaseDialog } from '../../../approval/release-dialog.tsx'
import { useOrganization } from '../../../data/organization.tsx'
import type { Approval, Expense, PaymentDetail } from '../expense-types.ts'
import { type ActionId, actionsOf, type ExpenseAction, type Situation } from './actions.ts'
import { CancelDialog } from './cancel-dialog.tsx'
import { InvalidateDialog } from './invalidate-dialog.tsx'
import { useOffText } from './off-text.ts'
import { ReviewDialog } from './review-dialog.tsx'

const NAMES: Record<ActionId, MessageDescriptor> = {
  submit: msg`Send for review`,
  revise: msg`Revise`,
  cancel: msg`Cancel the expense`,
  review: msg`Review`,
  sign: msg`Review and sign`,
  release: msg`Release`,
  reconcile: msg`Look again`,
  invalidate: msg`Invalidate the signature`,
}

function nameOf(id: ActionId, { state }: Expense): MessageDescriptor {
  if (id === 'revise' && (state === 'draft' || state === 'needs_review')) return msg`Edit`
  if (id === 'review' && state === 'awaiting_approval') return msg`Ask for changes or reject`
  return id === 'release' && state === 'blocked' ? msg`Release again` : NAMES[id]
}

type Props = {
  expense: Expense
  situation: Situation
  accepted: readonly Approval[]
  payment: PaymentDetail | null
}
type Open = 'review' | 'cancel' | 'invalidate' | 'release'

const READS = ['getExpense', 'getPayment', 'listExpenses', 'countExpenses'] as const

/** Every button of the state. Those that are not for this person are off and say who could. */
export function ActionBar({ expense, situation, accepted, payment }: Props) {
  const { t, i18n } = useLingui()
  const { id: organizationId } = useOrganization()
  const offText = useOffText()
  const [open, setOpen] = useState<Open | null>(null)
  const submit = useAction('submitExpense', READS)
  const reconcile = useAction('reconcilePayment', READS)
  const actions = actionsOf(situation)
  const path = { organizationId, expenseId: expense.id }
  const expectedVersion = expense.currentRevision
  const close = () => setOpen(null)

  const start = async (id: ActionId) => {
    if (id === 'submit') {
      const sent = await submit.run({ path, body: { expectedVersion } })
      if (sent.ok) say(t`Sent. You will be notified when something is needed.`)
    } else if (id === 'reconcile' && payment) {
      const { id: paymentId, expenseRevision } = payment.payment
      const asked = await reconcile.run({
        path: { organizationId, paymentId },
        body: { expectedVersion: expenseRevision },
      })
      if (asked.ok) say(t`The chain is being searched again.`)
    } else if (id === 'review' || id === 'cancel' || id === 'invalidate' || id === 'release') {
      setOpen(id)
    }
  }
  // An owner may invalidate every signature, an approver only their own.
  const invalidable = accepted.filter(
    (one) => situation.role === 'owner' || one.accountId === situation.accountId,
  )
  const failure = submit.failure ?? reconcile.failure
  if (actions.length === 0) return null
  // A refusal is never what a screen recommends.
  const isRefusal = (id: ActionId) =>
    id === 'invalidate' || (id === 'review' && expense.state === 'awaiting_approval')
  const look = ({ id, isMain, off }: ExpenseAction) =>
    isMain && !off && !isRefusal(id) ? 'primary' : 'secondary'
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap gap-2">
        {actions.map((action) => {
          const { id, off } = action
          const name = i18n._(nameOf(id, expense))
          if ((id === 'sign' || id === 'revise') && !off) {
            return (
              <Link
                key={id}
                to={`/organizations/$organizationId/expenses/$expenseId/${id}`}
                params={path}
                className={buttonStyle({ look: look(action) })}
              >
                {name}
              </Link>
            )
          }
          return (
            <Button
              key={id}
              look={look(action)}
              reason={offText(off)}
              isBusy={
                (id === 'submit' && submit.isBusy) || (id === 'reconcile' && reconcile.isBusy)
              }
              onClick={() => void start(id)}
            >
              {name}
            </Button>
          )
        })}
      </div>
      {failure && <FailureNotice failure={failure} />}
      {open === 'review' && <ReviewDialog expense={expense} onClose={close} />}
      {open === 'cancel' && <CancelDialog expense={expense} onClose={close} />}
      {open === 'release' && (
        <ReleaseDialog
          expenseId={expense.id}
          revision={expectedVersion}
          amountBaseUnits={expense.revision.amountBaseUnits}
          recipient={{
            address: expense.revision.recipientAddress,
            label: expense.revision.recipientLabel,
          }}
          blockCode={expense.blockCode}
          onClose={close}
        />
      )}
      {open === 'invalidate' && (
        <InvalidateDialog expense={expense} approvals={invalidable} onClose={close} />
      )}
    </div>
  )
}
