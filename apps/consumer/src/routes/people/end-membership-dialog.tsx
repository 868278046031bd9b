import { useAction } from '@countersign/app-kit/data/actions.ts'
import { ConfirmDialog } from '@countersign/app-kit/shell/confirm-dialog.tsx'
import { type Member, nameOf } from '@countersign/app-kit/words/people.ts'
import { Trans } from '@lingui/react/macro'
import { useOrganization } from '../../data/organization.tsx'

type Props = { member: Member; onClose(): void; onDone(notices: readonly string[]): void }

export function EndMembershipDialog({ member, onClose, onDone }: Props) {
  const { id: organizationId } = useOrganization()
  const revoke = useAction('revokeMember', ['listMembers', 'listInvitations', 'getVault'])
  const confirm = async () => {
    const path = { organizationId, membershipId: member.membershipId }
    const revoked = await revoke.run({ path })
    if (revoked.ok) onDone(revoked.data.notices)
  }
  const name = nameOf(member)
  return (
    <ConfirmDialog
      onClose={onClose}
      title={
        <Trans>
          Remove <bdi>{name}</bdi> from the organization?
        </Trans>
      }
      confirm={<Trans>Remove</Trans>}
      isDangerous
      isBusy={revoke.isBusy}
      failure={revoke.failure}
      onConfirm={confirm}
    >
      <p>
        <Trans>
          The access ends at once, and with it the roles of this person's wallets, approvals that
          have not been used, and open invitations. To return, the person needs a new invitation.
        </Trans>
      </p>
      <p className="text-muted text-sm">
        <Trans>
          A policy on chain that lists a wallet of this person keeps listing it until an owner signs
          a new policy.
        </Trans>
      </p>
    </ConfirmDialog>
  )
}
