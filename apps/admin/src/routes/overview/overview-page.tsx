import { useLive } from '@countersign/app-kit/data/live.tsx'
import { Card, Empty, Page, Section, Skeleton } from '@countersign/ui/page.tsx'
import { Count } from '@countersign/ui/tabs.tsx'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Link } from '@tanstack/react-router'
import { CircleCheckBig } from 'lucide-react'
import type { OperatorTask, ServiceState } from '../../data/operator-live.tsx'
import { SeverityMark } from '../../words/severity-mark.tsx'
import { Counts } from './counts.tsx'
import { worstFirst } from './queue.ts'
import { RecentEvents } from './recent-events.tsx'
import { TaskRow } from './task-row.tsx'

/** A queue that empties: what needs an operator, the worst first. It changes by itself. */
export function OverviewPage() {
  const { t } = useLingui()
  const { snapshot } = useLive()
  if (!snapshot) {
    return (
      <Page title={<Trans>Overview</Trans>}>
        <div role="status" aria-label={t`Loading`}>
          <Skeleton lines={8} />
        </div>
      </Page>
    )
  }
  const of = (group: OperatorTask['group']) =>
    worstFirst(snapshot.tasks.filter((task) => task.group === group))
  const waiting = of('needs_action')
  const others = of('in_progress')
  return (
    <Page title={<Trans>Overview</Trans>}>
      <Services services={snapshot.services} />
      <Section
        title={
          <>
            <Trans>Needs an operator</Trans> <Count>{waiting.length}</Count>
          </>
        }
      >
        {waiting.length === 0 ? (
          <Empty
            icon={<CircleCheckBig aria-hidden="true" />}
            title={<Trans>Nothing needs an operator</Trans>}
          >
            <Trans>
              Blocked payments, failed analyses and new cases appear here by themselves.
            </Trans>
          </Empty>
        ) : (
          <Tasks tasks={waiting} label={t`Needs an operator`} />
        )}
      </Section>
      {others.length > 0 && (
        <Section title={<Trans>In progress</Trans>}>
          <Tasks tasks={others} label={t`In progress`} />
        </Section>
      )}
      <div className="mt-8">
        <Counts />
      </div>
      <RecentEvents events={snapshot.events} />
    </Page>
  )
}

const Tasks = ({ tasks, label }: { tasks: readonly OperatorTask[]; label: string }) => (
  <Card isFlush>
    <ul aria-label={label} aria-live="polite" className="divide-y divide-line">
      {tasks.map((task) => (
        <TaskRow key={task.id} task={task} />
      ))}
    </ul>
  </Card>
)

/** Whatever is not healthy, by name, with what to do about it. */
function Services({ services }: { services: readonly ServiceState[] }) {
  const { t } = useLingui()
  const unwell = services.filter(({ severity }) => severity !== 'healthy')
  const all = services.length
  return (
    <div className="mb-6 rounded-lg border border-line bg-surface px-4 py-3 sm:px-5">
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <span className="font-medium">
          {unwell.length === 0 ? (
            <Trans>All {services.length} services are healthy</Trans>
          ) : (
            <Plural
              value={unwell.length}
              one={`# of ${all} services needs attention`}
              other={`# of ${all} services need attention`}
            />
          )}
        </span>
        <Link to="/health" className="text-accent text-sm underline-offset-4 hover:underline">
          <Trans>See health</Trans>
        </Link>
      </div>
      {unwell.length > 0 && (
        <ul aria-label={t`Services that need attention`} className="mt-2 flex flex-col gap-2">
          {unwell.map(({ id, service, severity, summary }) => (
            <li key={id} className="flex flex-wrap items-baseline gap-x-3 text-sm">
              <SeverityMark severity={severity} />
              <span className="font-medium">{service}</span>
              <span className="min-w-0 basis-full text-muted lg:flex-1 lg:basis-0">{summary}</span>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
