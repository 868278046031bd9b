import { usePages } from '@countersign/app-kit/data/queries.ts'
import { ReadView } from '@countersign/app-kit/shell/read-view.tsx'
import { Button } from '@countersign/ui/button.tsx'
import { Empty, Section } from '@countersign/ui/page.tsx'
import { Trans, useLingui } from '@lingui/react/macro'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import type { OrganizationDetail } from '../../../data/organization-detail.ts'
import { PrepareProofDialog } from './prepare-proof-dialog.tsx'
import { ProofCard } from './proof-card.tsx'

/** Signatures of a hardware wallet that were compared with the chain. Outside production only. */
export function ProofsSection({ detail }: { detail: OrganizationDetail }) {
  const { t } = useLingui()
  const { id: organizationId } = detail.organization
  const [isPreparing, setPreparing] = useState(false)
  const proofs = usePages('listLedgerProofs', 'proofs', { path: { organizationId } })
  return (
    <Section
      title={<Trans>Ledger proofs</Trans>}
      note={<Trans>outside production only</Trans>}
      actions={
        <Button size="small" onClick={() => setPreparing(true)}>
          <Plus className="size-4" aria-hidden="true" />
          <Trans>Prepare one</Trans>
        </Button>
      }
    >
      <ReadView of={proofs}>
        {() =>
          proofs.rows.length === 0 ? (
            <Empty title={<Trans>No proof yet</Trans>}>
              <Trans>
                Prepare what a hardware wallet is to sign, claim it, sign it on the device, and
                confirm the transaction here.
              </Trans>
            </Empty>
          ) : (
            <ul aria-label={t`Ledger proofs`} className="flex flex-col gap-4">
              {proofs.rows.map((proof) => (
                <li key={proof.id}>
                  <ProofCard proof={proof} />
                </li>
              ))}
            </ul>
          )
        }
      </ReadView>
      {proofs.hasNextPage && (
        <div className="mt-4 flex justify-center">
          <Button isBusy={proofs.isFetchingNextPage} onClick={() => void proofs.fetchNextPage()}>
            <Trans>Show more</Trans>
          </Button>
        </div>
      )}
      {isPreparing && <PrepareProofDialog detail={detail} onClose={() => setPreparing(false)} />}
    </Section>
  )
}
