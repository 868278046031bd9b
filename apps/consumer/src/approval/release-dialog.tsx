import { useAction } from '@countersign/app-kit/data/actions.ts'
import { FailureNotice } from '@countersign/app-kit/shell/failure-notice.tsx'
import { Address } from '@countersign/ui/address.tsx'
import { Button } from '@countersign/ui/button.tsx'
import { Dialog } from '@countersign/ui/dialog.tsx'
import { Money } from '@countersign/ui/money.tsx'
import { Notice } from '@countersign/ui/notice.tsx'
import { Fact, Facts } from '@countersign/ui/page.tsx'
import { say } from '@countersign/ui/say.ts'
import { Trans, useLingui } from '@lingui/react/macro'
import { useState } from 'react'
import { useOrganization } from '../data/organization.tsx'

/** Releasing a payment of these codes states that a person knows it to be lost. */
const GIVES_UP: readonly (string | null)[] = ['execution_not_found', 'nonce_used_elsewhere']

type Props = {
  expenseId: string
  /** The revision that is paid. */
  revision: number
  amountBaseUnits: string
  recipient: { address: string; label: string | null | undefined }
  blockCode: string | null
  onClose(): void
}

/** Money leaves after this, so it says once more how much and to whom. */
export function ReleaseDialog({
  expenseId,
  revision,
  amountBaseUnits,
  recipient,
  blockCode,
  onClose,
}: Props) {
  const { t } = useLingui()
  const { id: organizationId } = useOrganization()
  const release = useAction('queuePayment', [
    'getExpense',
    'getPayment',
    'listExpenses',
    'listActivity',
  ])
  const [version] = useState(revision)
  const send = async () => {
    const done = await release.run({
      path: { organizationId, expenseId },
      body: { expectedVersion: version },
    })
    if (!done.ok) return
    say(t`The payment is released.`)
    onClose()
  }
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={t`Release the payment`}
      description={t`Everything is checked once more, then it is sent.`}
      actions={
        <>
          <Button onClick={onClose}>
            <Trans>Not now</Trans>
          </Button>
          <Button look="primary" isBusy={release.isBusy} onClick={() => void send()}>
            <Trans>Release</Trans>
          </Button>
        </>
      }
    >
      <Facts>
        <Fact term={t`Pay`}>
          <Money baseUnits={amountBaseUnits} isStrong />
        </Fact>
        <Fact term={t`To`}>
          <Address address={recipient.address} name={recipient.label} />
        </Fact>
      </Facts>
      {GIVES_UP.includes(blockCode) && (
        <div className="mt-3">
          <Notice tone="warn">
            <Trans>
              By releasing you state that the earlier attempt is lost. Look on the chain and at the
              wallet provider first.
            </Trans>
          </Notice>
        </div>
      )}
      {release.failure && (
        <div className="mt-3">
          <FailureNotice failure={release.failure} />
        </div>
      )}
    </Dialog>
  )
}
