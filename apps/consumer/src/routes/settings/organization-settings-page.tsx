import { useAction } from '@countersign/app-kit/data/actions.ts'
import { BuildFacts } from '@countersign/app-kit/settings/build-facts.tsx'
import { FailureNotice } from '@countersign/app-kit/shell/failure-notice.tsx'
import { ROLES } from '@countersign/app-kit/words/states.ts'
import { Address } from '@countersign/ui/address.tsx'
import { Button, buttonStyle } from '@countersign/ui/button.tsx'
import { TextField } from '@countersign/ui/field.tsx'
import { Card, Fact, Facts, Page, Section } from '@countersign/ui/page.tsx'
import { say } from '@countersign/ui/say.ts'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Link } from '@tanstack/react-router'
import type { FormEvent } from 'react'
import { useExplorer } from '../../data/explorer.ts'
import { useOrganization } from '../../data/organization.tsx'
import { CategoryEditor } from './category-editor.tsx'
import { useTypedName } from './typed-name.ts'

export function OrganizationSettingsPage() {
  const { i18n } = useLingui()
  const { id: organizationId, name, role } = useOrganization()
  return (
    <Page width="reading" title={<Trans>Organization</Trans>}>
      <Section title={<Trans>Name</Trans>}>
        <Rename key={organizationId} current={name} />
      </Section>
      <CategoryEditor />
      <Section title={<Trans>Your role</Trans>}>
        <Card>
          <div className="flex flex-wrap items-center justify-between gap-3">
            <span>{i18n._(ROLES[role])}</span>
            <Link
              to="/organizations/$organizationId/people"
              params={{ organizationId }}
              className={buttonStyle({ size: 'small' })}
            >
              <Trans>People, roles and leaving</Trans>
            </Link>
          </div>
        </Card>
      </Section>
      <DeploymentFacts />
      <BuildFacts />
    </Page>
  )
}

function Rename({ current }: { current: string }) {
  const { t } = useLingui()
  const { id: organizationId, role, config } = useOrganization()
  const rename = useAction('renameOrganization', ['getAccount', 'listOrganizations'])
  const [name, setName] = useTypedName(current)
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    const renamed = await rename.run({ path: { organizationId }, body: { name: name.trim() } })
    if (renamed.ok) say(t`Saved`)
  }
  const isOwner = role === 'owner'
  return (
    <Card>
      <form onSubmit={submit} className="flex flex-col gap-4">
        <TextField
          label={t`Name of the organization`}
          value={name}
          onChange={(event) => setName(event.target.value)}
          maxLength={config.limits.lengths.organizationName}
          autoComplete="organization"
          readOnly={!isOwner}
          required
        />
        {rename.failure && <FailureNotice failure={rename.failure} />}
        <div>
          <Button
            type="submit"
            look="primary"
            isBusy={rename.isBusy}
            isDisabled={name.trim().length < 2 || name.trim() === current}
            reason={isOwner ? undefined : t`Only owners rename the organization.`}
          >
            <Trans>Rename</Trans>
          </Button>
        </div>
      </form>
    </Card>
  )
}

/** What everything here is paid in and on. */
function DeploymentFacts() {
  const { config } = useOrganization()
  const { chain, token } = config
  const explorer = useExplorer()
  return (
    <Section title={<Trans>Where payments are made</Trans>}>
      <Card>
        <Facts>
          <Fact term={<Trans>Chain</Trans>}>
            <bdi>{chain.name}</bdi> <span className="figures text-muted">({chain.id})</span>
          </Fact>
          <Fact term={<Trans>Final after</Trans>}>
            <Plural value={chain.confirmations} one="# confirmation" other="# confirmations" />
          </Fact>
          <Fact term={<Trans>Token</Trans>}>
            <bdi>{token.symbol}</bdi>
            <Address address={token.address} explorerUrl={explorer.address(token.address)} />
          </Fact>
          <Fact term={<Trans>Explorer</Trans>}>
            {chain.explorer ? (
              new URL(chain.explorer.transactionUrl.split('{')[0] ?? '').host
            ) : (
              <Trans>None is configured.</Trans>
            )}
          </Fact>
        </Facts>
      </Card>
    </Section>
  )
}
