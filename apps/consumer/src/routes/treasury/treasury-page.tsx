import { useRead } from '@countersign/app-kit/data/queries.ts'
import { ReadView } from '@countersign/app-kit/shell/read-view.tsx'
import { buttonStyle } from '@countersign/ui/button.tsx'
import { useNow } from '@countersign/ui/moment.tsx'
import { Page, Section } from '@countersign/ui/page.tsx'
import { Trans } from '@lingui/react/macro'
import { Link } from '@tanstack/react-router'
import { useOrganization } from '../../data/organization.tsx'
import { DialogHost } from '../../wallet/dialog-host.tsx'
import { ExecutorSummary } from './executor-summary.tsx'
import { namesOf } from './organization-lists.ts'
import { PolicySection } from './policy-section.tsx'
import { WaitingPolicy } from './proposal-notice.tsx'
import { SetupChecklist } from './setup-checklist.tsx'
import { isSetUp, setupSteps } from './setup-steps.ts'
import { NewVaultLink, VaultLink } from './treasury-link.tsx'
import { warningsOf } from './treasury-warnings.ts'
import { useOrganizationReads, useVaultRead } from './use-treasury-reads.ts'
import { VaultFigures } from './vault-figures.tsx'
import { VaultList } from './vault-list.tsx'
import { WarningList } from './warning-list.tsx'

/** The default vault, what needs attention, and what is missing in a new organization. */
export const TreasuryPage = () => (
  <DialogHost>
    <TreasuryPageContent />
  </DialogHost>
)

function TreasuryPageContent() {
  const { role, me, id: organizationId } = useOrganization()
  const overview = useRead('getTreasuryOverview', { path: { organizationId } })
  const reads = useOrganizationReads()
  const vaultId = overview.data?.vault?.id
  const vault = useVaultRead(vaultId)
  const now = useNow()
  const { members, recipients, vaults, executor } = reads
  const names = namesOf(members.data ?? [], recipients.data ?? [])
  const isRead =
    overview.data && members.data && recipients.data && vaults.data && !executor.isLoading
  const steps =
    isRead &&
    setupSteps({
      role,
      members: members.data,
      hasOwnWallet: me.wallets.some(({ kind }) => kind !== 'server'),
      hasRecipient: recipients.data.some(({ active }) => active),
      vaults: vaults.data,
      executor: executor.data ?? null,
      hasPolicy: overview.data.policy !== null,
      balanceBaseUnits: overview.data.balanceBaseUnits,
    })
  return (
    <Page
      title={<Trans>Treasury</Trans>}
      actions={
        vaultId && (
          <>
            <Link
              to="/organizations/$organizationId/spending"
              params={{ organizationId }}
              className={buttonStyle({ look: 'quiet' })}
            >
              <Trans>Spending</Trans>
            </Link>
            <VaultLink vaultId={vaultId} hash="deposit" look={{ look: 'secondary' }}>
              <Trans>Deposit</Trans>
            </VaultLink>
          </>
        )
      }
    >
      <ReadView of={overview} lines={4}>
        {() =>
          vaultId ? (
            <ReadView of={vault} lines={4}>
              {(data) => (
                <>
                  <p className="mb-3">
                    <VaultLink vaultId={data.id}>
                      <bdi className="font-medium">{data.label}</bdi>
                    </VaultLink>
                  </p>
                  <VaultFigures vault={data} />
                  <WarningList
                    vault={data}
                    warnings={warningsOf(data, executor.data?.binding ?? null, now)}
                    names={names}
                  />
                  {data.proposal && (
                    <div className="my-4">
                      <WaitingPolicy vaultId={data.id} proposal={data.proposal} />
                    </div>
                  )}
                  {steps && !isSetUp(steps) && (
                    <div className="mt-8">
                      <SetupChecklist steps={steps} vaultId={vaultId} />
                    </div>
                  )}
                  <div className="mt-8">
                    <PolicySection
                      vault={data}
                      executor={executor.data?.binding ?? null}
                      names={names}
                    />
                  </div>
                </>
              )}
            </ReadView>
          ) : (
            steps && <SetupChecklist steps={steps} vaultId={undefined} />
          )
        }
      </ReadView>
      <div className="mt-8">
        <ReadView of={vaults} lines={1}>
          {(rows) =>
            rows.length > 0 && (
              <Section
                title={<Trans>Vaults</Trans>}
                note={rows.length}
                actions={
                  role === 'owner' && (
                    <NewVaultLink look={{ size: 'small' }}>
                      <Trans>New vault</Trans>
                    </NewVaultLink>
                  )
                }
              >
                <VaultList vaults={rows} />
              </Section>
            )
          }
        </ReadView>
        {executor.data && <ExecutorSummary executor={executor.data} />}
      </div>
    </Page>
  )
}
