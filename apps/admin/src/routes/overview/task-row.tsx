import { Mark } from '@countersign/ui/mark.tsx'
import { Moment } from '@countersign/ui/moment.tsx'
import { useLingui } from '@lingui/react'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { OperatorTask } from '../../data/operator-live.tsx'
import { PriorityMark } from '../../words/case-marks.tsx'
import { markOfTask, titleOfTask } from '../../words/tasks.ts'

const rowStyle =
  'press flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-3 hover:bg-hover sm:px-5'

function TaskLink({ task, children }: { task: OperatorTask; children: ReactNode }) {
  const { organizationId, aggregateId, expenseId } = task
  if (task.aggregateType === 'support_case') {
    return (
      <Link to="/cases/$caseId" params={{ caseId: aggregateId }} className={rowStyle}>
        {children}
      </Link>
    )
  }
  const paymentId = task.aggregateType === 'payment' ? aggregateId : expenseId
  if (organizationId === null || paymentId === null) {
    return <div className={rowStyle}>{children}</div>
  }
  return (
    <Link
      to="/organizations/$organizationId/payments/$paymentId"
      params={{ organizationId, paymentId }}
      className={rowStyle}
    >
      {children}
    </Link>
  )
}

/** Opens the place where it can be understood or answered. */
export function TaskRow({ task }: { task: OperatorTask }) {
  const { i18n } = useLingui()
  const mark = markOfTask(task)
  const title = titleOfTask(task)
  return (
    <li>
      <TaskLink task={task}>
        <span className="min-w-0 flex-1 basis-64">
          <bdi className="block break-words font-medium">{title ? i18n._(title) : task.title}</bdi>
          <bdi className="block break-words text-muted text-sm">
            {task.organizationName ?? task.detail}
          </bdi>
        </span>
        {task.priority !== null && <PriorityMark priority={task.priority} />}
        {mark && <Mark kind={mark.kind}>{i18n._(mark.word)}</Mark>}
        <span className="text-muted text-sm sm:w-28 sm:text-end">
          <Moment at={task.updatedAt} />
        </span>
      </TaskLink>
    </li>
  )
}
