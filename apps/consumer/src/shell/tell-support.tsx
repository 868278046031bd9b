import { useAction } from '@countersign/app-kit/data/actions.ts'
import { FailureNotice } from '@countersign/app-kit/shell/failure-notice.tsx'
import { Button, buttonStyle } from '@countersign/ui/button.tsx'
import { Trans } from '@lingui/react/macro'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useOrganization } from '../data/organization.tsx'

type Props = {
  subject: string
  /** What support needs to see. */
  details: string
  expenseId?: string
  paymentId?: string
}

const BODY_MAX = 4_000
const HIGH = 3

/** Opens a case with everything in it, in one step: nobody has to describe what a program found. */
export function TellSupport({ subject, details, expenseId, paymentId }: Props) {
  const { id: organizationId } = useOrganization()
  const action = useAction('openSupportCase', ['listSupportCases'])
  const [caseId, setCaseId] = useState<string | null>(null)
  if (caseId) {
    return (
      <Link
        to="/organizations/$organizationId/support-cases/$caseId"
        params={{ organizationId, caseId }}
        className={buttonStyle({ look: 'primary' })}
      >
        <Trans>Open the support case</Trans>
      </Link>
    )
  }
  return (
    <div className="flex flex-col gap-3">
      {action.failure && <FailureNotice failure={action.failure} />}
      <div>
        <Button
          look="primary"
          isBusy={action.isBusy}
          onClick={async () => {
            const body = details.slice(0, BODY_MAX)
            const opened = await action.run({
              path: { organizationId },
              body: {
                subject,
                priority: HIGH,
                ...(body && { body }),
                ...(expenseId && { expenseId }),
                ...(paymentId && { paymentId }),
              },
            })
            if (opened.ok) setCaseId(opened.data.id)
          }}
        >
          <Trans>Contact support</Trans>
        </Button>
      </div>
    </div>
  )
}
