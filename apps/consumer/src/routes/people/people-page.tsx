import { useAllPages } from '@countersign/app-kit/data/all-pages.ts'
import { ReadView } from '@countersign/app-kit/shell/read-view.tsx'
import type { Member } from '@countersign/app-kit/words/people.ts'
import { Button } from '@countersign/ui/button.tsx'
import { Checkbox } from '@countersign/ui/field.tsx'
import { Notice } from '@countersign/ui/notice.tsx'
import { Card, Page, Section } from '@countersign/ui/page.tsx'
import { Trans, useLingui } from '@lingui/react/macro'
import { UserPlus } from 'lucide-react'
import { useState } from 'react'
import { isOwnerOrManager, useOrganization } from '../../data/organization.tsx'
import { usePolicyLists } from '../../data/policy-lists.ts'
import { useRowKeys } from '../../shell/use-row-keys.ts'
import { ChainNotices } from './chain-notices.tsx'
import { ChangeRoleDialog } from './change-role-dialog.tsx'
import { EndMembershipDialog } from './end-membership-dialog.tsx'
import { Invitations } from './invitations.tsx'
import { InviteDialog } from './invite-dialog.tsx'
import { LeaveDialog } from './leave-dialog.tsx'
import { MemberRow } from './member-row.tsx'
import { isLastOwner } from './member-rules.ts'
import { PendingMembers } from './pending-members.tsx'

type Open = { kind: 'invite' } | { kind: 'leave' } | { kind: 'role' | 'end'; member: Member } | null

/** Who is in the organization, and what they and their wallets may do. */
export function PeoplePage() {
  const { t } = useLingui()
  const organization = useOrganization()
  const { id: organizationId, role, accountId } = organization
  const mayInvite = isOwnerOrManager(organization)
  const members = useAllPages('listMembers', 'members', { path: { organizationId } })
  const policies = usePolicyLists(organizationId)
  const [open, setOpen] = useState<Open>(null)
  const [isAll, setAll] = useState(false)
  const [notices, setNotices] = useState<readonly string[]>([])
  const list = useRowKeys()

  const active = members.rows.filter(({ status }) => status === 'active')
  const ended = members.rows.length - active.length
  const me = active.find((member) => member.accountId === accountId)
  const amLastOwner = me !== undefined && isLastOwner(me, members.rows)
  const close = () => setOpen(null)
  const done = (said: readonly string[]) => {
    setNotices(said)
    close()
  }
  const invite = (
    <Button
      look="primary"
      reason={mayInvite ? undefined : t`Owners and managers invite people. Ask one of them.`}
      onClick={() => setOpen({ kind: 'invite' })}
    >
      <UserPlus className="size-4" aria-hidden="true" />
      <Trans>Invite</Trans>
    </Button>
  )

  return (
    <Page title={<Trans>People</Trans>} actions={invite}>
      <ChainNotices policies={policies} members={members.rows} notices={notices} />
      {role === 'owner' && <PendingMembers />}
      <Section
        title={<Trans>Members</Trans>}
        note={members.isComplete ? active.length : undefined}
        actions={
          ended > 0 && (
            <Checkbox
              label={t`Show removed people (${ended})`}
              checked={isAll}
              onChange={(event) => setAll(event.target.checked)}
            />
          )
        }
      >
        <ReadView of={members}>
          {() => (
            <Card isFlush>
              <div ref={list}>
                <ul className="divide-y divide-line">
                  {(isAll ? members.rows : active).map((member) => (
                    <MemberRow
                      key={member.membershipId}
                      member={member}
                      members={members.rows}
                      policies={policies}
                      onChangeRole={() => setOpen({ kind: 'role', member })}
                      onEnd={() => setOpen({ kind: 'end', member })}
                      onNotices={setNotices}
                    />
                  ))}
                </ul>
              </div>
            </Card>
          )}
        </ReadView>
      </Section>
      {members.isComplete && active.length === 1 && (
        <div className="mt-5">
          <Notice tone="info" title={<Trans>You are the only one here</Trans>}>
            <Trans>
              Nobody may review or sign an expense of their own while someone else could. With a
              second person, four eyes see every payment, and a lost key or a stolen session is not
              enough to move money.
            </Trans>
          </Notice>
        </div>
      )}
      {mayInvite && <Invitations />}
      {/* Shown only once the members above it are there, so that it does not move. */}
      {!members.isPending && (
        <Section title={<Trans>Leave the organization</Trans>}>
          <Button
            reason={
              amLastOwner
                ? t`You are the last owner, and an organization always has one. Make someone else an owner first.`
                : undefined
            }
            onClick={() => setOpen({ kind: 'leave' })}
          >
            <Trans>Leave</Trans>
          </Button>
          {amLastOwner && (
            <p className="mt-2 max-w-prose text-muted text-sm">
              <Trans>
                You are the last owner, and an organization always has one. Make someone else an
                owner first.
              </Trans>
            </p>
          )}
        </Section>
      )}
      {open?.kind === 'invite' && <InviteDialog onClose={close} />}
      {open?.kind === 'leave' && <LeaveDialog onClose={close} />}
      {open?.kind === 'role' && (
        <ChangeRoleDialog member={open.member} onClose={close} onDone={done} />
      )}
      {open?.kind === 'end' && (
        <EndMembershipDialog member={open.member} onClose={close} onDone={done} />
      )}
    </Page>
  )
}
