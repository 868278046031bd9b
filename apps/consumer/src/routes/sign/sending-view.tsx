import { Spinner } from '@countersign/ui/spinner.tsx'
import { Trans } from '@lingui/react/macro'

export const SendingView = () => (
  <p role="status" className="flex items-center gap-3 py-8">
    <Spinner />
    <Trans>Your signature is being sent. Keep this page open.</Trans>
  </p>
)
