import { durationWords } from '@countersign/ui/duration.ts'
import { Moment } from '@countersign/ui/moment.tsx'
import { Money } from '@countersign/ui/money.tsx'
import { useRegion } from '@countersign/ui/use-region.ts'
import { Trans } from '@lingui/react/macro'
import { tierOf } from '../../approval/tiers.ts'
import type { Evidence } from './payment-view.tsx'
import { TransactionLink } from './transaction-link.tsx'

type Props = { evidence: Evidence }

/** The caps that the amount was held to, and where the policy comes from. */
export function PolicyText({ evidence }: Props) {
  const { policy, payment } = evidence
  if (!policy) return <Trans>The policy of that version is not there.</Trans>
  const isAutomatic = payment.mode === 'automatic'
  const cap = isAutomatic ? policy.automaticCap : policy.approvedCap
  return (
    <ul className="flex flex-col gap-1">
      <li>
        <Trans>
          Version {policy.version}, up to <Money baseUnits={cap} />, until{' '}
          <Moment at={policy.expiresAt} style="date" />
        </Trans>
      </li>
      <Period evidence={evidence} />
      {!isAutomatic && <Tier evidence={evidence} />}
      {policy.proposal && (
        <li>
          <Trans>
            Proposed in transaction <TransactionLink hash={policy.proposal.transactionHash} />, to
            count from <Moment at={policy.proposal.activatesAt} style="full" /> on
          </Trans>
        </li>
      )}
      <li>
        <Trans>
          Put into force in transaction <TransactionLink hash={policy.chainTransactionHash} />
        </Trans>
      </li>
    </ul>
  )
}

function Period({ evidence: { policy, payment } }: Props) {
  const region = useRegion()
  if (!policy) return null
  const { periodSeconds, periodCap, automaticPeriodCap } = policy
  if (periodSeconds === 0) {
    return (
      <li>
        <Trans>No spending period</Trans>
      </li>
    )
  }
  return (
    <li>
      <Trans>
        At most <Money baseUnits={periodCap} /> in {durationWords(periodSeconds, region)}
      </Trans>
      {payment.mode === 'automatic' && (
        <>
          {', '}
          <Trans>
            of which <Money baseUnits={automaticPeriodCap} /> automatically
          </Trans>
        </>
      )}
    </li>
  )
}

function Tier({ evidence: { policy, revision } }: Props) {
  const tier = tierOf(policy?.tiers ?? [], revision.amountBaseUnits)
  return (
    <li>
      {tier ? (
        <Trans>
          Above <Money baseUnits={tier.above} />: {tier.approvals} signatures
        </Trans>
      ) : (
        <Trans>One signature is enough for this amount</Trans>
      )}
    </li>
  )
}
