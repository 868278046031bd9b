import { FailureNotice } from '@countersign/app-kit/shell/failure-notice.tsx'
import { Address } from '@countersign/ui/address.tsx'
import { Button } from '@countersign/ui/button.tsx'
import { Dialog } from '@countersign/ui/dialog.tsx'
import { Radio } from '@countersign/ui/field.tsx'
import { Notice } from '@countersign/ui/notice.tsx'
import { say } from '@countersign/ui/say.ts'
import { Trans, useLingui } from '@lingui/react/macro'
import { useState } from 'react'
import type { Address as Account } from 'viem'
import { useWallet } from '../../wallet/use-wallet.ts'
import { useWalletProblemText, WalletChoice } from '../../wallet/wallet-choice.tsx'
import type { LinkCheck } from './link-check.ts'
import { useLinking } from './use-linking.ts'

type Props = { accountId: string; chainId: number; linked: readonly string[]; onClose(): void }

function useLinkProblemText(): (problem: LinkCheck['problems'][number]) => string {
  const { t } = useLingui()
  return (problem) =>
    ({
      domain: t`It names another site than the one you are on.`,
      address: t`It names another address.`,
      account: t`It names another account.`,
      chain: t`It names another chain.`,
      expired: t`It has expired, or lasts longer than it should. Check the clock of this device.`,
      altered: t`It says something else than it should.`,
    })[problem]
}

/** Proves by a signature that the wallet is the person's. The message is checked here first. */
export function LinkWalletDialog({ accountId, chainId, linked, onClose }: Props) {
  const { t } = useLingui()
  const used = useWallet()
  const [chosen, setChosen] = useState<Account | null>(null)
  const linking = useLinking({ accountId, chainId })
  const walletText = useWalletProblemText()
  const problemText = useLinkProblemText()
  const accounts = used.connected?.accounts ?? []
  const account = chosen && accounts.includes(chosen) ? chosen : accounts[0]
  const isLinked =
    account !== undefined && linked.some((each) => each.toLowerCase() === account.toLowerCase())
  const submit = async () => {
    if (!used.connected || !account) return
    if (await linking.run(used.connected.wallet, account)) {
      say(t`The wallet is linked`)
      onClose()
    }
  }
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={<Trans>Link a wallet</Trans>}
      description={
        <Trans>
          Your wallet signs a message that names this site and your account. It costs nothing and
          moves nothing.
        </Trans>
      }
      actions={
        <>
          <Button onClick={onClose}>
            <Trans>Cancel</Trans>
          </Button>
          <Button
            look="primary"
            isBusy={linking.isBusy}
            isDisabled={account === undefined || isLinked}
            onClick={submit}
          >
            <Trans>Sign in wallet</Trans>
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        {!used.connected && <WalletChoice used={used} />}
        {accounts.length > 1 &&
          accounts.map((each) => (
            <Radio
              key={each}
              name="account"
              label={<Address address={each} />}
              checked={each === account}
              onChange={() => setChosen(each)}
            />
          ))}
        {accounts.length === 1 && account && (
          <Address address={account} name={used.connected?.wallet.info.name} />
        )}
        {used.connected && (
          <div>
            <Button look="link" size="inline" onClick={used.forget}>
              <Trans>Use another wallet</Trans>
            </Button>
          </div>
        )}
        {isLinked && (
          <Notice tone="info">
            <Trans>This address is linked already. Choose another account in your wallet.</Trans>
          </Notice>
        )}
        {linking.message && linking.isBusy && (
          <Notice tone="ok" isLive title={<Trans>The message was checked in this page</Trans>}>
            <Trans>Your wallet shows this text. If it shows anything else, reject it.</Trans>
            <pre className="mt-2 whitespace-pre-wrap break-all font-mono text-xs">
              {linking.message}
            </pre>
          </Notice>
        )}
        {linking.problems.length > 0 && (
          <Notice
            tone="bad"
            isLive
            title={<Trans>This message must not be signed. Your wallet was not asked.</Trans>}
          >
            <ul className="list-disc ps-4">
              {linking.problems.map((problem) => (
                <li key={problem}>{problemText(problem)}</li>
              ))}
            </ul>
          </Notice>
        )}
        {linking.walletProblem && (
          <Notice tone="warn" isLive>
            {walletText(linking.walletProblem)}
          </Notice>
        )}
        {linking.failure?.code === 'invalid_signature' ? (
          <Notice tone="warn" isLive>
            <Trans>
              The signature is not by this address. Your wallet may have switched accounts; try
              again.
            </Trans>
          </Notice>
        ) : linking.failure?.code === 'wallet_conflict' ? (
          <Notice tone="warn" isLive>
            <Trans>This wallet is linked to another account. Unlink it there first.</Trans>
          </Notice>
        ) : (
          linking.failure && <FailureNotice failure={linking.failure} />
        )}
      </div>
    </Dialog>
  )
}
