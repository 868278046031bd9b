import { UtcMoment } from '@countersign/ui/utc-moment.tsx'
import { Trans } from '@lingui/react/macro'

/** A payment of any screen; only a queued one can wait for its period. */
type Waiting = { state: string; postponedUntil?: string | null }

/** When the vault can make the payment again. Null unless it waits for the end of a period. */
export const postponedUntilOf = (payment: Waiting | null | undefined): string | null =>
  payment?.state === 'queued' ? (payment.postponedUntil ?? null) : null

/** Why a queued payment is not sent yet. */
export const Postponed = ({ until }: { until: string }) => (
  <Trans>
    The vault has paid out what the policy allows for this period. Possible again{' '}
    <UtcMoment at={until} />.
  </Trans>
)
