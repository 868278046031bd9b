import type { ShownApproval } from '@countersign/client/approvals.ts'
import { Address, inFours } from '@countersign/ui/address.tsx'
import { Button } from '@countersign/ui/button.tsx'
import { Money } from '@countersign/ui/money.tsx'
import { Notice } from '@countersign/ui/notice.tsx'
import { Card } from '@countersign/ui/page.tsx'
import { Trans, useLingui } from '@lingui/react/macro'
import { useEffect } from 'react'
import { useOnline } from '../../data/online.ts'
import type { UsedWallet } from '../../wallet/use-wallet.ts'
import { ActionBar } from './action-bar.tsx'
import { CheckList } from './check-list.tsx'
import { RejectedNotice } from './rejected-notice.tsx'
import { NotNow } from './review-step.tsx'
import { SignedData } from './signed-data.tsx'
import { Steps } from './steps.tsx'
import { TermsCard } from './terms-card.tsx'
import { useFocusHere } from './use-focus-here.ts'
import type { Phase, Signing } from './use-signing.ts'

type Props = {
  shown: ShownApproval
  live: ShownApproval['expense']
  phase: Extract<Phase, { at: 'ready' | 'in_wallet' | 'rejected' }>
  signing: Signing
  used: UsedWallet
}

/** Everything holds. Only here is there a button that signs. */
export function ReadyStep({ shown, live, phase, signing, used }: Props) {
  const { prepared } = phase
  const { connected } = used
  const here = useFocusHere()
  const { t } = useLingui()
  const isOnline = useOnline()
  // What the wallet must show, and that it said no, stands at the top.
  useEffect(() => {
    if (phase.at !== 'ready') scrollTo({ top: 0 })
  }, [phase.at])
  return (
    <div ref={here} tabIndex={-1} className="flex flex-col gap-4 outline-none">
      <Steps current={2} />
      {phase.at === 'in_wallet' && <InWallet shown={shown} onStop={signing.stopWaiting} />}
      {phase.at === 'rejected' && (
        <RejectedNotice shown={shown} prepared={prepared} problem={phase.problem} />
      )}
      <TermsCard shown={shown} live={live} deadlineSeconds={prepared.deadlineSeconds} />
      <CheckList checks={prepared.checks} />
      <SignedData prepared={prepared} />
      <Card>
        <h2 className="mb-2 font-semibold">
          <Trans>Signing as</Trans>
        </h2>
        <Address address={prepared.account} name={connected?.wallet.info.name} />
        {prepared.isContractWallet && (
          <p className="mt-2 text-muted text-sm">
            <Trans>
              This is a contract wallet. Its signature cannot be checked in this page; the vault
              asks the contract. Whoever else signs for it has to compare the digest as well.
            </Trans>
          </p>
        )}
      </Card>
      <ActionBar>
        <NotNow shown={shown} />
        <Button
          look="primary"
          size="large"
          isBusy={phase.at === 'in_wallet'}
          reason={isOnline ? undefined : t`You are offline. Wait until the page is connected.`}
          onClick={() => connected && void signing.sign(connected, prepared)}
        >
          {phase.at === 'rejected' ? <Trans>Sign again</Trans> : <Trans>Sign in wallet</Trans>}
        </Button>
      </ActionBar>
    </div>
  )
}

function InWallet({ shown: { expense }, onStop }: Pick<Props, 'shown'> & { onStop(): void }) {
  const { amountBaseUnits, recipientAddress } = expense.revision
  return (
    <Notice
      tone="info"
      isLive
      title={<Trans>Look at your wallet</Trans>}
      actions={
        <Button size="small" onClick={onStop}>
          <Trans>Stop waiting</Trans>
        </Button>
      }
    >
      <p>
        <Trans>
          It must show <Money baseUnits={amountBaseUnits} isStrong /> ({amountBaseUnits} base units)
          to <span className="font-mono">0x {inFours(recipientAddress).join(' ')}</span>. If it
          shows anything else, reject it.
        </Trans>
      </p>
      <p className="mt-1">
        <Trans>
          If it shows nothing, open it by hand. If you stop waiting, a signature that comes later is
          not sent.
        </Trans>
      </p>
    </Notice>
  )
}
