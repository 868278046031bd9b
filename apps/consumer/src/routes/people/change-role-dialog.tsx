import { useAction } from '@countersign/app-kit/data/actions.ts'
import { ConfirmDialog } from '@countersign/app-kit/shell/confirm-dialog.tsx'
import { type Member, nameOf } from '@countersign/app-kit/words/people.ts'
import { ROLES } from '@countersign/app-kit/words/states.ts'
import { ChoiceGroup, Radio } from '@countersign/ui/field.tsx'
import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { useState } from 'react'
import { type Role, useOrganization } from '../../data/organization.tsx'

export const ROLE_HINTS: Record<Role, MessageDescriptor> = {
  owner: msg`Everything: people, wallet roles, vaults, policies, the audit trail.`,
  manager: msg`Reviews expenses, manages recipients and categories, invites employees.`,
  employee: msg`Submits expenses and follows their own.`,
}

type Props = { member: Member; onClose(): void; onDone(notices: readonly string[]): void }

export function ChangeRoleDialog({ member, onClose, onDone }: Props) {
  const { t, i18n } = useLingui()
  const { id: organizationId } = useOrganization()
  const change = useAction('changeMemberRole', ['listMembers', 'getAccount', 'getVault'])
  const [role, setRole] = useState<Role>(member.role)
  const confirm = async () => {
    const path = { organizationId, membershipId: member.membershipId }
    const changed = await change.run({ path, body: { role } })
    if (changed.ok) onDone(changed.data.notices)
  }
  return (
    <ConfirmDialog
      onClose={onClose}
      title={
        <Trans>
          Role of <bdi>{nameOf(member)}</bdi>
        </Trans>
      }
      confirm={<Trans>Change the role</Trans>}
      isBusy={change.isBusy}
      isDisabled={role === member.role}
      failure={change.failure}
      onConfirm={confirm}
    >
      <ChoiceGroup label={t`Role`}>
        {(['owner', 'manager', 'employee'] as const).map((each) => (
          <Radio
            key={each}
            name="role"
            label={i18n._(ROLES[each])}
            hint={i18n._(ROLE_HINTS[each])}
            checked={role === each}
            onChange={() => setRole(each)}
          />
        ))}
      </ChoiceGroup>
      {member.role === 'owner' && role !== 'owner' && (
        <p className="text-sm">
          <Trans>
            The wallets of this person lose the treasury owner role. Vaults they own on chain stay
            theirs: move the funds first.
          </Trans>
        </p>
      )}
      <p className="text-muted text-sm">
        <Trans>All owners are notified.</Trans>
      </p>
    </ConfirmDialog>
  )
}
