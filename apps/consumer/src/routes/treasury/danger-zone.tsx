import type { DataOf } from '@countersign/client/operation-types.ts'
import { Address } from '@countersign/ui/address.tsx'
import { Button } from '@countersign/ui/button.tsx'
import { Card, Section } from '@countersign/ui/page.tsx'
import { Trans, useLingui } from '@lingui/react/macro'
import { useState } from 'react'
import { OwnerCallDialog } from '../../wallet/owner-call-dialog.tsx'
import { placeOf } from '../../wallet/vault-calls.ts'
import { ArchiveVault } from './archive-vault.tsx'
import { DangerRow } from './danger-row.tsx'
import { RescueRow } from './rescue-row.tsx'
import { WithdrawForm } from './withdraw-form.tsx'

type Vault = DataOf<'getVault'>

/** What cannot be taken back lightly. */
export function DangerZone({ vault }: { vault: Vault }) {
  const { t } = useLingui()
  const [isPausing, setPausing] = useState(false)
  const { policy } = vault
  return (
    <Section title={<Trans>Danger zone</Trans>}>
      <Card isFlush>
        <ul className="divide-y divide-line">
          <DangerRow
            title={<Trans>Emergency stop</Trans>}
            text={
              <Trans>
                Stops all payments at once. The owner of the vault and every approver in the policy
                can do it from their wallet. Only the owner can start payments again.
              </Trans>
            }
          >
            <Button
              look="danger"
              reason={
                !policy
                  ? t`Without a policy nothing can be paid anyway.`
                  : policy.paused
                    ? t`Payments are stopped already.`
                    : undefined
              }
              onClick={() => setPausing(true)}
            >
              <Trans>Stop payments</Trans>
            </Button>
          </DangerRow>
          <DangerRow
            title={<Trans>Withdraw</Trans>}
            text={
              <Trans>
                Sends money to the owner of the vault, and nowhere else. Caps, reserve and pause do
                not apply. Payments that are already committed may then run short.
              </Trans>
            }
          >
            <WithdrawForm vault={vault} />
          </DangerRow>
          <RescueRow vault={vault} />
          <ArchiveVault vault={vault} />
        </ul>
      </Card>
      {isPausing && policy && (
        <OwnerCallDialog
          call={{ name: 'emergencyPause' }}
          place={placeOf(vault)}
          anyOf={[vault.ownerAddress, ...policy.approverAddresses]}
          title={<Trans>Stop all payments?</Trans>}
          label={t`Stop payments in the wallet`}
          done={<Trans>Payments are stopped</Trans>}
          onClose={() => setPausing(false)}
        >
          <p>
            <Trans>
              From the next block on, this vault refuses every payment, also those that are already
              signed. Only the owner can lift the pause.
            </Trans>
          </p>
          <Address address={vault.address} name={vault.label} />
        </OwnerCallDialog>
      )}
    </Section>
  )
}
