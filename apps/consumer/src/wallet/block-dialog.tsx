import { Address } from '@countersign/ui/address.tsx'
import { Trans, useLingui } from '@lingui/react/macro'
import { getAddress } from 'viem'
import { OwnerCallDialog } from './owner-call-dialog.tsx'
import { placeOf } from './vault-calls.ts'

type Props = {
  kind: 'block' | 'unblock'
  vault: {
    label: string
    chainId: number
    address: string
    tokenAddress: string
    ownerAddress: string
    policy: { approverAddresses: readonly string[] } | null
  }
  address: string
  name: string | undefined
  onClose(): void
}

/** Owner and approvers stop payments to an address; only the owner allows them again. */
export function BlockDialog({ kind, vault, address, name, onClose }: Props) {
  const { t } = useLingui()
  const recipient = getAddress(address)
  const common = { place: placeOf(vault), onClose }
  const { label, ownerAddress } = vault
  return kind === 'block' ? (
    <OwnerCallDialog
      {...common}
      call={{ name: 'blockRecipient', recipient }}
      anyOf={[ownerAddress, ...(vault.policy?.approverAddresses ?? [])]}
      title={<Trans>Block this recipient?</Trans>}
      label={t`Block in the wallet`}
      done={<Trans>The recipient is blocked</Trans>}
    >
      <p>
        <Trans>
          From the next block on, <bdi>{label}</bdi> pays nothing to this address, also not what is
          already signed. Only the vault's owner can lift this.
        </Trans>
      </p>
      <Address address={address} name={name} />
    </OwnerCallDialog>
  ) : (
    <OwnerCallDialog
      {...common}
      call={{ name: 'unblockRecipient', recipient }}
      anyOf={[ownerAddress]}
      look="primary"
      title={<Trans>Allow payments to this recipient again?</Trans>}
      label={t`Unblock in the wallet`}
      done={<Trans>The recipient is no longer blocked</Trans>}
    >
      <p>
        <Trans>
          If it is in the list of <bdi>{label}</bdi>, it can be paid again at once.
        </Trans>
      </p>
      <Address address={address} name={name} />
    </OwnerCallDialog>
  )
}
