import { checkOwnerTransaction } from '@countersign/client/owner-transactions.ts'
import { Button } from '@countersign/ui/button.tsx'
import { Dialog } from '@countersign/ui/dialog.tsx'
import { Notice } from '@countersign/ui/notice.tsx'
import { Trans } from '@lingui/react/macro'
import { type ReactNode, useState } from 'react'
import type { Hex } from 'viem'
import { useOrganization } from '../data/organization.tsx'
import type { ReadyWallet } from './account-gate.tsx'
import { SendCall } from './send-call.tsx'
import { TransactionHash } from './transaction-hash.tsx'
import { useReadAgainAfter } from './use-after-transaction.ts'
import { useReceipt } from './use-receipt.ts'
import { useWallet } from './use-wallet.ts'
import { type OwnCall, ownCall, type VaultPlace } from './vault-calls.ts'

type Props = {
  call: OwnCall
  place: VaultPlace
  /** Without them, any account may send it. */
  anyOf?: readonly string[]
  title: ReactNode
  /** What will happen, in plain words. */
  children: ReactNode
  label: string
  /** What takes something away looks dangerous. */
  look?: 'primary' | 'danger'
  done: ReactNode
  /** More that has to be so before it can be sent. */
  gate?: (ready: ReadyWallet, send: ReactNode) => ReactNode
  onClose(): void
}

/** Asks once more in plain words, then the wallet, then follows the transaction. */
export function OwnerCallDialog(props: Props) {
  const { call, place, anyOf, title, children, label, look = 'danger', done, gate, onClose } = props
  const { config } = useOrganization()
  const used = useWallet()
  const [hash, setHash] = useState<Hex | null>(null)
  const receipt = useReceipt(used.connected?.wallet ?? null, hash)
  useReadAgainAfter(receipt)
  const { transaction, requested } = ownCall(call, place)
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={title}
      actions={
        <Button look={hash ? 'primary' : 'secondary'} onClick={onClose}>
          {hash ? <Trans>Close</Trans> : <Trans>Cancel</Trans>}
        </Button>
      }
    >
      <div className="flex flex-col gap-4">
        {hash ? (
          <>
            {receipt === 'waiting' && (
              <p role="status">
                <Trans>Sent. Waiting for the chain.</Trans>
              </p>
            )}
            {receipt === 'done' && <Notice tone="ok" isLive title={done} />}
            {receipt === 'reverted' && (
              <Notice tone="bad" isLive title={<Trans>The chain refused the transaction</Trans>}>
                <Trans>Nothing changed, except for the gas it used.</Trans>
              </Notice>
            )}
            <TransactionHash hash={hash} />
          </>
        ) : (
          <>
            {children}
            <SendCall
              check={checkOwnerTransaction(transaction, requested, config.token)}
              used={used}
              {...(anyOf && { anyOf })}
              {...(gate && { gate })}
              look={look}
              label={label}
              onSent={setHash}
            />
          </>
        )}
      </div>
    </Dialog>
  )
}
