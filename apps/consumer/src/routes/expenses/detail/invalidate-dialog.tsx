import { useAction } from '@countersign/app-kit/data/actions.ts'
import { FailureNotice } from '@countersign/app-kit/shell/failure-notice.tsx'
import { Button } from '@countersign/ui/button.tsx'
import { Dialog } from '@countersign/ui/dialog.tsx'
import { ChoiceGroup, Radio, TextField } from '@countersign/ui/field.tsx'
import { say } from '@countersign/ui/say.ts'
import { Trans, useLingui } from '@lingui/react/macro'
import { useState } from 'react'
import { useOrganization } from '../../../data/organization.tsx'
import { usePeople } from '../../../data/people.ts'
import type { Approval } from '../expense-types.ts'

const HASH = /^0x[0-9a-f]{64}$/i

type Props = { approvals: readonly Approval[]; onClose(): void }

/** The vault invalidates; here its transaction is reported, so that it counts at once. */
export function InvalidateDialog({ approvals, onClose }: Props) {
  const { t } = useLingui()
  const { id: organizationId } = useOrganization()
  const invalidate = useAction('invalidateApproval', ['getExpense', 'getPayment'])
  const { nameOf } = usePeople()
  const [chosen, setChosen] = useState(approvals[0]?.approvalId ?? '')
  const [hash, setHash] = useState('')
  const [isAsked, setAsked] = useState(false)
  const isHash = HASH.test(hash.trim())
  const send = async () => {
    setAsked(true)
    if (!isHash) return
    const done = await invalidate.run({
      path: { organizationId, approvalId: chosen },
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
      title={t`Invalidate the signature`}
      description={t`Send invalidateApproval to the vault from the wallet that signed, or from the vault's owner. Then enter the transaction here. The service also finds it by itself.`}
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
      {approvals.length > 1 && (
        <div className="mb-3">
          <ChoiceGroup label={t`Which signature?`}>
            {approvals.map(({ approvalId, accountId, displayName, approverAddress }) => (
              <Radio
                key={approvalId}
                name="approval"
                label={nameOf(accountId, displayName)}
                hint={<span className="break-all font-mono">{approverAddress}</span>}
                checked={chosen === approvalId}
                onChange={() => setChosen(approvalId)}
              />
            ))}
          </ChoiceGroup>
        </div>
      )}
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
