import { usePages } from '@countersign/app-kit/data/queries.ts'
import { ReadView } from '@countersign/app-kit/shell/read-view.tsx'
import type { ItemOf } from '@countersign/client/operation-types.ts'
import { Button } from '@countersign/ui/button.tsx'
import { Mark } from '@countersign/ui/mark.tsx'
import { Moment } from '@countersign/ui/moment.tsx'
import { Trans, useLingui } from '@lingui/react/macro'
import { useOrganization } from '../../data/organization.tsx'
import { KINDS } from './webhook-kinds.ts'

type Delivery = ItemOf<'listWebhookDeliveries'>

/** What was sent in the last seven days, and what came back. */
export function Deliveries({ webhookId }: { webhookId: string }) {
  const { t } = useLingui()
  const { id: organizationId } = useOrganization()
  const deliveries = usePages('listWebhookDeliveries', 'deliveries', {
    path: { organizationId, webhookId },
    query: { limit: 20 },
  })
  return (
    <ReadView of={deliveries} lines={2}>
      {() => (
        <>
          {deliveries.rows.length === 0 ? (
            <p className="text-muted text-sm">
              <Trans>
                Nothing has been sent yet. Send a test to see whether the receiver answers.
              </Trans>
            </p>
          ) : (
            <ul aria-label={t`Deliveries`} className="divide-y divide-line">
              {deliveries.rows.map((delivery) => (
                <DeliveryRow key={delivery.id} delivery={delivery} />
              ))}
            </ul>
          )}
          <div className="mt-2 flex gap-2">
            <Button
              size="small"
              look="quiet"
              isBusy={deliveries.isRefetching}
              onClick={() => void deliveries.refetch()}
            >
              <Trans>Reload</Trans>
            </Button>
            {deliveries.hasNextPage && (
              <Button
                size="small"
                look="quiet"
                isBusy={deliveries.isFetchingNextPage}
                onClick={() => void deliveries.fetchNextPage()}
              >
                <Trans>Show older</Trans>
              </Button>
            )}
          </div>
        </>
      )}
    </ReadView>
  )
}

const MARKS = { pending: 'working', delivered: 'done', failed: 'blocked' } as const

function DeliveryRow({ delivery }: { delivery: Delivery }) {
  const { t, i18n } = useLingui()
  const { state, attempt, statusCode, error, nextAttemptAt } = delivery
  const words = { pending: t`Waiting`, delivered: t`Delivered`, failed: t`Failed` }
  return (
    <li className="flex flex-wrap items-baseline gap-x-3 gap-y-1 py-2 text-sm">
      <Mark kind={MARKS[state]}>{words[state]}</Mark>
      <span className="min-w-0 flex-1">{i18n._(KINDS[delivery.kind])}</span>
      {statusCode !== null && <span className="figures text-muted">HTTP {statusCode}</span>}
      <span className="text-muted">
        <Moment at={delivery.attemptedAt ?? delivery.createdAt} />
      </span>
      {state !== 'delivered' && attempt > 0 && (
        <span className="w-full text-muted">
          {error && <bdi>{error} </bdi>}
          <Trans>Attempt {attempt} of 8.</Trans>{' '}
          {nextAttemptAt && (
            <Trans>
              Again <Moment at={nextAttemptAt} />.
            </Trans>
          )}
        </span>
      )}
    </li>
  )
}
