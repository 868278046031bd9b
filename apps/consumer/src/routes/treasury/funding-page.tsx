import { useRead } from '@countersign/app-kit/data/queries.ts'
import { ReadView } from '@countersign/app-kit/shell/read-view.tsx'
import { Address } from '@countersign/ui/address.tsx'
import { Moment } from '@countersign/ui/moment.tsx'
import { Money } from '@countersign/ui/money.tsx'
import { Notice } from '@countersign/ui/notice.tsx'
import { Card, Empty, Fact, Facts, Page, Section } from '@countersign/ui/page.tsx'
import { Trans } from '@lingui/react/macro'
import { getRouteApi } from '@tanstack/react-router'
import { PiggyBank } from 'lucide-react'
import { isOwnerOrManager, useOrganization } from '../../data/organization.tsx'
import { AttachSigner } from './attach-signer.tsx'
import { FundingActions } from './funding-actions.tsx'
import { FundingBlockers } from './funding-blockers.tsx'
import { FundingDeposit } from './funding-deposit.tsx'
import { isAlarm } from './funding-state.ts'
import { BackToTreasury, BackToVault } from './treasury-link.tsx'
import { useVaultRead } from './use-treasury-reads.ts'

const route = getRouteApi('/signed-in/organizations/$organizationId/treasury/$vaultId/funding')

/** A key that may only deposit into one vault, and how to use it. */
export function FundingPage() {
  const { vaultId } = route.useParams()
  const organization = useOrganization()
  const vault = useVaultRead(vaultId)
  return (
    <Page
      width="reading"
      back={
        vault.data ? <BackToVault vaultId={vaultId} label={vault.data.label} /> : <BackToTreasury />
      }
      title={<Trans>Funding signer</Trans>}
      lead={
        <Trans>
          A key at the wallet provider that can move money from a server wallet into this vault, and
          do nothing else.
        </Trans>
      }
    >
      {isOwnerOrManager(organization) ? (
        <FundingDetails vaultId={vaultId} />
      ) : (
        <Empty
          icon={<PiggyBank aria-hidden="true" />}
          title={<Trans>Only owners and managers see the funding signer</Trans>}
        />
      )}
    </Page>
  )
}

function FundingDetails({ vaultId }: { vaultId: string }) {
  const { id: organizationId } = useOrganization()
  const vault = useVaultRead(vaultId)
  const signer = useRead('getProviderSigner', { path: { organizationId } })
  const control = useRead('getFundingControl', { path: { organizationId, vaultId } })
  const actions = useRead('listFundingActions', { path: { organizationId } })
  if (vault.data && !vault.data.isDefault) {
    return (
      <Notice tone="info" title={<Trans>The signer deposits into the default vault only</Trans>}>
        <Trans>Make this vault the default to fund it by the signer.</Trans>
      </Notice>
    )
  }
  return (
    <ReadView of={signer} lines={4}>
      {(data) => (
        <>
          {control.data && isAlarm(control.data) && (
            <div className="mb-6">
              <Notice
                tone="bad"
                isLive
                title={<Trans>The signer was not denied what its policy must deny</Trans>}
              >
                <Trans>
                  It was detached from the wallet, and deposits are refused. Fix its policy at the
                  provider, then attach it again. Tell every owner.
                </Trans>
              </Notice>
            </div>
          )}
          <FundingBlockers
            signer={data}
            attach={<AttachSigner signer={data} vaultId={vaultId} />}
          />
          {control.data && (
            <div className="mt-8">
              <Section title={<Trans>What it may do</Trans>}>
                <Card>
                  <Facts>
                    <Fact term={<Trans>Deposit into</Trans>}>
                      <Address address={control.data.constraints.vaultAddress} />
                    </Fact>
                    <Fact term={<Trans>At most</Trans>}>
                      <Trans>
                        <Money baseUnits={control.data.constraints.maxAmountBaseUnits} /> at a time
                      </Trans>
                    </Fact>
                    <Fact term={<Trans>Until</Trans>}>
                      <Moment at={control.data.expiresAt} style="full" />
                    </Fact>
                    {control.data.readbackAt && (
                      <Fact term={<Trans>Compared with the provider</Trans>}>
                        <Moment at={control.data.readbackAt} />
                      </Fact>
                    )}
                    {control.data.failureCode && (
                      <Fact term={<Trans>Problem</Trans>}>
                        <span className="font-mono text-sm">{control.data.failureCode}</span>
                      </Fact>
                    )}
                  </Facts>
                </Card>
              </Section>
            </div>
          )}
          {data.enabled && (
            <div className="mt-8">
              <FundingDeposit
                most={
                  control.data?.constraints.maxAmountBaseUnits ?? data.maxAmountBaseUnits ?? '0'
                }
                isBlocked={data.blockers.length > 0}
                hasControl={Boolean(control.data)}
              />
            </div>
          )}
          <div className="mt-8">
            <ReadView of={actions} lines={2}>
              {(rows) => (
                <FundingActions
                  actions={rows.filter((row) => row.vaultId === vaultId || row.vaultId === null)}
                />
              )}
            </ReadView>
          </div>
        </>
      )}
    </ReadView>
  )
}
