import { useAction } from '@countersign/app-kit/data/actions.ts'
import { FailureNotice } from '@countersign/app-kit/shell/failure-notice.tsx'
import { ROLES } from '@countersign/app-kit/words/states.ts'
import type { DataOf } from '@countersign/client/operation-types.ts'
import { Button } from '@countersign/ui/button.tsx'
import { Dialog } from '@countersign/ui/dialog.tsx'
import { ChoiceGroup, Radio, TextField } from '@countersign/ui/field.tsx'
import { Trans, useLingui } from '@lingui/react/macro'
import { type FormEvent, useId, useState } from 'react'
import { useOrganization } from '../../data/organization.tsx'
import { ROLE_HINTS } from './change-role-dialog.tsx'
import { InvitationReady } from './invitation-ready.tsx'
import { invitableRoles } from './member-rules.ts'

/** Asks for a role, then shows the link once. */
export function InviteDialog({ onClose }: { onClose(): void }) {
  const { t, i18n } = useLingui()
  const { id: organizationId, role: mine, config } = useOrganization()
  const invite = useAction('createInvitation', ['listInvitations'])
  const roles = invitableRoles(mine)
  const [role, setRole] = useState<'employee' | 'manager'>('employee')
  const [email, setEmail] = useState('')
  const [made, setMade] = useState<DataOf<'createInvitation'> | null>(null)
  const formId = useId()
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    const address = email.trim()
    const body = { role, ...(address && { email: address }) }
    const invited = await invite.run({ path: { organizationId }, body })
    if (invited.ok) setMade(invited.data)
  }
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={made ? <Trans>The invitation is ready</Trans> : <Trans>Invite someone</Trans>}
      actions={
        made ? (
          <Button look="primary" onClick={onClose}>
            <Trans>Done</Trans>
          </Button>
        ) : (
          <>
            <Button onClick={onClose}>
              <Trans>Cancel</Trans>
            </Button>
            <Button type="submit" form={formId} look="primary" isBusy={invite.isBusy}>
              <Trans>Create the invitation</Trans>
            </Button>
          </>
        )
      }
    >
      {made ? (
        <InvitationReady invitation={made} />
      ) : (
        <form id={formId} onSubmit={submit} className="flex flex-col gap-4">
          <ChoiceGroup label={t`Role`}>
            {roles.map((each) => (
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
          <TextField
            type="email"
            label={t`E-mail address, if only this person may accept`}
            hint={
              config.features.email
                ? t`The invitation is sent there. Without an address, whoever has the link can join.`
                : t`No e-mail is sent here: you hand over the link. Without an address, whoever has the link can join.`
            }
            value={email}
            onChange={(event) => setEmail(event.target.value)}
            maxLength={254}
            autoComplete="off"
          />
          <p className="text-muted text-sm">
            <Trans>To make someone an owner, change the role after they have joined.</Trans>
          </p>
          {invite.failure && <FailureNotice failure={invite.failure} />}
        </form>
      )}
    </Dialog>
  )
}
