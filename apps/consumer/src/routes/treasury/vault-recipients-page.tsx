import { ReadView } from '@countersign/app-kit/shell/read-view.tsx'
import { Empty, Page } from '@countersign/ui/page.tsx'
import { Trans } from '@lingui/react/macro'
import { getRouteApi } from '@tanstack/react-router'
import { BookUser } from 'lucide-react'
import { useOrganization } from '../../data/organization.tsx'
import { DialogHost } from '../../wallet/dialog-host.tsx'
import { namesOf } from './organization-lists.ts'
import { OwnerReads } from './owner-reads.tsx'
import { PolicyFlow } from './policy-flow.tsx'
import { RecipientsEditor } from './recipients-editor.tsx'
import { BackToTreasury, BackToVault } from './treasury-link.tsx'
import { useOrganizationReads, useVaultRead } from './use-treasury-reads.ts'
import { VaultRecipients } from './vault-recipients.tsx'

const route = getRouteApi('/signed-in/organizations/$organizationId/treasury/$vaultId/recipients')

export const VaultRecipientsPage = () => (
  <DialogHost>
    <VaultRecipientsPageContent />
  </DialogHost>
)

function VaultRecipientsPageContent() {
  const { vaultId } = route.useParams()
  const { role } = useOrganization()
  const vault = useVaultRead(vaultId)
  const reads = useOrganizationReads()
  const names = namesOf(reads.members.data ?? [], reads.recipients.data ?? [])
  return (
    <Page
      back={
        vault.data ? <BackToVault vaultId={vaultId} label={vault.data.label} /> : <BackToTreasury />
      }
      title={<Trans>Recipients of the vault</Trans>}
      lead={
        <Trans>
          The vault pays only addresses in its own list. Its owner signs each change of the list;
          the policy stays as it is.
        </Trans>
      }
    >
      <ReadView of={vault} lines={6}>
        {(data) =>
          role === 'owner' ? (
            <OwnerReads reads={reads}>
              {(lists) => (
                <PolicyFlow
                  key={data.id}
                  vault={data}
                  names={names}
                  of="recipients"
                  editor={(_typed, onPrepared) => (
                    <RecipientsEditor {...{ vault: data, lists, names, onPrepared }} />
                  )}
                />
              )}
            </OwnerReads>
          ) : (
            <>
              <div className="mb-6">
                <Empty
                  icon={<BookUser aria-hidden="true" />}
                  title={<Trans>Only owners change the list</Trans>}
                >
                  <Trans>Below is the list of the vault.</Trans>
                </Empty>
              </div>
              <VaultRecipients vault={data} names={names} />
            </>
          )
        }
      </ReadView>
    </Page>
  )
}
