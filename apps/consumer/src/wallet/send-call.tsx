import type { OwnerTransactionCheck } from '@countersign/client/owner-transactions.ts'
import { Address, Hash } from '@countersign/ui/address.tsx'
import { Button } from '@countersign/ui/button.tsx'
import { Notice } from '@countersign/ui/notice.tsx'
import { Trans, useLingui } from '@lingui/react/macro'
import { type ReactNode, useState } from 'react'
import { type Hex, keccak256 } from 'viem'
import { useOrganization } from '../data/organization.tsx'
import { AccountGate, type ReadyWallet } from './account-gate.tsx'
import { CallRefusal } from './call-refusal.tsx'
import { sendChecked } from './send-checked.ts'
import type { UsedWallet } from './use-wallet.ts'
import { useWalletProblemText } from './wallet-choice.tsx'
import type { WalletProblem } from './wallets.ts'

type Props = {
  check: OwnerTransactionCheck
  used: UsedWallet
  /** The accounts that may send it. Without them, any account may. */
  anyOf?: readonly string[]
  label: ReactNode
  look?: 'primary' | 'danger'
  onSent(hash: Hex): void
  /** More that has to be so before it can be sent, once a wallet is connected. */
  gate?: (ready: ReadyWallet, send: ReactNode) => ReactNode
  reason?: string
}

/** Shows what was checked, connects the right account and hands the transaction over. */
export function SendCall({ check, used, anyOf, label, look, onSent, gate, reason }: Props) {
  const { t } = useLingui()
  const { chain } = useOrganization().config
  const text = useWalletProblemText()
  const [state, setState] = useState<{ isAsking: boolean; problem: WalletProblem | null }>({
    isAsking: false,
    problem: null,
  })
  if (!check.ok) return <CallRefusal check={check} />
  const { decoded } = check
  const send = async ({ wallet, account: from }: ReadyWallet) => {
    setState({ isAsking: true, problem: null })
    const sent = await sendChecked(wallet, { account: from, chain, decoded })
    setState({ isAsking: false, problem: sent.ok ? null : sent.problem })
    if (sent.ok) onSent(sent.value)
  }
  const sending = (ready: ReadyWallet) => (
    <div className="flex flex-col gap-3">
      <div>
        <p className="text-muted text-sm">
          <Trans>Sent by your account</Trans>
        </p>
        <Address address={ready.account} />
      </div>
      {state.problem && (
        <Notice tone="warn" isLive title={text(state.problem)}>
          {state.problem === 'wrong_chain' && (
            <Trans>Choose the network {chain.name} in your wallet, then try again.</Trans>
          )}
        </Notice>
      )}
      {state.isAsking && (
        <Notice tone="info" isLive title={<Trans>Your wallet asks you now</Trans>}>
          <Trans>If it shows another contract or other figures than this page, reject it.</Trans>
        </Notice>
      )}
      <Button
        look={look ?? 'primary'}
        size="large"
        wide
        isBusy={state.isAsking}
        reason={reason}
        onClick={() => void send(ready)}
      >
        {label}
      </Button>
    </div>
  )
  return (
    <div className="flex flex-col gap-4">
      <details className="rounded-md border border-line px-4 py-2 text-sm">
        <summary className="min-h-8 cursor-pointer py-1">
          <Trans>Every field, as decoded in this page</Trans>
        </summary>
        <ul className="mt-1 flex flex-col gap-1 break-all pb-2 font-mono text-xs">
          {check.lines.map((line, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: lines of one decoded call do not move
            <li key={index} className={line.startsWith('  ') ? 'ps-4' : ''}>
              {line}
            </li>
          ))}
        </ul>
        <p className="text-muted">
          <Trans>Hash of the data</Trans>
        </p>
        <Hash hash={keccak256(decoded.transaction.data)} label={t`Copy the hash of the data`} />
      </details>
      <AccountGate used={used} {...(anyOf && { anyOf })}>
        {(ready) => (gate ? gate(ready, sending(ready)) : sending(ready))}
      </AccountGate>
    </div>
  )
}
