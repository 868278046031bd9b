import { Trans } from '@lingui/react/macro'
import { Eye } from 'lucide-react'

/** Above whatever was read of one customer. */
export const RecordedLine = () => (
  <p className="mb-4 flex items-center gap-2 text-muted text-sm">
    <Eye className="size-4 shrink-0" aria-hidden="true" />
    <Trans>Your view is recorded in this organization's audit trail. Its owners can see it.</Trans>
  </p>
)
