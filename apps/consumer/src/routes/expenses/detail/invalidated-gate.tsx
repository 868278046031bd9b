import { Notice } from '@countersign/ui/notice.tsx'
import { Spinner } from '@countersign/ui/spinner.tsx'
import { Trans } from '@lingui/react/macro'
import { type ReactNode, useEffect, useState } from 'react'
import type { Hex } from 'viem'
import type { ReadyWallet } from '../../../wallet/account-gate.tsx'
import { isInvalidatedBy } from '../../../wallet/vault-reads.ts'

type Props = {
  ready: ReadyWallet
  vaultAddress: string
  /** Those whose invalidation counts. */
  accounts: readonly string[]
  digest: Hex
  children: ReactNode
}

/** Asks the vault first: the service keeps no record of signatures it had set aside before. */
export function InvalidatedGate({ ready, vaultAddress, accounts, digest, children }: Props) {
  const [isRefused, setRefused] = useState<boolean | null>(null)
  const asked = accounts.join()
  // biome-ignore lint/correctness/useExhaustiveDependencies: `asked` stands for the accounts
  useEffect(() => {
    let isStopped = false
    setRefused(null)
    const reads = accounts.map((account) =>
      isInvalidatedBy(ready.wallet, vaultAddress, { account, digest }),
    )
    // A wallet that cannot read may still send; doing it twice changes nothing.
    void Promise.all(reads).then((answers) => {
      if (!isStopped) setRefused(answers.some((answer) => answer.ok && answer.value))
    })
    return () => {
      isStopped = true
    }
  }, [ready.wallet, vaultAddress, digest, asked])
  if (isRefused === null) {
    return (
      <p role="status" className="flex items-center gap-2 text-muted">
        <Spinner />
        <Trans>Your wallet reads the vault from the chain</Trans>
      </p>
    )
  }
  if (!isRefused) return children
  return (
    <Notice tone="ok" isLive title={<Trans>The vault refuses this signature already</Trans>}>
      <Trans>Nothing more is needed.</Trans>
    </Notice>
  )
}
