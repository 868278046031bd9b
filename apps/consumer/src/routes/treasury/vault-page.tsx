import { useAction } from '@countersign/app-kit/data/actions.ts'
import { FailureNotice } from '@countersign/app-kit/shell/failure-notice.tsx'
import { ReadView } from '@countersign/app-kit/shell/read-view.tsx'
import type { DataOf } from '@countersign/client/operation-types.ts'
import { Button } from '@countersign/ui/button.tsx'
import { useNow } from '@countersign/ui/moment.tsx'
import { Notice } from '@countersign/ui/notice.tsx'
import { Page } from '@countersign/ui/page.tsx'
import { say } from '@countersign/ui/say.ts'
import { Trans, useLingui } from '@lingui/react/macro'
import { getRouteApi } from '@tanstack/react-router'
import { isOwnerOrManager, useOrganization } from '../../data/organization.tsx'
import { DialogHost } from '../../wallet/dialog-host.tsx'
import { DangerZone } from './danger-zone.tsx'
import { DepositCard } from './deposit-card.tsx'
import { namesOf } from './organization-lists.ts'
import { PolicyHistory } from './policy-history.tsx'
import { PolicySection } from './policy-section.tsx'
import { PolicySync } from './policy-sync.tsx'
import { ProposalCard } from './proposal-card.tsx'
import { BackToTreasury } from './treasury-link.tsx'
import { warningsOf } from './treasury-warnings.ts'
import { useOrganizationReads, useVaultRead } from './use-treasury-reads.ts'
import { VaultFacts } from './vault-facts.tsx'
import { VaultFigures } from './vault-figures.tsx'
import { VaultMarks } from './vault-marks.tsx'
import { VaultRecipients } from './vault-recipients.tsx'
import { WarningList } from './warning-list.tsx'

const route = getRouteApi('/signed-in/organizations/$organizationId/treasury/$vaultId')

export const VaultPage = () => (
  <DialogHost>
    <VaultPageContent />
  </DialogHost>
)

function VaultPageContent() {
  const { vaultId } = route.useParams()
  const organization = useOrganization()
  const vault = useVaultRead(vaultId)
  const { members, recipients, executor } = useOrganizationReads()
  const names = namesOf(members.data ?? [], recipients.data ?? [])
  const now = useNow()
  const proposal = vault.data?.proposal
  const binding = executor.data?.binding ?? null
  return (
    <Page
      back={<BackToTreasury />}
      title={vault.data ? <bdi>{vault.data.label}</bdi> : <Trans>Vault</Trans>}
      actions={vault.data && <VaultActions vault={vault.data} />}
    >
      <ReadView of={vault} lines={6}>
        {(data) => (
          <>
            <p className="mb-3">
              <VaultMarks vault={data} />
            </p>
            {data.status === 'disabled' && (
              <div className="mb-4">
                <Notice tone="bad" title={<Trans>This vault could not be verified</Trans>}>
                  <Trans>
                    Its code, owner or deployment is not as expected, so nothing is paid from it.
                    Deploy or add another one.
                  </Trans>
                </Notice>
              </div>
            )}
            <VaultFigures vault={data} />
            <WarningList vault={data} warnings={warningsOf(data, binding, now)} names={names} />
            {proposal && (
              <div className="mt-8">
                <ProposalCard vault={data} proposal={proposal} names={names} />
              </div>
            )}
            {data.status === 'verified' && data.archivedAt === null && <DepositCard vault={data} />}
            <div className="mt-8">
              <PolicySection vault={data} executor={binding} names={names} />
            </div>
            {data.policy && (
              <div className="mt-8">
                <VaultRecipients vault={data} names={names} />
              </div>
            )}
            {isOwnerOrManager(organization) && (
              <div className="mt-8">
                <PolicyHistory vault={data} names={names} />
                <PolicySync />
              </div>
            )}
            <div className="mt-8">
              <VaultFacts vault={data} names={names} />
            </div>
            <div className="mt-8">
              <DangerZone vault={data} />
            </div>
          </>
        )}
      </ReadView>
    </Page>
  )
}

function VaultActions({ vault }: { vault: DataOf<'getVault'> }) {
  const { t } = useLingui()
  const { id: organizationId, role } = useOrganization()
  const makeDefault = useAction('setDefaultVault', [
    'listVaults',
    'getVault',
    'getTreasuryOverview',
  ])
  if (vault.isDefault || vault.archivedAt !== null) return null
  return (
    <>
      <Button
        isBusy={makeDefault.isBusy}
        reason={
          role !== 'owner'
            ? t`Only an owner can choose the default vault.`
            : vault.status !== 'verified'
              ? t`The vault is not verified.`
              : undefined
        }
        onClick={async () => {
          const done = await makeDefault.run({ path: { organizationId, vaultId: vault.id } })
          if (done.ok) say(t`This is the default vault now.`)
        }}
      >
        <Trans>Make it the default</Trans>
      </Button>
      {makeDefault.failure && <FailureNotice failure={makeDefault.failure} />}
    </>
  )
}
