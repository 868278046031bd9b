import type { DataOf } from '@countersign/client/operation-types.ts'
import { Address } from '@countersign/ui/address.tsx'
import { Button } from '@countersign/ui/button.tsx'
import { Trans, useLingui } from '@lingui/react/macro'
import { getAddress } from 'viem'
import { useDialogHost } from '../../wallet/dialog-host.tsx'
import { OwnerCallDialog } from '../../wallet/owner-call-dialog.tsx'
import { placeOf } from '../../wallet/vault-calls.ts'

type Vault = DataOf<'getVault'>

/** Lifts exactly the pause that this page shows, never a later one. */
export function Unpause({ vault }: { vault: Vault }) {
  const { t } = useLingui()
  const { show, close } = useDialogHost()
  const ask = () =>
    show(
      <OwnerCallDialog
        call={{ name: 'unpause', pauseNumber: BigInt(vault.pauseNumber) }}
        place={placeOf(vault)}
        anyOf={[vault.ownerAddress]}
        look="primary"
        title={<Trans>Start payments again?</Trans>}
        label={t`Start payments in the wallet`}
        done={<Trans>Payments can go out again</Trans>}
        onClose={close}
      >
        <p>
          <Trans>
            This lifts pause {vault.pauseNumber}. If someone has paused the vault once more
            meanwhile, the vault refuses it and stays paused.
          </Trans>
        </p>
        <p>
          <Trans>The policy stays as it is, and approvals that wait can be used again.</Trans>
        </p>
        <Address address={vault.address} name={vault.label} />
      </OwnerCallDialog>,
    )
  return (
    <Button size="small" onClick={ask}>
      <Trans>Start payments again</Trans>
    </Button>
  )
}

type RevokeProps = {
  vault: Vault
  addresses: readonly string[]
  names: ReadonlyMap<string, string>
}

/** Approvers whose signatures the owner can end at once, without a new policy. */
export function RevokeList({ vault, addresses, names }: RevokeProps) {
  const { t } = useLingui()
  const { show, close } = useDialogHost()
  const ask = (address: string) =>
    show(
      <OwnerCallDialog
        call={{ name: 'revokeApprover', approver: getAddress(address) }}
        place={placeOf(vault)}
        anyOf={[vault.ownerAddress]}
        title={<Trans>Take this approver out?</Trans>}
        label={t`Take out in the wallet`}
        done={<Trans>The vault no longer accepts this approver</Trans>}
        onClose={close}
      >
        <p>
          <Trans>
            The vault stops accepting signatures of this wallet in the next block. The policy keeps
            its version, and what others have signed stays valid. Only a new policy can bring it
            back.
          </Trans>
        </p>
        <Address address={address} name={names.get(address.toLowerCase())} />
      </OwnerCallDialog>,
    )
  return (
    <ul className="flex flex-col gap-3">
      {addresses.map((address) => (
        <li key={address} className="flex flex-wrap items-start justify-between gap-2">
          <Address address={address} name={names.get(address.toLowerCase())} />
          <Button size="small" onClick={() => ask(address)}>
            <Trans>Take out at once</Trans>
          </Button>
        </li>
      ))}
    </ul>
  )
}
