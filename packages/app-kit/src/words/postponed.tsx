import { UtcMoment } from '@countersign/ui/utc-moment.tsx'
import { Trans } from '@lingui/react/macro'

/** Why a queued payment is not sent yet. */
export const Postponed = ({ until }: { until: string }) => (
  <Trans>
    The vault has paid out what the policy allows for this period. Possible again{' '}
    <UtcMoment at={until} />.
  </Trans>
)
