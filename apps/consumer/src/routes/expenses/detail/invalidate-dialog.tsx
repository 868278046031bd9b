import { useRead } from '@countersign/app-kit/data/queries.ts'
import { ReadView } from '@countersign/app-kit/shell/read-view.tsx'
import { Hash } from '@countersign/ui/address.tsx'
import { Button } from '@countersign/ui/button.tsx'
import { Dialog } from '@countersign/ui/dialog.tsx'
import { ChoiceGroup, Radio } from '@countersign/ui/field.tsx'
import { Moment } from '@countersign/ui/moment.tsx'
import { Trans, useLingui } from '@lingui/react/macro'
import { useState } from 'react'
import type { Hex } from 'viem'
import { useOrganization } from '../../../data/organization.tsx'
import { usePeople } from '../../../data/people.ts'
import { OwnerCallDialog } from '../../../wallet/owner-call-dialog.tsx'
import { placeOf } from '../../../wallet/vault-calls.ts'
import type { Approval, Expense } from '../expense-types.ts'
import { InvalidatedGate } from './invalidated-gate.tsx'
import { ReportInvalidation } from './report-invalidation.tsx'

type Props = { expense: Expense; approvals: readonly Approval[]; onClose(): void }

/** Makes a signature worthless at the vault, from the wallet that signed or the vault's owner. */
export function InvalidateDialog({ expense, approvals, onClose }: Props) {
  const { t } = useLingui()
  const { id: organizationId } = useOrganization()
  // What is invalidated leaves the expense's list, and the dialog still says that it worked.
  const [offered] = useState(approvals)
  const [chosen, choose] = useState(offered[0])
  const [isReporting, setReporting] = useState(false)
  const vaultId =
    expense.revisions.find(({ revision }) => revision === chosen?.expenseRevision)?.vaultId ??
    expense.revision.vaultId
  const vault = useRead('getVault', { path: { organizationId, vaultId } })
  if (!chosen) return null
  if (isReporting) return <ReportInvalidation approval={chosen} onClose={onClose} />
  if (!vault.data) {
    return (
      <Dialog isOpen onClose={onClose} title={t`Invalidate the signature`}>
        <ReadView of={vault} lines={2}>
          {() => null}
        </ReadView>
      </Dialog>
    )
  }
  const { ownerAddress, address } = vault.data
  const may = [ownerAddress, chosen.approverAddress]
  const digest = chosen.digest as Hex
  return (
    <OwnerCallDialog
      call={{ name: 'invalidateApproval', digest }}
      place={placeOf(vault.data)}
      anyOf={may}
      title={t`Invalidate the signature`}
      label={t`Invalidate it in the wallet`}
      done={<Trans>The vault refuses this signature from now on</Trans>}
      gate={(ready, send) => (
        <InvalidatedGate {...{ ready, vaultAddress: address, accounts: may, digest }}>
          {send}
        </InvalidatedGate>
      )}
      onClose={onClose}
    >
      <p>
        <Trans>
          The vault never pays with this signature again. To pay after all, the approver has to sign
          once more.
        </Trans>
      </p>
      <Signatures {...{ offered, chosen }} onChoose={choose} />
      <div>
        <p className="text-muted text-sm">
          <Trans>What was signed</Trans>
        </p>
        <Hash hash={chosen.digest} label={t`Copy the hash of what was signed`} />
      </div>
      {chosen.state === 'signed' && (
        <div>
          <Button look="quiet" size="small" onClick={() => setReporting(true)}>
            <Trans>It was sent from elsewhere</Trans>
          </Button>
        </div>
      )}
    </OwnerCallDialog>
  )
}

type ChoiceProps = {
  offered: readonly Approval[]
  chosen: Approval
  onChoose(approval: Approval): void
}

function Signatures({ offered, chosen, onChoose }: ChoiceProps) {
  const { t } = useLingui()
  const { nameOf } = usePeople()
  return (
    <ChoiceGroup label={offered.length > 1 ? t`Which signature?` : t`The signature`}>
      {offered.map((approval) => (
        <Radio
          key={approval.approvalId}
          name="approval"
          label={nameOf(approval.accountId, approval.displayName)}
          hint={
            <>
              <span className="block break-all font-mono">{approval.approverAddress}</span>
              <Trans>
                The vault takes it until <Moment at={approval.deadline} style="full" />.
              </Trans>{' '}
              {approval.state === 'superseded' && (
                <Trans>Here it no longer counts already, so nothing is paid with it.</Trans>
              )}
            </>
          }
          checked={chosen.approvalId === approval.approvalId}
          onChange={() => onChoose(approval)}
        />
      ))}
    </ChoiceGroup>
  )
}
