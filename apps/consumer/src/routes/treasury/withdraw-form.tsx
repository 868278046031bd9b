import type { DataOf } from '@countersign/client/operation-types.ts'
import { Address } from '@countersign/ui/address.tsx'
import { Button } from '@countersign/ui/button.tsx'
import { Dialog } from '@countersign/ui/dialog.tsx'
import { Money } from '@countersign/ui/money.tsx'
import { Trans, useLingui } from '@lingui/react/macro'
import { useState } from 'react'
import { OwnerCallDialog } from '../../wallet/owner-call-dialog.tsx'
import { AmountForm } from './amount-form.tsx'

type Vault = DataOf<'getVault'>

/** The amount first, then once more in words. */
export function WithdrawForm({ vault }: { vault: Vault }) {
  const { t } = useLingui()
  const [asking, setAsking] = useState<'no' | 'amount' | bigint>('no')
  const balance = BigInt(vault.balanceBaseUnits)
  const close = () => setAsking('no')
  return (
    <>
      <Button
        look="danger"
        reason={balance === 0n ? t`There is nothing in the vault.` : undefined}
        onClick={() => setAsking('amount')}
      >
        <Trans>Withdraw</Trans>
      </Button>
      {asking === 'amount' && (
        <Dialog isOpen onClose={close} title={<Trans>Withdraw to the owner</Trans>}>
          <AmountForm
            label={t`Amount`}
            most={balance}
            look="danger"
            button={<Trans>Continue</Trans>}
            tooMuch={t`The vault holds less than this.`}
            onAmount={setAsking}
          />
        </Dialog>
      )}
      {typeof asking === 'bigint' && (
        <OwnerCallDialog
          call={{ name: 'withdraw', amount: asking }}
          place={{ ...vault, vaultAddress: vault.address }}
          anyOf={[vault.ownerAddress]}
          title={
            <Trans>
              Withdraw <Money baseUnits={asking} />?
            </Trans>
          }
          label={t`Withdraw in the wallet`}
          done={<Trans>Withdrawn</Trans>}
          onClose={close}
        >
          <p>
            <Trans>
              <Money baseUnits={asking} isStrong /> leave the vault and go to its owner:
            </Trans>
          </p>
          <Address address={vault.ownerAddress} />
          {BigInt(vault.reservedBaseUnits) > balance - asking && (
            <p className="text-warn">
              <Trans>
                <Money baseUnits={vault.reservedBaseUnits} /> is committed to payments. Some of them
                will fail.
              </Trans>
            </p>
          )}
        </OwnerCallDialog>
      )}
    </>
  )
}
