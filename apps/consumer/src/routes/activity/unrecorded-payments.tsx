import { useAction } from '@countersign/app-kit/data/actions.ts'
import { useAllPages } from '@countersign/app-kit/data/all-pages.ts'
import { FailureNotice } from '@countersign/app-kit/shell/failure-notice.tsx'
import type { ItemOf } from '@countersign/client/operation-types.ts'
import { Address, Hash } from '@countersign/ui/address.tsx'
import { Button } from '@countersign/ui/button.tsx'
import { Dialog } from '@countersign/ui/dialog.tsx'
import { TextArea } from '@countersign/ui/field.tsx'
import { Moment } from '@countersign/ui/moment.tsx'
import { Money } from '@countersign/ui/money.tsx'
import { Notice } from '@countersign/ui/notice.tsx'
import { Card, Section } from '@countersign/ui/page.tsx'
import { Trans, useLingui } from '@lingui/react/macro'
import { useState } from 'react'
import { isOwnerOrManager, useOrganization } from '../../data/organization.tsx'

type Unrecorded = ItemOf<'listUnrecordedPayments'>

/** Payments of a vault that the service knows nothing about. Nothing is shown while there are none. */
export function UnrecordedPayments() {
  const organization = useOrganization()
  return isOwnerOrManager(organization) && <OpenOnes organizationId={organization.id} />
}

function OpenOnes({ organizationId }: { organizationId: string }) {
  const { rows: list } = useAllPages('listUnrecordedPayments', 'unrecordedPayments', {
    path: { organizationId },
    query: { state: 'open' },
  })
  if (list.length === 0) return null
  return (
    <div className="mb-8">
      <Section title={<Trans>Not recorded here</Trans>} note={list.length}>
        <Notice tone="bad" title={<Trans>A vault made a payment that nobody requested here</Trans>}>
          <Trans>
            Either a restored backup lacks these payments, or someone else has the executor's key.
            Find out what each was. If you do not know, pause the policy.
          </Trans>
        </Notice>
        <div className="mt-3">
          <Card isFlush>
            <ul className="divide-y divide-line">
              {list.map((payment) => (
                <Row key={payment.id} payment={payment} />
              ))}
            </ul>
          </Card>
        </div>
      </Section>
    </div>
  )
}

function Row({ payment }: { payment: Unrecorded }) {
  const { t } = useLingui()
  const { role } = useOrganization()
  const [isOpen, setOpen] = useState(false)
  return (
    <li className="flex flex-wrap items-start justify-between gap-4 px-4 py-3 sm:px-5">
      <div className="min-w-0">
        <p>
          <Money baseUnits={payment.amountBaseUnits} isStrong />{' '}
          <span className="text-muted text-sm">
            <Moment at={payment.executedAt} style="full" />
          </span>
        </p>
        <Address address={payment.recipientAddress} name={payment.recipientLabel} />
        <Hash hash={payment.transactionHash} label={t`Copy the transaction hash`} />
      </div>
      <Button
        reason={role === 'owner' ? undefined : t`An owner of the organization can do this.`}
        onClick={() => setOpen(true)}
      >
        <Trans>Say what it was</Trans>
      </Button>
      {isOpen && <Acknowledge payment={payment} onClose={() => setOpen(false)} />}
    </li>
  )
}

function Acknowledge({ payment, onClose }: { payment: Unrecorded; onClose(): void }) {
  const { t } = useLingui()
  const [reason, setReason] = useState('')
  const [isChecked, setChecked] = useState(false)
  const action = useAction('acknowledgeUnrecordedPayment', ['listUnrecordedPayments'])
  const isBlank = reason.trim() === ''
  const { organizationId, id: unrecordedPaymentId } = payment
  const send = async () => {
    setChecked(true)
    if (isBlank) return
    const path = { organizationId, unrecordedPaymentId }
    const done = await action.run({ path, body: { reason: reason.trim() } })
    if (done.ok) onClose()
  }
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={<Trans>What was this payment?</Trans>}
      description={<Trans>What you write is kept in the audit trail.</Trans>}
      actions={
        <Button look="primary" isBusy={action.isBusy} onClick={() => void send()}>
          <Trans>Confirm</Trans>
        </Button>
      }
    >
      {action.failure && <FailureNotice failure={action.failure} />}
      <TextArea
        label={<Trans>What you found out</Trans>}
        value={reason}
        maxLength={1_000}
        onChange={(event) => setReason(event.target.value)}
        problem={isChecked && isBlank ? t`Say what it was.` : undefined}
      />
    </Dialog>
  )
}
