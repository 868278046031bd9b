import { Postponed } from '@countersign/app-kit/words/postponed.tsx'
import { postponedUntilOf } from '@countersign/app-kit/words/postponed-until.ts'
import { SignatureCount } from '@countersign/app-kit/words/signature-count.tsx'
import type { DataOf } from '@countersign/client/operation-types.ts'
import { Address, Hash } from '@countersign/ui/address.tsx'
import { Moment } from '@countersign/ui/moment.tsx'
import { Money } from '@countersign/ui/money.tsx'
import { Card } from '@countersign/ui/page.tsx'
import { Timeline } from '@countersign/ui/timeline.tsx'
import { Trans, useLingui } from '@lingui/react/macro'
import type { ReactNode } from 'react'
import { SignatureList } from '../../approval/signature-list.tsx'
import { useExplorer } from '../../data/explorer.ts'
import { useOrganization } from '../../data/organization.tsx'
import { awaitedOf, progressOf, type StepId } from './progress.ts'

type Props = { detail: DataOf<'getPayment'> }

/** Set aside, signed by the others, sent, on the chain. */
export function SignedProgress({ detail }: Props) {
  const { t } = useLingui()
  const { payment } = detail
  const titles: Record<StepId, string> = {
    signed: t`Signed`,
    set_aside: t`The amount is set aside`,
    others: t`Signed by everyone who is needed`,
    sent: t`Sent to the chain`,
    on_chain: t`Final on the chain`,
  }
  const parts: Partial<Record<StepId, ReactNode>> = {
    set_aside: <SetAside detail={detail} />,
    others: <Others detail={detail} />,
    sent: <Sent detail={detail} />,
  }
  return (
    <Card>
      <p className="mb-1 text-2xl">
        <Money baseUnits={payment.amountBaseUnits} isStrong />
      </p>
      <Address address={payment.recipientAddress} />
      <div className="mt-5">
        <Timeline
          label={t`What happens to the payment`}
          steps={progressOf(payment).map(({ id, when }) => ({
            id,
            when,
            title: titles[id],
            children: parts[id],
          }))}
        />
      </div>
    </Card>
  )
}

function SetAside({ detail: { payment } }: Props) {
  const { config } = useOrganization()
  return (
    awaitedOf(payment, config.features.paymentRelease) === 'release' && (
      <Trans>An owner or a manager releases it next.</Trans>
    )
  )
}

function Others({ detail: { payment, approvals } }: Props) {
  const { signedApprovals, requiredApprovals, deadline } = payment
  return (
    <div className="flex flex-col gap-2">
      <p>
        <SignatureCount signed={signedApprovals} required={requiredApprovals} />
        {signedApprovals < requiredApprovals && (
          <>
            {' · '}
            <Trans>
              Every signature must be there by <Moment at={deadline} style="full" />.
            </Trans>
          </>
        )}
      </p>
      <SignatureList signed={approvals} />
    </div>
  )
}

function Sent({ detail: { payment } }: Props) {
  const { t } = useLingui()
  const explorer = useExplorer()
  const { transactionHash } = payment
  const until = postponedUntilOf(payment)
  if (until) return <Postponed until={until} />
  if (!transactionHash) return null
  const url = explorer.transaction(transactionHash)
  return (
    <>
      <Hash hash={transactionHash} label={t`Copy the transaction hash`} />
      {url && (
        <a href={url} target="_blank" rel="noreferrer" className="text-accent">
          <Trans>explorer</Trans>
        </a>
      )}
    </>
  )
}
