import { Address } from '@countersign/ui/address.tsx'
import { Mark } from '@countersign/ui/mark.tsx'
import { Moment } from '@countersign/ui/moment.tsx'
import { Card, Empty, Fact, Facts } from '@countersign/ui/page.tsx'
import { Trans, useLingui } from '@lingui/react/macro'
import type { OrganizationDetail } from '../../data/organization-detail.ts'
import { VAULT_STATES } from '../../words/lifecycles.ts'
import { VaultTerms } from './vault-terms.tsx'

export function VaultsSection({ detail }: { detail: OrganizationDetail }) {
  const { t, i18n } = useLingui()
  const { treasuryVaults, vaultTerms } = detail
  if (treasuryVaults.length === 0) return <Empty title={<Trans>No vault yet</Trans>} />
  return (
    <ul aria-label={t`Vaults`} className="flex flex-col gap-4">
      {treasuryVaults.map((vault) => {
        const { kind, word } = VAULT_STATES[vault.status]
        return (
          <li key={vault.id}>
            <Card>
              <h3 className="mb-3 flex flex-wrap items-center gap-3 font-medium">
                <bdi>{vault.label}</bdi>
                <Mark kind={kind}>{i18n._(word)}</Mark>
                {vault.isDefault && (
                  <span className="font-normal text-muted text-sm">
                    <Trans>default</Trans>
                  </span>
                )}
                {vault.archivedAt && <Mark kind="ended">{t`Archived`}</Mark>}
              </h3>
              <Facts>
                <Fact term={<Trans>Address</Trans>}>
                  <Address address={vault.address} />
                </Fact>
                <Fact term={<Trans>Owner</Trans>}>
                  <Address address={vault.ownerAddress} />
                </Fact>
                <Fact term={<Trans>Chain</Trans>}>{vault.chainId}</Fact>
                <Fact term={<Trans>Deployed by</Trans>}>
                  <span className="break-all font-mono text-sm">
                    {vault.deploymentTransactionHash}
                  </span>
                </Fact>
                <Fact term={<Trans>Since</Trans>}>
                  <Moment at={vault.createdAt} style="full" />
                </Fact>
                <VaultTerms
                  vault={vault}
                  terms={vaultTerms.find(({ vaultId }) => vaultId === vault.id)}
                />
              </Facts>
            </Card>
          </li>
        )
      })}
    </ul>
  )
}
