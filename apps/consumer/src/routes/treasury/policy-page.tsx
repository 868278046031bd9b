import { ReadView } from '@countersign/app-kit/shell/read-view.tsx'
import { Empty, Page } from '@countersign/ui/page.tsx'
import { Trans } from '@lingui/react/macro'
import { getRouteApi } from '@tanstack/react-router'
import { Cog, ShieldCheck } from 'lucide-react'
import { useOrganization } from '../../data/organization.tsx'
import { listsOf, namesOf } from './organization-lists.ts'
import { PolicyFlow } from './policy-flow.tsx'
import { PolicySection } from './policy-section.tsx'
import { BackToTreasury, BackToVault, NewVaultLink } from './treasury-link.tsx'
import { useOrganizationReads, useVaultRead } from './use-treasury-reads.ts'

const route = getRouteApi('/signed-in/organizations/$organizationId/treasury/$vaultId/policy')

export function PolicyPage() {
  const { vaultId } = route.useParams()
  const { role, config } = useOrganization()
  const vault = useVaultRead(vaultId)
  const { members, recipients, executor } = useOrganizationReads()
  const names = namesOf(members.data ?? [], recipients.data ?? [])
  const version = vault.data?.policy?.version
  return (
    <Page
      back={
        vault.data ? <BackToVault vaultId={vaultId} label={vault.data.label} /> : <BackToTreasury />
      }
      title={version ? <Trans>Change the policy</Trans> : <Trans>Set the policy</Trans>}
      lead={
        <Trans>
          The rules that the vault enforces, whoever asks for a payment. The wallet that owns the
          vault signs them.
        </Trans>
      }
    >
      <ReadView of={vault} lines={6}>
        {(data) => {
          if (role !== 'owner') {
            return (
              <>
                <div className="mb-6">
                  <Empty
                    icon={<ShieldCheck aria-hidden="true" />}
                    title={<Trans>Only owners change the policy</Trans>}
                  >
                    <Trans>Below is the policy in force.</Trans>
                  </Empty>
                </div>
                <PolicySection
                  vault={data}
                  executor={executor.data?.binding ?? null}
                  names={names}
                />
              </>
            )
          }
          return (
            <ReadView of={members} lines={4}>
              {(memberRows) => (
                <ReadView of={recipients} lines={4}>
                  {(recipientRows) => (
                    <ReadView of={executor} lines={4}>
                      {(executorData) => {
                        const lists = listsOf(
                          {
                            members: memberRows,
                            recipients: recipientRows,
                            executor: executorData,
                          },
                          config.chain.id,
                        )
                        return lists ? (
                          <PolicyFlow key={data.id} vault={data} lists={lists} names={names} />
                        ) : (
                          <Empty
                            icon={<Cog aria-hidden="true" />}
                            title={<Trans>First get an executor</Trans>}
                            action={
                              <NewVaultLink look={{ look: 'primary' }}>
                                <Trans>Get an executor</Trans>
                              </NewVaultLink>
                            }
                          >
                            <Trans>A policy names the key that may send payments.</Trans>
                          </Empty>
                        )
                      }}
                    </ReadView>
                  )}
                </ReadView>
              )}
            </ReadView>
          )
        }}
      </ReadView>
    </Page>
  )
}
