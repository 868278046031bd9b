import { Address } from '@countersign/ui/address.tsx'
import { Button } from '@countersign/ui/button.tsx'
import { Mark } from '@countersign/ui/mark.tsx'
import { Trans, useLingui } from '@lingui/react/macro'
import { useState } from 'react'
import { useAction } from '../../data/actions.ts'
import { useOrganization } from '../../data/organization.tsx'
import type { PolicyLists } from '../../data/policy-lists.ts'
import { FailureNotice } from '../../shell/failure-notice.tsx'
import { type Member, WALLET_KINDS, WALLET_ROLES, type WalletRole } from '../../words/people.ts'
import { assignableRoles } from './member-rules.ts'
import { RevokeWalletRoleDialog } from './revoke-wallet-role-dialog.tsx'

type Props = {
  member: Member
  policies: readonly PolicyLists[] | undefined
  onNotices(notices: readonly string[]): void
}

/** The wallets of a member and what each may do here. */
export function WalletRoles({ member, policies = [], onNotices }: Props) {
  const { t, i18n } = useLingui()
  const { id: organizationId, role: mine } = useOrganization()
  const assign = useAction('assignWalletRole', ['listMembers', 'getVault'])
  const [revoking, setRevoking] = useState<Member['walletRoles'][number] | null>(null)
  const reason =
    mine === 'owner' ? undefined : t`Owners give and take wallet roles. Ask one of them.`
  const give = async (walletId: string, role: WalletRole) => {
    const body = { membershipId: member.membershipId, walletId, role }
    const given = await assign.run({ path: { organizationId }, body })
    // The button is gone then.
    if (given.ok) document.getElementById(walletId)?.focus()
  }
  if (member.wallets.length === 0) {
    return (
      <p className="text-muted text-sm">
        <Trans>No wallet yet. The person links one under "Wallets"; then it can get a role.</Trans>
      </p>
    )
  }
  return (
    <div className="flex flex-col gap-3">
      <ul className="flex flex-col gap-4">
        {member.wallets.map(({ id, address, kind }) => {
          const held = member.walletRoles.filter((role) => role.active && role.walletId === id)
          const isApprover = held.some(({ role }) => role === 'approver')
          const listing = policies.filter(({ approvers }) => approvers?.has(address.toLowerCase()))
          return (
            <li key={id} id={id} tabIndex={-1} className="outline-none">
              <p className="text-muted text-sm">{i18n._(WALLET_KINDS[kind])}</p>
              <Address address={address} />
              <div className="mt-1.5 flex flex-wrap items-center gap-2">
                {held.map((role) => (
                  <Mark key={role.id} kind="sign">
                    {i18n._(WALLET_ROLES[role.role])}
                  </Mark>
                ))}
                {isApprover &&
                  (listing.length > 0 ? (
                    <Mark kind="done">{t`In the policy`}</Mark>
                  ) : (
                    <Mark kind="warning">{t`Not in a policy yet`}</Mark>
                  ))}
              </div>
              <div className="mt-2 flex flex-wrap gap-2">
                {member.status === 'active' &&
                  assignableRoles(member, id).map((role) => (
                    <Button
                      key={role}
                      size="small"
                      reason={reason}
                      isDisabled={assign.isBusy}
                      onClick={() => void give(id, role)}
                    >
                      {role === 'approver' ? (
                        <Trans>Make it an approver</Trans>
                      ) : (
                        <Trans>Make it a treasury owner</Trans>
                      )}
                    </Button>
                  ))}
                {held.map((role) => (
                  <Button
                    key={role.id}
                    size="small"
                    look="quiet"
                    reason={reason}
                    onClick={() => setRevoking(role)}
                  >
                    {role.role === 'approver' ? (
                      <Trans>End the approver role</Trans>
                    ) : (
                      <Trans>End the treasury owner role</Trans>
                    )}
                  </Button>
                ))}
              </div>
            </li>
          )
        })}
      </ul>
      {assign.failure && <FailureNotice failure={assign.failure} />}
      {revoking && (
        <RevokeWalletRoleDialog
          member={member}
          walletRole={revoking}
          onClose={() => setRevoking(null)}
          onDone={(notices) => {
            setRevoking(null)
            onNotices(notices)
          }}
        />
      )}
    </div>
  )
}
