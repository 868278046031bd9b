import { useAction } from '@countersign/app-kit/data/actions.ts'
import { ConfirmDialog } from '@countersign/app-kit/shell/confirm-dialog.tsx'
import { say } from '@countersign/ui/say.ts'
import { Trans, useLingui } from '@lingui/react/macro'
import { useNavigate } from '@tanstack/react-router'
import { useOrganization } from '../../data/organization.tsx'

export function LeaveDialog({ onClose }: { onClose(): void }) {
  const { t } = useLingui()
  const navigate = useNavigate()
  const { id: organizationId, name } = useOrganization()
  const leave = useAction('leaveOrganization')
  const confirm = async () => {
    if (!(await leave.run({ path: { organizationId } })).ok) return
    say(t`You have left ${name}`)
    // A reload, because everything that the page knows of the organization is no longer theirs.
    await navigate({ to: '/', reloadDocument: true })
  }
  return (
    <ConfirmDialog
      onClose={onClose}
      title={
        <Trans>
          Leave <bdi>{name}</bdi>?
        </Trans>
      }
      confirm={<Trans>Leave</Trans>}
      isDangerous
      isBusy={leave.isBusy}
      failure={leave.failure}
      onConfirm={confirm}
    >
      <p>
        <Trans>
          You lose access at once, and the roles of your wallets in this organization end. Only an
          invitation brings you back.
        </Trans>
      </p>
    </ConfirmDialog>
  )
}
