import { useAction } from '@countersign/app-kit/data/actions.ts'
import { useAllPages } from '@countersign/app-kit/data/all-pages.ts'
import { ConfirmDialog } from '@countersign/app-kit/shell/confirm-dialog.tsx'
import { ReadView } from '@countersign/app-kit/shell/read-view.tsx'
import { ROLES } from '@countersign/app-kit/words/states.ts'
import type { ItemOf } from '@countersign/client/operation-types.ts'
import { Button } from '@countersign/ui/button.tsx'
import { Moment } from '@countersign/ui/moment.tsx'
import { Card, Section } from '@countersign/ui/page.tsx'
import { Trans, useLingui } from '@lingui/react/macro'
import { useState } from 'react'
import { useOrganization } from '../../data/organization.tsx'

type Invitation = ItemOf<'listInvitations'>

/** Invitations that someone could still accept. */
export function Invitations() {
  const { t, i18n } = useLingui()
  const { id: organizationId, role: mine } = useOrganization()
  const invitations = useAllPages('listInvitations', 'invitations', {
    path: { organizationId },
  })
  const [revoking, setRevoking] = useState<Invitation | null>(null)
  return (
    <ReadView of={invitations} lines={0}>
      {() => {
        const open = invitations.rows.filter(({ status }) => status === 'open')
        if (open.length === 0) return null
        return (
          <Section title={<Trans>Open invitations</Trans>} note={open.length}>
            <Card isFlush>
              <ul className="divide-y divide-line">
                {open.map((invitation) => (
                  <li
                    key={invitation.id}
                    className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3 sm:px-5"
                  >
                    <div className="min-w-0 flex-1 basis-48">
                      <p className="break-words">
                        <span className="font-medium">{i18n._(ROLES[invitation.role])}</span>
                        {invitation.email ? (
                          <bdi className="ms-2">{invitation.email}</bdi>
                        ) : (
                          <span className="ms-2 text-muted">
                            <Trans>whoever has the link</Trans>
                          </span>
                        )}
                      </p>
                      <p className="text-muted text-sm">
                        {invitation.invitedByDisplayName && (
                          <>
                            <Trans>
                              from <bdi>{invitation.invitedByDisplayName}</bdi>
                            </Trans>
                            {', '}
                          </>
                        )}
                        <Trans>
                          expires <Moment at={invitation.expiresAt} />
                        </Trans>
                      </p>
                    </div>
                    <Button
                      size="small"
                      reason={
                        mine === 'manager' && invitation.role === 'manager'
                          ? t`Only owners revoke invitations of managers.`
                          : undefined
                      }
                      onClick={() => setRevoking(invitation)}
                    >
                      <Trans>Revoke</Trans>
                    </Button>
                  </li>
                ))}
              </ul>
            </Card>
            {revoking && (
              <RevokeInvitationDialog invitation={revoking} onClose={() => setRevoking(null)} />
            )}
          </Section>
        )
      }}
    </ReadView>
  )
}

function RevokeInvitationDialog(props: { invitation: Invitation; onClose(): void }) {
  const { invitation, onClose } = props
  const { id: organizationId } = useOrganization()
  const revoke = useAction('revokeInvitation', ['listInvitations'])
  const confirm = async () => {
    const path = { organizationId, invitationId: invitation.id }
    if ((await revoke.run({ path })).ok) onClose()
  }
  return (
    <ConfirmDialog
      onClose={onClose}
      title={<Trans>Revoke this invitation?</Trans>}
      confirm={<Trans>Revoke</Trans>}
      isDangerous
      isBusy={revoke.isBusy}
      failure={revoke.failure}
      onConfirm={confirm}
    >
      <p>
        <Trans>The link stops working. Someone who has already joined stays a member.</Trans>
      </p>
    </ConfirmDialog>
  )
}
