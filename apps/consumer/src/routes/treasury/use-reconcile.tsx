import { useAction } from '@countersign/app-kit/data/actions.ts'
import { FailureNotice } from '@countersign/app-kit/shell/failure-notice.tsx'
import { Button } from '@countersign/ui/button.tsx'
import type { ReactNode } from 'react'
import { useOrganization } from '../../data/organization.tsx'

/** A button that has the service look at the executor again, and what went wrong. */
export function useReconcile(label: ReactNode): { button: ReactNode; failure: ReactNode } {
  const { id: organizationId } = useOrganization()
  const { isBusy, failure, run } = useAction('reconcileExecutor', ['getExecutor'])
  return {
    button: (
      <Button size="small" isBusy={isBusy} onClick={() => void run({ path: { organizationId } })}>
        {label}
      </Button>
    ),
    failure: failure && <FailureNotice failure={failure} />,
  }
}
