import type { DataOf } from '@countersign/client/operation-types.ts'
import { Button } from '@countersign/ui/button.tsx'
import { Notice } from '@countersign/ui/notice.tsx'
import { Spinner } from '@countersign/ui/spinner.tsx'
import { Trans } from '@lingui/react/macro'
import { Check } from 'lucide-react'
import { type ReactNode, useEffect, useState } from 'react'
import { useOrganization } from '../../data/organization.tsx'
import type { ReadyWallet } from '../../wallet/account-gate.tsx'
import { type AnnouncedWallet, chainOf, switchChain } from '../../wallet/wallets.ts'
import { type Agreement, agreementOf, type ToldPolicy } from './chain-agreement.ts'
import type { PolicyDifference } from './policy-difference.ts'
import { readChainPolicy } from './read-chain-policy.ts'

type Props = {
  ready: ReadyWallet
  vault: Pick<
    DataOf<'getVault'>,
    'address' | 'tokenAddress' | 'ownerAddress' | 'chainId' | 'changeDelaySeconds'
  >
  told: ToldPolicy
  difference: PolicyDifference
  onAgain(): void
  children: ReactNode
}

type Looked = Agreement | { state: 'unread' } | { state: 'no_vault' } | { state: 'wrong_chain' }

/** Lets on only if the chain, read by the wallet, says what the service says about the present. */
export function ChainGate({ ready, vault, told, difference, onAgain, children }: Props) {
  const { chain } = useOrganization().config
  const [looked, setLooked] = useState<Looked | null>(null)
  const [attempt, setAttempt] = useState(0)
  const described = {
    vault: vault.address,
    token: vault.tokenAddress,
    owner: vault.ownerAddress,
    chainId: vault.chainId,
    changeDelaySeconds: vault.changeDelaySeconds,
  }
  const asked = JSON.stringify([described, told, difference, attempt])
  // biome-ignore lint/correctness/useExhaustiveDependencies: `asked` stands for all that is compared
  useEffect(() => {
    let isStopped = false
    const look = async (wallet: AnnouncedWallet): Promise<Looked> => {
      const on = await chainOf(wallet)
      if (!on.ok) return { state: 'unread' }
      if (on.value !== chain.id) return { state: 'wrong_chain' }
      const read = await readChainPolicy(wallet, described, difference)
      return read.state === 'read' ? agreementOf(read.chain, told) : read
    }
    setLooked(null)
    void look(ready.wallet).then((found) => !isStopped && setLooked(found))
    return () => {
      isStopped = true
    }
  }, [ready.wallet, chain.id, asked])
  const again = () => setAttempt((count) => count + 1)

  if (!looked) {
    return (
      <p role="status" className="flex items-center gap-2 text-muted">
        <Spinner />
        <Trans>Your wallet reads the vault from the chain</Trans>
      </p>
    )
  }
  switch (looked.state) {
    case 'agrees':
      return (
        <>
          <p className="mb-4 flex items-start gap-2 text-sm">
            <Check className="mt-0.5 size-4 shrink-0 text-ok" aria-hidden="true" />
            <Trans>Your wallet read the vault from the chain: it is as this page says.</Trans>
          </p>
          {children}
        </>
      )
    case 'moved_on': {
      const version = looked.version.toString()
      return (
        <Notice
          tone="warn"
          isLive
          title={<Trans>The vault is at version {version} now</Trans>}
          actions={
            <Button size="small" onClick={onAgain}>
              <Trans>Look at the difference again</Trans>
            </Button>
          }
        >
          <Trans>
            Someone configured another policy meanwhile. The vault would refuse this one.
          </Trans>
        </Notice>
      )
    }
    case 'other_recipients':
      return (
        <Notice
          tone="warn"
          isLive
          title={<Trans>The vault has another list of recipients now</Trans>}
          actions={
            <Button size="small" onClick={onAgain}>
              <Trans>Look at the difference again</Trans>
            </Button>
          }
        >
          <Trans>Someone changed it meanwhile. The vault would refuse this change.</Trans>
        </Notice>
      )
    case 'wrong_chain':
      return (
        <Notice
          tone="warn"
          isLive
          title={<Trans>Your wallet is on another network</Trans>}
          actions={
            <Button
              size="small"
              onClick={async () => {
                await switchChain(ready.wallet, chain)
                again()
              }}
            >
              <Trans>Switch to {chain.name}</Trans>
            </Button>
          }
        >
          <Trans>Choose the network {chain.name} in your wallet, then try again.</Trans>
        </Notice>
      )
    case 'differs':
      return (
        <Notice
          tone="bad"
          isLive
          title={<Trans>Do not sign: the chain says something else about this vault</Trans>}
        >
          <p>
            <Trans>
              Your wallet reads other values than the service shows. What differs is listed here.
              Contact support.
            </Trans>
          </p>
          <ul className="mt-2 break-all font-mono">
            {looked.fields.map((field) => (
              <li key={field}>{field}</li>
            ))}
          </ul>
        </Notice>
      )
    case 'no_vault':
      return (
        <Notice tone="bad" isLive title={<Trans>Do not sign. This is not the vault</Trans>}>
          <Trans>
            Your wallet read the contract at this address. It is not the published vault of this
            token and owner, so a policy for it protects nothing. Tell support.
          </Trans>
        </Notice>
      )
    case 'unread':
      return (
        <Notice
          tone="warn"
          isLive
          title={<Trans>Your wallet could not read the vault</Trans>}
          actions={
            <Button size="small" onClick={again}>
              <Trans>Try again</Trans>
            </Button>
          }
        >
          <Trans>
            Before you sign, your wallet compares the vault on the chain with what this page says.
          </Trans>
        </Notice>
      )
  }
}
