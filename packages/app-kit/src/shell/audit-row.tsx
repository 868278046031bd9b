import type { ItemOf } from '@countersign/client/operation-types.ts'
import { Hash } from '@countersign/ui/address.tsx'
import { Moment } from '@countersign/ui/moment.tsx'
import { Fact, Facts } from '@countersign/ui/page.tsx'
import { Trans, useLingui } from '@lingui/react/macro'
import { ChevronDown } from 'lucide-react'
import { useId } from 'react'

type AuditEvent = ItemOf<'listAuditEvents'>
type Props = { event: AuditEvent; isOpen: boolean; onToggle(): void }

function Actor({ event }: { event: AuditEvent }) {
  if (event.actorRealm === 'system') return <Trans>the service</Trans>
  if (event.actorRealm === 'admin') return <Trans>an operator</Trans>
  return <bdi>{event.displayName ?? event.actorAccountId?.slice(0, 8)}</bdi>
}

export function AuditRow({ event, isOpen, onToggle }: Props) {
  const { t } = useLingui()
  const detailsId = useId()
  return (
    <div className="border-line border-b">
      <button
        type="button"
        data-row
        aria-expanded={isOpen}
        aria-controls={detailsId}
        onClick={onToggle}
        className="press flex w-full flex-wrap items-baseline gap-x-4 gap-y-0.5 px-4 py-2.5 text-start hover:bg-hover sm:px-5"
      >
        <span className="figures w-12 shrink-0 text-muted text-sm">{event.sequence}</span>
        <span className="min-w-0 flex-1 basis-40 break-words font-mono text-sm">
          {event.action}
        </span>
        <span className="min-w-0 truncate text-sm sm:w-44">
          <Actor event={event} />
        </span>
        <span className="flex items-center gap-2 text-muted text-sm sm:w-44 sm:justify-end">
          <Moment at={event.occurredAt} style="full" />
          <ChevronDown className={isOpen ? 'size-4 rotate-180' : 'size-4'} aria-hidden="true" />
        </span>
      </button>
      <div id={detailsId} hidden={!isOpen} className="px-4 pb-4 sm:px-5">
        {isOpen && (
          <Facts>
            <Fact term={<Trans>About</Trans>}>
              {event.aggregateType}{' '}
              <span className="break-all font-mono text-sm">{event.aggregateId}</span>
            </Fact>
            <Fact term={<Trans>What was recorded</Trans>}>
              <pre className="overflow-x-auto whitespace-pre-wrap break-all rounded-md bg-sunken p-3 font-mono text-xs">
                {JSON.stringify(event.data, null, 2)}
              </pre>
            </Fact>
            {event.requestId && (
              <Fact term={<Trans>Request</Trans>}>
                <span className="break-all font-mono text-sm">{event.requestId}</span>
              </Fact>
            )}
            <Fact term={<Trans>Hash</Trans>}>
              <Hash hash={event.hash} label={t`Copy the hash`} />
            </Fact>
          </Facts>
        )}
      </div>
    </div>
  )
}
