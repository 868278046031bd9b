import { ReadView } from '@countersign/app-kit/shell/read-view.tsx'
import { Empty, Page } from '@countersign/ui/page.tsx'
import { Trans } from '@lingui/react/macro'
import { Landmark } from 'lucide-react'
import { useOrganization } from '../../data/organization.tsx'
import { DeployVault } from './deploy-vault.tsx'
import { ExecutorStep } from './executor-step.tsx'
import { RegisterVault } from './register-vault.tsx'
import { BackToTreasury } from './treasury-link.tsx'
import { useAll } from './use-all.ts'

/** From an executor to a vault on the chain. */
export function NewVaultPage() {
  const { id: organizationId, role, accountId } = useOrganization()
  const members = useAll('listMembers', { path: { organizationId }, query: { limit: 100 } })
  return (
    <Page
      width="reading"
      back={<BackToTreasury />}
      title={<Trans>New vault</Trans>}
      lead={
        <Trans>
          A vault is a contract that holds your money and pays only what its policy allows. Your own
          wallet deploys and owns it.
        </Trans>
      }
    >
      {role === 'owner' ? (
        <>
          <ExecutorStep />
          <ReadView of={members} lines={2}>
            {(rows) => (
              <DeployVault
                ownWallets={rows
                  .filter((member) => member.accountId === accountId && member.status === 'active')
                  .flatMap(({ wallets, walletRoles }) =>
                    wallets.filter(
                      ({ id, kind }) =>
                        kind !== 'server' &&
                        walletRoles.some(
                          ({ walletId, role: given, active }) =>
                            walletId === id && given === 'treasury_owner' && active,
                        ),
                    ),
                  )
                  .map(({ address }) => address)}
              />
            )}
          </ReadView>
          <RegisterVault />
        </>
      ) : (
        <Empty
          icon={<Landmark aria-hidden="true" />}
          title={<Trans>Only owners deploy vaults</Trans>}
        >
          <Trans>Ask an owner of the organization. People lists them.</Trans>
        </Empty>
      )}
    </Page>
  )
}
