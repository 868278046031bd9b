import { usePages } from '@countersign/app-kit/data/queries.ts'
import { ReadView } from '@countersign/app-kit/shell/read-view.tsx'
import type { ItemOf } from '@countersign/client/operation-types.ts'
import { Address } from '@countersign/ui/address.tsx'
import { Button } from '@countersign/ui/button.tsx'
import { Mark } from '@countersign/ui/mark.tsx'
import { Moment } from '@countersign/ui/moment.tsx'
import { Card, Empty, Page } from '@countersign/ui/page.tsx'
import { Trans, useLingui } from '@lingui/react/macro'
import { Link } from '@tanstack/react-router'
import { Fuel } from 'lucide-react'
import { ReadAgain } from '../../shell/read-again.tsx'
import { Gas } from '../../subjects/gas.tsx'
import { LookAgainButton } from '../../subjects/look-again-button.tsx'
import { SeverityMark } from '../../words/severity-mark.tsx'

type Executor = ItemOf<'listAdminExecutors'>

/** Who sends payments, and whether they have gas. Those that were replaced stay in the list. */
export function ExecutorsPage() {
  const { t } = useLingui()
  const executors = usePages('listAdminExecutors', 'executors', {})
  return (
    <Page
      title={<Trans>Executors</Trans>}
      lead={
        <Trans>
          The keys that send payments, with their gas. An executor that another one has replaced is
          marked.
        </Trans>
      }
      actions={<ReadAgain of={executors} />}
    >
      <ReadView of={executors} lines={6}>
        {() =>
          executors.rows.length === 0 ? (
            <Empty
              icon={<Fuel aria-hidden="true" />}
              title={<Trans>No organization has an executor yet</Trans>}
            />
          ) : (
            <Card isFlush>
              <ul aria-label={t`Executors`} className="divide-y divide-line">
                {executors.rows.map((executor) => (
                  <ExecutorRow
                    key={executor.id}
                    executor={executor}
                    onChanged={() => void executors.refetch()}
                  />
                ))}
              </ul>
            </Card>
          )
        }
      </ReadView>
      {executors.hasNextPage && (
        <div className="mt-4 flex justify-center">
          <Button
            isBusy={executors.isFetchingNextPage}
            onClick={() => void executors.fetchNextPage()}
          >
            <Trans>Show more</Trans>
          </Button>
        </div>
      )}
    </Page>
  )
}

type RowProps = { executor: Executor; onChanged(): void }

function ExecutorRow({ executor, onChanged }: RowProps) {
  const { t } = useLingui()
  const { organizationId, organizationName, status, severity, code } = executor
  return (
    <li className="flex flex-wrap items-start gap-x-6 gap-y-3 px-4 py-4 sm:px-5">
      <div className="min-w-0 flex-1 basis-80">
        <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <Link
            to="/organizations/$organizationId"
            params={{ organizationId }}
            search={{ section: 'executor' }}
            className="font-medium underline-offset-4 hover:underline"
          >
            <bdi>{organizationName}</bdi>
          </Link>
          <span className="text-muted text-sm">{executor.providerType}</span>
        </p>
        <Address address={executor.address} />
      </div>
      <div className="text-sm">
        <p className="text-muted">
          <Trans>Gas</Trans>
        </p>
        <p className="text-base">
          {executor.paysOwnGas ? (
            <Gas wei={executor.nativeBalanceWei} />
          ) : (
            <Trans>paid by the provider</Trans>
          )}
        </p>
        <p className="text-muted">
          {executor.balanceReadAt ? <Moment at={executor.balanceReadAt} /> : t`not read yet`}
        </p>
      </div>
      <div className="text-sm">
        <p className="text-muted">
          <Trans>Since</Trans>
        </p>
        <p>
          <Moment at={executor.createdAt} style="date" />
        </p>
      </div>
      <div className="flex flex-col gap-2 sm:items-end">
        {status === 'disabled' ? (
          <Mark kind="ended">{t`Replaced`}</Mark>
        ) : (
          <SeverityMark severity={severity} />
        )}
        {code && <span className="font-mono text-muted text-sm">{code}</span>}
        {status === 'active' && (
          <LookAgainButton organizationId={organizationId} onDone={onChanged} />
        )}
      </div>
    </li>
  )
}
