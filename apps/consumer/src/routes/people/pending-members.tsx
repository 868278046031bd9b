import { useAction } from '@countersign/app-kit/data/actions.ts'
import { useRead } from '@countersign/app-kit/data/queries.ts'
import { FailureNotice } from '@countersign/app-kit/shell/failure-notice.tsx'
import { ReadView } from '@countersign/app-kit/shell/read-view.tsx'
import { nameOf } from '@countersign/app-kit/words/people.ts'
import { ROLES } from '@countersign/app-kit/words/states.ts'
import type { ItemOf } from '@countersign/client/operation-types.ts'
import { Button } from '@countersign/ui/button.tsx'
import { Moment } from '@countersign/ui/moment.tsx'
import { Card, Section } from '@countersign/ui/page.tsx'
import { Trans, useLingui } from '@lingui/react/macro'
import { useOrganization } from '../../data/organization.tsx'

/** Where owners confirm members: who accepted the invitation of a manager. */
export function PendingMembers() {
  const { id: organizationId } = useOrganization()
  const pending = useRead('listPendingMembers', { path: { organizationId } })
  return (
    <ReadView of={pending} lines={0}>
      {({ pendingMembers }) =>
        pendingMembers.length > 0 && (
          <Section title={<Trans>Waiting for you to confirm</Trans>} note={pendingMembers.length}>
            <Card isFlush>
              <ul className="divide-y divide-line">
                {pendingMembers.map((person) => (
                  <PendingMember key={person.membershipId} person={person} />
                ))}
              </ul>
            </Card>
          </Section>
        )
      }
    </ReadView>
  )
}

function PendingMember({ person }: { person: ItemOf<'listPendingMembers'> }) {
  const { i18n } = useLingui()
  const { id: organizationId } = useOrganization()
  const outdated = ['listPendingMembers', 'listMembers'] as const
  const confirm = useAction('confirmMember', outdated)
  const decline = useAction('revokeMember', outdated)
  const path = { organizationId, membershipId: person.membershipId }
  const failure = confirm.failure ?? decline.failure
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3 sm:px-5">
      <div className="min-w-0 flex-1 basis-48">
        <bdi className="block truncate font-medium">{nameOf(person)}</bdi>
        <p className="text-muted text-sm">
          {i18n._(ROLES[person.role])}
          {', '}
          <Trans>
            accepted <Moment at={person.createdAt} />
          </Trans>
        </p>
      </div>
      <Button
        size="small"
        isBusy={decline.isBusy}
        isDisabled={confirm.isBusy}
        onClick={() => void decline.run({ path })}
      >
        <Trans>Decline</Trans>
      </Button>
      <Button
        size="small"
        look="primary"
        isBusy={confirm.isBusy}
        isDisabled={decline.isBusy}
        onClick={() => void confirm.run({ path })}
      >
        <Trans>Confirm</Trans>
      </Button>
      {failure && (
        <div className="w-full">
          <FailureNotice failure={failure} />
        </div>
      )}
    </li>
  )
}
