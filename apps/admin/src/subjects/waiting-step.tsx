import { buttonStyle } from '@countersign/ui/button.tsx'
import { Trans } from '@lingui/react/macro'
import { Link } from '@tanstack/react-router'
import type { NextStep } from './next-step.ts'
import type { PaymentStory } from './story-steps.ts'

export const ExecutorLink = ({ organizationId }: { organizationId: string }) => (
  <Link
    to="/organizations/$organizationId"
    params={{ organizationId }}
    search={{ section: 'executor' }}
    className={buttonStyle({ size: 'small' })}
  >
    <Trans>Open the executor</Trans>
  </Link>
)

export const HealthLink = () => (
  <Link to="/health" className={buttonStyle({ size: 'small' })}>
    <Trans>See health</Trans>
  </Link>
)

type Props = { step: NextStep; story: PaymentStory }

/** For a payment that nobody has stopped: what it waits for, and what to look at meanwhile. */
export function WaitingStep({ step, story }: Props) {
  switch (step) {
    case 'queued':
      return (
        <p>
          <Trans>
            Wait: a worker sends it next. If that takes more than a few minutes, check whether a
            worker is running, whether the executor has gas, and whether network fees are above the
            limit.
          </Trans>
        </p>
      )
    case 'sent':
      return (
        <p>
          <Trans>Wait a minute. It is being sent, and nothing is wrong so far.</Trans>
        </p>
      )
    case 'unmined':
      return (
        <>
          <p>
            <Trans>
              The service keeps sending it, with a higher fee each time, up to five times the first
              and not above MAX_FEE_PER_GAS_GWEI. Check that the chain's nodes are healthy and the
              executor has gas. If so, a node is holding transactions back: replace it in RPC_URLS.
            </Trans>
          </p>
          <p className="font-medium">
            <Trans>
              It can still go through. If anybody pays it another way, it may be paid twice.
            </Trans>
          </p>
        </>
      )
    case 'behind':
      return <BehindStep story={story} />
    default:
      return (
        <p>
          <Trans>
            Wait. The service is finding out on the chain what became of it. If that takes longer
            than an hour, look at the health of the chain.
          </Trans>
        </p>
      )
  }
}

function BehindStep({ story: { organization, attemptsAhead } }: { story: PaymentStory }) {
  const [first] = attemptsAhead
  if (!first) return null
  return (
    <>
      <p>
        <Trans>
          The chain mines the transactions of an executor in the order of their nonces. Find out
          what holds up the payment with nonce {first.nonce}. When that is mined, this one follows
          by itself.
        </Trans>
      </p>
      <div>
        <Link
          to="/organizations/$organizationId/payments/$paymentId"
          params={{ organizationId: organization.id, paymentId: first.paymentId }}
          className={buttonStyle({ look: 'primary', size: 'small' })}
        >
          <Trans>Open the payment that is in the way</Trans>
        </Link>
      </div>
    </>
  )
}
