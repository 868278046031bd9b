import { useAction } from '@countersign/app-kit/data/actions.ts'
import { ConfirmDialog } from '@countersign/app-kit/shell/confirm-dialog.tsx'
import { Button } from '@countersign/ui/button.tsx'
import { say } from '@countersign/ui/say.ts'
import { Trans, useLingui } from '@lingui/react/macro'
import { useState } from 'react'

type Props = { organizationId: string; onDone(): void }

/** Has a job look at the executor again. It says what that changes before it happens. */
export function LookAgainButton({ organizationId, onDone }: Props) {
  const { t } = useLingui()
  const [isAsking, setAsking] = useState(false)
  const reconcile = useAction('reconcileAdminExecutor')
  const run = async () => {
    const { ok } = await reconcile.run({ path: { organizationId } })
    if (!ok) return
    setAsking(false)
    say(t`A job looks at the executor`, t`Read again in a moment to see the outcome.`)
    onDone()
  }
  return (
    <>
      <Button size="small" onClick={() => setAsking(true)}>
        <Trans>Look again</Trans>
      </Button>
      {isAsking && (
        <ConfirmDialog
          onClose={() => setAsking(false)}
          title={<Trans>Have the executor looked at again?</Trans>}
          confirm={<Trans>Look again</Trans>}
          isBusy={reconcile.isBusy}
          failure={reconcile.failure}
          onConfirm={() => void run()}
        >
          <p>
            <Trans>
              A failed provisioning is tried again, a lost job is started again, and the gas balance
              of an active executor is read again. No money moves and no payment is sent.
            </Trans>
          </p>
          <p className="text-muted">
            <Trans>It is recorded in the organization's audit trail, with your account.</Trans>
          </p>
        </ConfirmDialog>
      )}
    </>
  )
}
