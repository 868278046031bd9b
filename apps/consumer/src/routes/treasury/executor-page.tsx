import { ReadView } from '@countersign/app-kit/shell/read-view.tsx'
import { Empty, Page, Skeleton } from '@countersign/ui/page.tsx'
import { Trans } from '@lingui/react/macro'
import { Cog } from 'lucide-react'
import { isOwnerOrManager, useOrganization } from '../../data/organization.tsx'
import { EarlierExecutors, ExecutorInUse, NextExecutor } from './executor-cards.tsx'
import { rotationOf } from './executor-rotation.ts'
import { ExecutorStep } from './executor-step.tsx'
import { ExecutorVaults } from './executor-vaults.tsx'
import { ReplaceExecutor } from './replace-executor.tsx'
import { BackToTreasury } from './treasury-link.tsx'
import { useOrganizationReads } from './use-treasury-reads.ts'
import { useVaultDetails } from './use-vault-details.ts'

/** The key that sends payments: the one in use, the one that follows, and those before. */
export function ExecutorPage() {
  const organization = useOrganization()
  const { executor, vaults } = useOrganizationReads()
  const details = useVaultDetails(vaults.data ?? [])
  return (
    <Page
      width="reading"
      back={<BackToTreasury />}
      title={<Trans>Executor</Trans>}
      lead={
        <Trans>
          The key that sends payments. It can only pay what the policies of your vaults allow, and
          it needs a little of the native currency for gas.
        </Trans>
      }
    >
      {isOwnerOrManager(organization) ? (
        <ReadView of={executor} lines={4}>
          {(data) => {
            const rotation = rotationOf(data)
            const newest = rotation.next ?? rotation.inUse
            if (!newest || !rotation.inUse) {
              return organization.role === 'owner' ? <ExecutorStep /> : <NoExecutor />
            }
            return (
              <>
                <ExecutorInUse executor={rotation.inUse} />
                <NextExecutor rotation={rotation} />
                <ReadView of={vaults} lines={2}>
                  {() =>
                    details ? (
                      <>
                        <ExecutorVaults vaults={details} newest={newest.address} />
                        <EarlierExecutors executors={rotation.earlier} />
                        <ReplaceExecutor rotation={rotation} vaults={details} />
                      </>
                    ) : (
                      <Skeleton lines={2} />
                    )
                  }
                </ReadView>
              </>
            )
          }}
        </ReadView>
      ) : (
        <Empty
          icon={<Cog aria-hidden="true" />}
          title={<Trans>Owners and managers see the executor</Trans>}
        >
          <Trans>Ask one of them. People lists them.</Trans>
        </Empty>
      )}
    </Page>
  )
}

const NoExecutor = () => (
  <Empty icon={<Cog aria-hidden="true" />} title={<Trans>There is no executor yet</Trans>}>
    <Trans>An owner gets one when the first vault is set up.</Trans>
  </Empty>
)
