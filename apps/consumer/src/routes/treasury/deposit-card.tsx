import type { DataOf } from '@countersign/client/operation-types.ts'
import { Card, Section } from '@countersign/ui/page.tsx'
import { Trans } from '@lingui/react/macro'
import { useEffect, useRef } from 'react'
import { useOrganization } from '../../data/organization.tsx'
import { AccountGate } from '../../wallet/account-gate.tsx'
import { useWallet } from '../../wallet/use-wallet.ts'
import { DepositFlow } from './deposit-flow.tsx'
import { FundingLink } from './treasury-link.tsx'

/** Anyone can deposit from any account of their wallet. */
export function DepositCard({ vault }: { vault: DataOf<'getVault'> }) {
  const { config, role } = useOrganization()
  const used = useWallet()
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (location.hash === '#deposit') place.current?.scrollIntoView({ block: 'start' })
  }, [])
  return (
    <div ref={place} id="deposit" className="mt-8 scroll-mt-20">
      <Section
        title={<Trans>Deposit</Trans>}
        actions={
          config.features.funding &&
          role !== 'employee' && (
            <FundingLink vaultId={vault.id} look={{ look: 'quiet', size: 'small' }}>
              <Trans>Deposit by a funding signer</Trans>
            </FundingLink>
          )
        }
      >
        <Card>
          <AccountGate used={used}>
            {(ready) => <DepositFlow key={ready.account} vault={vault} ready={ready} used={used} />}
          </AccountGate>
        </Card>
      </Section>
    </div>
  )
}
