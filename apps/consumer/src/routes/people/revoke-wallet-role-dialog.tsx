import { useAction } from '@countersign/app-kit/data/actions.ts'
import { ConfirmDialog } from '@countersign/app-kit/shell/confirm-dialog.tsx'
import { type Member, nameOf, WALLET_ROLES } from '@countersign/app-kit/words/people.ts'
import { Address } from '@countersign/ui/address.tsx'
import { Trans, useLingui } from '@lingui/react/macro'
import { useOrganization } from '../../data/organization.tsx'

type Props = {
  member: Member
  walletRole: Member['walletRoles'][number]
  onClose(): void
  onDone(notices: readonly string[]): void
}

export function RevokeWalletRoleDialog({ member, walletRole, onClose, onDone }: Props) {
  const { i18n } = useLingui()
  const { id: organizationId } = useOrganization()
  const revoke = useAction('revokeWalletRole', ['listMembers', 'getVault'])
  const wallet = member.wallets.find(({ id }) => id === walletRole.walletId)
  const confirm = async () => {
    const path = { organizationId, walletRoleId: walletRole.id }
    const revoked = await revoke.run({ path })
    if (revoked.ok) onDone(revoked.data.notices)
  }
  return (
    <ConfirmDialog
      onClose={onClose}
      title={<Trans>End the role "{i18n._(WALLET_ROLES[walletRole.role])}"?</Trans>}
      confirm={<Trans>End the role</Trans>}
      isDangerous
      isBusy={revoke.isBusy}
      failure={revoke.failure}
      onConfirm={confirm}
    >
      {wallet && <Address address={wallet.address} name={nameOf(member)} />}
      <p>
        {walletRole.role === 'approver' ? (
          <Trans>
            Approvals that this wallet has signed and that have not been used end as well. The vault
            keeps accepting the wallet until its owner takes it out there, at once or with a new
            policy.
          </Trans>
        ) : (
          <Trans>
            The wallet can no longer prepare vaults and policies here. Vaults that it owns on chain
            stay its own.
          </Trans>
        )}
      </p>
    </ConfirmDialog>
  )
}
