import { useAction } from '@countersign/app-kit/data/actions.ts'
import { useRead } from '@countersign/app-kit/data/queries.ts'
import { FailureNotice } from '@countersign/app-kit/shell/failure-notice.tsx'
import { ReadView } from '@countersign/app-kit/shell/read-view.tsx'
import { ROLES } from '@countersign/app-kit/words/states.ts'
import { Button } from '@countersign/ui/button.tsx'
import { TextField } from '@countersign/ui/field.tsx'
import { Card, Empty, Page, Section } from '@countersign/ui/page.tsx'
import { Trans, useLingui } from '@lingui/react/macro'
import { Link, useNavigate } from '@tanstack/react-router'
import { Building2, ChevronRight } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { DemoNotice } from './demo-notice.tsx'
import { tokenOfInvitation } from './invitation-link.ts'

/** The organizations of the person, and the two ways to another one. */
export function StartPage() {
  const { i18n } = useLingui()
  const me = useRead('getAccount', {})
  return (
    <Page width="reading" title={<Trans>Your organizations</Trans>}>
      <ReadView of={me} lines={2}>
        {({ memberships, pendingMemberships = [] }) => {
          const active = memberships.filter(({ status }) => status === 'active')
          return (
            <>
              {active.length === 0 && pendingMemberships.length === 0 && (
                <Empty
                  icon={<Building2 aria-hidden="true" />}
                  title={<Trans>You are not in an organization yet</Trans>}
                >
                  <Trans>
                    Create one for your company, or open the invitation someone sent you.
                  </Trans>
                </Empty>
              )}
              {active.length > 0 && (
                <Card isFlush>
                  <ul className="divide-y divide-line">
                    {active.map(({ organizationId, organizationName, role }) => (
                      <li key={organizationId}>
                        <Link
                          to="/organizations/$organizationId"
                          params={{ organizationId }}
                          className="press flex min-h-16 items-center gap-4 px-5 py-3 hover:bg-hover"
                        >
                          <span className="min-w-0 flex-1">
                            <bdi className="block truncate font-medium">{organizationName}</bdi>
                            <span className="text-muted text-sm">{i18n._(ROLES[role])}</span>
                          </span>
                          <ChevronRight className="size-5 text-muted" aria-hidden="true" />
                        </Link>
                      </li>
                    ))}
                  </ul>
                </Card>
              )}
              {pendingMemberships.map(({ id, organizationName }) => (
                <p key={id} className="mt-3 text-muted">
                  <Trans>
                    <bdi className="font-medium">{organizationName}</bdi>: an owner has to confirm
                    that you join.
                  </Trans>
                </p>
              ))}
              <DemoNotice memberOf={active.map(({ organizationId }) => organizationId)} />
            </>
          )
        }}
      </ReadView>
      <CreateOrganization />
      <JoinOrganization />
    </Page>
  )
}

function CreateOrganization() {
  const { t } = useLingui()
  const navigate = useNavigate()
  const config = useRead('getClientConfig', {})
  const create = useAction('createOrganization', ['getAccount', 'listOrganizations'])
  const [name, setName] = useState('')
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    const made = await create.run({ body: { name: name.trim() } })
    if (made.ok) {
      await navigate({
        to: '/organizations/$organizationId',
        params: { organizationId: made.data.id },
      })
    }
  }
  return (
    <Section title={<Trans>Create an organization</Trans>}>
      <Card>
        <form onSubmit={submit} className="flex flex-col gap-4">
          <TextField
            label={t`Name`}
            hint={t`Your company's name, as your colleagues will see it. You become its owner.`}
            value={name}
            onChange={(event) => setName(event.target.value)}
            minLength={2}
            maxLength={config.data?.limits.lengths.organizationName}
            autoComplete="organization"
            required
          />
          {create.failure && <FailureNotice failure={create.failure} />}
          <div>
            <Button
              type="submit"
              look="primary"
              isBusy={create.isBusy}
              isDisabled={name.trim().length < 2}
            >
              <Trans>Create</Trans>
            </Button>
          </div>
        </form>
      </Card>
    </Section>
  )
}

function JoinOrganization() {
  const { t } = useLingui()
  const navigate = useNavigate()
  const [link, setLink] = useState('')
  const [problem, setProblem] = useState<string>()
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    const token = tokenOfInvitation(link)
    if (!token)
      return setProblem(t`This is not an invitation link. Paste the whole link you were sent.`)
    await navigate({ to: '/join/$token', params: { token } })
  }
  return (
    <Section title={<Trans>Join with an invitation</Trans>}>
      <Card>
        <form onSubmit={submit} className="flex flex-col gap-4">
          <TextField
            label={t`Invitation link`}
            value={link}
            problem={problem}
            onChange={(event) => {
              setLink(event.target.value)
              setProblem(undefined)
            }}
            translate="no"
            placeholder={`${location.origin}/join/…`}
            autoComplete="off"
            spellCheck={false}
            required
          />
          <div>
            <Button type="submit" isDisabled={link.trim() === ''}>
              <Trans>Open the invitation</Trans>
            </Button>
          </div>
        </form>
      </Card>
    </Section>
  )
}
