/** Challenge, check, sign, link. The wallet is asked only if the message is what it should be. */

import { useAction } from '@countersign/app-kit/data/actions.ts'
import { client } from '@countersign/app-kit/data/api.ts'
import type { Failure } from '@countersign/client/errors.ts'
import { useState } from 'react'
import { type Address, stringToHex } from 'viem'
import { type AnnouncedWallet, signMessage, type WalletProblem } from '../../wallet/wallets.ts'
import { checkLinkMessage, type LinkCheck } from './link-check.ts'

type State = {
  isBusy: boolean
  message: string | null
  problems: LinkCheck['problems']
  walletProblem: WalletProblem | null
  failure: Failure | null
}

const IDLE: State = {
  isBusy: false,
  message: null,
  problems: [],
  walletProblem: null,
  failure: null,
}

export function useLinking({ accountId, chainId }: { accountId: string; chainId: number }) {
  const link = useAction('linkWallet', ['listWallets', 'getAccount', 'listMembers'])
  const [state, setState] = useState<State>(IDLE)

  const run = async (wallet: AnnouncedWallet, address: Address): Promise<boolean> => {
    setState({ ...IDLE, isBusy: true })
    const asked = await client.call('challengeWalletLink', { body: { address } })
    if (!asked.ok) {
      setState({ ...IDLE, failure: asked.failure })
      return false
    }
    const { message, challengeId } = asked.data
    const { origin } = location
    const expected = { origin, address, chainId, accountId, challengeId, now: new Date() }
    const check = checkLinkMessage(message, expected)
    if (!check.isSafe) {
      setState({ ...IDLE, problems: check.problems })
      return false
    }
    setState({ ...IDLE, isBusy: true, message })
    const signed = await signMessage(wallet, address, stringToHex(message))
    if (!signed.ok) {
      setState({ ...IDLE, walletProblem: signed.problem })
      return false
    }
    const linked = await link.run({ body: { challengeId, signature: signed.value } })
    setState({ ...IDLE, failure: linked.ok ? null : linked.failure })
    return linked.ok
  }
  return { ...state, run }
}
