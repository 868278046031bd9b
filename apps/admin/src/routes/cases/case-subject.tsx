import { useRead } from '@countersign/app-kit/data/queries.ts'
import { ReadView } from '@countersign/app-kit/shell/read-view.tsx'
import { Button, buttonStyle } from '@countersign/ui/button.tsx'
import { Card, Section } from '@countersign/ui/page.tsx'
import { Trans } from '@lingui/react/macro'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { StoryView } from '../../subjects/story-view.tsx'

type Props = { organizationId: string; paymentId: string | null }

/** Read when somebody asks for it: it is a view of the customer's payment of its own. */
export function CaseSubject({ organizationId, paymentId }: Props) {
  const [isOpen, setOpen] = useState(false)
  return (
    <Section title={<Trans>What it is about</Trans>}>
      {paymentId === null ? (
        <Card>
          <p className="text-muted">
            <Trans>The case names no expense and no payment.</Trans>
          </p>
          <Link
            to="/organizations/$organizationId"
            params={{ organizationId }}
            className={`mt-3 ${buttonStyle({ size: 'small' })}`}
          >
            <Trans>Open the organization</Trans>
          </Link>
        </Card>
      ) : isOpen ? (
        <Subject organizationId={organizationId} paymentId={paymentId} />
      ) : (
        <Card>
          <p className="text-muted">
            <Trans>A payment. Opening it is recorded in the organization's audit trail.</Trans>
          </p>
          <div className="mt-3">
            <Button size="small" onClick={() => setOpen(true)}>
              <Trans>Show the payment</Trans>
            </Button>
          </div>
        </Card>
      )}
    </Section>
  )
}

function Subject({ organizationId, paymentId }: { organizationId: string; paymentId: string }) {
  const story = useRead('getAdminPayment', { path: { organizationId, paymentId } })
  return (
    <ReadView of={story} lines={6}>
      {(data) => (
        <>
          <p className="mb-3 flex flex-wrap items-baseline justify-between gap-3">
            <bdi className="font-medium">{data.expense.revision.purpose}</bdi>
            <Link
              to="/organizations/$organizationId/payments/$paymentId"
              params={{ organizationId, paymentId }}
              className="text-accent text-sm underline-offset-4 hover:underline"
            >
              <Trans>Its whole story</Trans>
            </Link>
          </p>
          <StoryView story={data} isBeside />
        </>
      )}
    </ReadView>
  )
}
