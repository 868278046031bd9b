/** Where the person is on the way to a signature. */

import { client } from '@countersign/app-kit/data/api.ts'
import type { ShownApproval } from '@countersign/client/approvals.ts'
import { useEffect, useState } from 'react'
import type { Hex } from 'viem'
import { useOrganization } from '../../data/organization.tsx'
import type { ConnectedWallet } from '../../wallet/use-wallet.ts'
import {
  callThroughWallet,
  codeThroughWallet,
  signTypedData,
  switchChain,
  type WalletProblem,
} from '../../wallet/wallets.ts'
import type { Asked } from './belonging.ts'
import type { Interruption } from './interruption.ts'
import { rememberAddresses } from './known-addresses.ts'
import { rememberOrganization } from './known-organizations.ts'
import { oneStep } from './one-step.ts'
import {
  askForSignature,
  type Preparation,
  type Prepared,
  prepareSigning,
  submitSigned,
} from './signing.ts'

export type Phase =
  | { at: 'reviewing' }
  | { at: 'preparing' }
  | Preparation
  | { at: 'in_wallet'; prepared: Prepared }
  | { at: 'rejected'; prepared: Prepared; problem: WalletProblem }
  | { at: 'wrong_signature' }
  | { at: 'submitting' }
  | { at: 'signed' }

export type Signing = {
  phase: Phase
  prepare(connected: ConnectedWallet): Promise<void>
  sign(connected: ConnectedWallet, prepared: Prepared): Promise<void>
  /** The signature exists and its answer was lost. Null if there is none. */
  sendAgain: (() => Promise<void>) | null
  review(): void
  /** Gives up on a wallet that does not answer. A signature that comes later goes nowhere. */
  stopWaiting(): void
  /** Stops waiting too, because the page already shows that this approval ended otherwise. */
  interrupt(to: Interruption): void
}

export function useSigning(asked: Asked, shown: ShownApproval): Signing {
  const { config } = useOrganization()
  const [phase, setPhase] = useState<Phase>({ at: 'reviewing' })
  const [signed, setSigned] = useState<{ prepared: Prepared; signature: Hex } | null>(null)
  const [{ run: alone, letGo }] = useState(oneStep)
  // Leaving the page ends the wait for the wallet, but not a submission that has begun.
  useEffect(() => letGo, [letGo])

  const interrupt = (to: Interruption) => {
    letGo()
    setPhase({ at: to })
  }
  const stopWaiting = () => interrupt('reviewing')

  const submit = async (prepared: Prepared, signature: Hex): Promise<void> => {
    setPhase({ at: 'submitting' })
    const end = await submitSigned(client, { asked, shown, prepared, signature })
    if (end.at === 'signed') {
      const { organizationId } = asked
      const { organizationHash } = prepared.linked.message
      const { recipientAddress } = shown.expense.revision
      rememberAddresses(organizationId, [recipientAddress, shown.vault.address])
      rememberOrganization({ organizationId, organizationHash })
    }
    const isLost = end.at === 'failed' && end.failure.source === 'transport'
    setSigned(isLost ? { prepared, signature } : null)
    setPhase(end)
  }

  return {
    phase,
    prepare: ({ wallet, accounts }) => {
      // The wallet shows another account now, and has not answered for the one before.
      if (phase.at === 'in_wallet') stopWaiting()
      return alone(async () => {
        const [account] = accounts
        if (!account) return
        setPhase({ at: 'preparing' })
        const switched = await switchChain(wallet, config.chain)
        if (!switched.ok) {
          const { problem, message } = switched
          return setPhase({ at: 'unreadable', problem, message })
        }
        const reader = {
          call: (to: `0x${string}`, data: Hex) => callThroughWallet(wallet, to, data),
          code: (address: `0x${string}`) => codeThroughWallet(wallet, address),
        }
        const { token } = config
        setPhase(await prepareSigning({ asked, client, reader, shown, account, token }))
      })
    },
    sign: ({ wallet }, prepared) =>
      alone(async (isCurrent) => {
        setPhase({ at: 'in_wallet', prepared })
        const answer = await askForSignature(prepared, (account, typedData) =>
          signTypedData(wallet, account, typedData),
        )
        if (!isCurrent()) return
        if (answer.at === 'rejected') {
          return setPhase({ at: 'rejected', prepared, problem: answer.problem })
        }
        if (answer.at === 'wrong_signature') return setPhase({ at: 'wrong_signature' })
        await submit(prepared, answer.signature)
      }),
    sendAgain: signed && (() => alone(() => submit(signed.prepared, signed.signature))),
    review: () => setPhase({ at: 'reviewing' }),
    stopWaiting,
    interrupt,
  }
}
