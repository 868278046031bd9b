import { useAction } from '@countersign/app-kit/data/actions.ts'
import { FailureNotice } from '@countersign/app-kit/shell/failure-notice.tsx'
import { Button } from '@countersign/ui/button.tsx'
import { Dialog } from '@countersign/ui/dialog.tsx'
import { TextField } from '@countersign/ui/field.tsx'
import { say } from '@countersign/ui/say.ts'
import { Trans, useLingui } from '@lingui/react/macro'
import { useState } from 'react'
import { useOrganization } from '../../../data/organization.tsx'
import type { Approval } from '../expense-types.ts'

const HASH = /^0x[0-9a-f]{64}$/i

type Props = { approval: Pick<Approval, 'approvalId'>; onClose(): void }

/** For a transaction that another page or wallet sent, so that it counts at once. */
export function ReportInvalidation({ approval: { approvalId }, onClose }: Props) {
  const { t } = useLingui()
  const { id: organizationId } = useOrganization()
  const invalidate = useAction('invalidateApproval', ['getExpense', 'getPayment'])
  const [hash, setHash] = useState('')
  const [isAsked, setAsked] = useState(false)
  const isHash = HASH.test(hash.trim())
  const send = async () => {
    setAsked(true)
    if (!isHash) return
    const done = await invalidate.run({
      path: { organizationId, approvalId },
      body: { transactionHash: hash.trim() },
    })
    if (!done.ok) return
    say(t`The signature no longer counts.`)
    onClose()
  }
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={t`Report the transaction`}
      description={t`The wallet that signed, or the vault's owner, has sent invalidateApproval to the vault. The service also finds it by itself.`}
      actions={
        <>
          <Button onClick={onClose}>
            <Trans>Not now</Trans>
          </Button>
          <Button look="danger" isBusy={invalidate.isBusy} onClick={() => void send()}>
            <Trans>Report the transaction</Trans>
          </Button>
        </>
      }
    >
      <TextField
        label={t`Transaction hash`}
        value={hash}
        placeholder="0x…"
        autoComplete="off"
        spellCheck={false}
        problem={isAsked && !isHash ? t`Enter 0x and 64 hexadecimal digits.` : undefined}
        onChange={({ target }) => {
          setHash(target.value)
          invalidate.reset()
        }}
      />
      {invalidate.failure && (
        <div className="mt-3">
          <FailureNotice failure={invalidate.failure} />
        </div>
      )}
    </Dialog>
  )
}
