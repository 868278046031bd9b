import { ReadView } from '@countersign/app-kit/shell/read-view.tsx'
import { Empty, Page } from '@countersign/ui/page.tsx'
import { Trans } from '@lingui/react/macro'
import { getRouteApi } from '@tanstack/react-router'
import { ShieldCheck } from 'lucide-react'
import { useOrganization } from '../../data/organization.tsx'
import { namesOf } from './organization-lists.ts'
import { OwnerReads } from './owner-reads.tsx'
import { PolicyEditor } from './policy-editor.tsx'
import { PolicyFlow } from './policy-flow.tsx'
import { PolicySection } from './policy-section.tsx'
import { BackToTreasury, BackToVault } from './treasury-link.tsx'
import { useOrganizationReads, useVaultRead } from './use-treasury-reads.ts'

const route = getRouteApi('/signed-in/organizations/$organizationId/treasury/$vaultId/policy')

export function PolicyPage() {
  const { vaultId } = route.useParams()
  const { role } = useOrganization()
  const vault = useVaultRead(vaultId)
  const reads = useOrganizationReads()
  const { members, recipients, executor } = reads
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
            <OwnerReads reads={reads}>
              {(lists, approverPeople) => (
                <PolicyFlow
                  key={data.id}
                  vault={data}
                  names={names}
                  of="policy"
                  editor={(typed, onPrepared) => (
                    <PolicyEditor
                      {...{ vault: data, lists, approverPeople, names, typed, onPrepared }}
                    />
                  )}
                />
              )}
            </OwnerReads>
          )
        }}
      </ReadView>
    </Page>
  )
}
