import { Button } from '@countersign/ui/button.tsx'
import { Notice } from '@countersign/ui/notice.tsx'
import { Trans, useLingui } from '@lingui/react/macro'
import { useState } from 'react'
import type { UsedWallet } from './use-wallet.ts'
import type { WalletProblem } from './wallets.ts'

export function useWalletProblemText(): (problem: WalletProblem) => string {
  const { t } = useLingui()
  return (problem) =>
    ({
      rejected: t`You rejected it in your wallet. Nothing happened.`,
      busy: t`A request is already open in your wallet. Answer it there first.`,
      wrong_chain: t`Your wallet is on another network and did not switch.`,
      lost: t`The connection to your wallet is lost. Open it and ask again.`,
      failed: t`Your wallet could not do this.`,
    })[problem]
}

/** The wallets that this browser knows. */
export function WalletChoice({ used }: { used: UsedWallet }) {
  const text = useWalletProblemText()
  const [problem, setProblem] = useState<WalletProblem | null>(null)
  const [asked, setAsked] = useState<string | null>(null)
  if (used.announced.length === 0) {
    return (
      <Notice tone="info" title={<Trans>No wallet was found in this browser</Trans>}>
        <Trans>
          Install a browser wallet such as MetaMask or Rabby, or open this page in the browser of
          your wallet's phone app. Hardware wallets work through such a wallet.
        </Trans>
      </Notice>
    )
  }
  return (
    <div className="flex flex-col gap-2">
      {used.announced.map((wallet) => (
        <Button
          key={wallet.info.uuid}
          size="large"
          onClick={async () => {
            setAsked(wallet.info.uuid)
            const done = await used.connect(wallet)
            setAsked(null)
            setProblem(done.ok ? null : done.problem)
          }}
        >
          <Trans>Connect {wallet.info.name}</Trans>
        </Button>
      ))}
      {asked && (
        <Notice tone="info" isLive title={<Trans>Your wallet asks you now</Trans>}>
          <Trans>If it shows nothing, open it by hand, or choose the wallet again.</Trans>
        </Notice>
      )}
      {problem && !asked && (
        <Notice tone="warn" isLive>
          {text(problem)}
        </Notice>
      )}
    </div>
  )
}
