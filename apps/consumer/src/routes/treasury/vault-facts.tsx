import type { DataOf } from '@countersign/client/operation-types.ts'
import { Address } from '@countersign/ui/address.tsx'
import { Moment } from '@countersign/ui/moment.tsx'
import { Card, Fact, Facts, Section } from '@countersign/ui/page.tsx'
import { Plural, Trans } from '@lingui/react/macro'
import { useExplorer } from '../../data/explorer.ts'
import { useOrganization } from '../../data/organization.tsx'
import { TransactionHash } from '../../wallet/transaction-hash.tsx'
import { ChangeDelay } from './delay-field.tsx'

type Props = { vault: DataOf<'getVault'>; names: ReadonlyMap<string, string> }

export function VaultFacts({ vault, names }: Props) {
  const { config } = useOrganization()
  const explorer = useExplorer()
  return (
    <Section title={<Trans>About this vault</Trans>}>
      <Card>
        <Facts>
          <Fact term={<Trans>Address</Trans>}>
            <Address address={vault.address} explorerUrl={explorer.address(vault.address)} />
          </Fact>
          <Fact term={<Trans>Owner</Trans>}>
            <Address
              address={vault.ownerAddress}
              name={names.get(vault.ownerAddress.toLowerCase())}
              explorerUrl={explorer.address(vault.ownerAddress)}
            />
          </Fact>
          <Fact term={<Trans>Token</Trans>}>
            <Address address={vault.tokenAddress} name={config.token.symbol} />
          </Fact>
          <Fact term={<Trans>Network</Trans>}>
            <bdi>{config.chain.name}</bdi>
          </Fact>
          <Fact term={<Trans>Changes wait</Trans>}>
            <ChangeDelay seconds={vault.changeDelaySeconds} />
          </Fact>
          <Fact term={<Trans>List of recipients</Trans>}>
            <Plural
              value={vault.recipientsVersion}
              _0="never changed"
              one="changed once"
              other="changed # times"
            />
          </Fact>
          <Fact term={<Trans>Pauses</Trans>}>
            <Plural
              value={vault.pauseNumber}
              _0="never paused"
              one="paused once"
              other="paused # times"
            />
          </Fact>
          <Fact term={<Trans>Deployment</Trans>}>
            <TransactionHash hash={vault.deploymentTransactionHash} />
          </Fact>
          <Fact term={<Trans>Added</Trans>}>
            <Moment at={vault.createdAt} style="full" />
          </Fact>
        </Facts>
      </Card>
    </Section>
  )
}
