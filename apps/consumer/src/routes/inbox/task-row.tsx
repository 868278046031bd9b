import { buttonStyle } from '@countersign/ui/button.tsx'
import { Mark } from '@countersign/ui/mark.tsx'
import { Moment } from '@countersign/ui/moment.tsx'
import { useLingui } from '@lingui/react'
import { Link, type LinkProps } from '@tanstack/react-router'
import { ACTIONS, markOfTask, type Task, titleOfTask } from '../../words/tasks.ts'
import { TaskDetail } from './task-detail.tsx'

type Action = Task['actions'][number]['id']

/** Where a task, or one of its actions, is dealt with. */
function linkOf(task: Task, action?: Action): Pick<LinkProps, 'to' | 'params' | 'search'> {
  const organizationId = task.organizationId ?? ''
  if (action === 'open_support' && task.expenseId) {
    return {
      to: '/organizations/$organizationId/support',
      params: { organizationId },
      search: { expense: task.expenseId },
    }
  }
  if ((action === 'prepare_approval' || action === 'sign_approval') && task.expenseId) {
    return {
      to: '/organizations/$organizationId/expenses/$expenseId/sign',
      params: { organizationId, expenseId: task.expenseId },
    }
  }
  if (action === 'revise_expense' && task.expenseId) {
    return {
      to: '/organizations/$organizationId/expenses/$expenseId/revise',
      params: { organizationId, expenseId: task.expenseId },
    }
  }
  if (task.aggregateType === 'payment') {
    return {
      to: '/organizations/$organizationId/payments/$paymentId',
      params: { organizationId, paymentId: task.aggregateId },
    }
  }
  if (task.aggregateType === 'support_case') {
    return {
      to: '/organizations/$organizationId/support-cases/$caseId',
      params: { organizationId, caseId: task.aggregateId },
    }
  }
  if (task.expenseId) {
    return {
      to: '/organizations/$organizationId/expenses/$expenseId',
      params: { organizationId, expenseId: task.expenseId },
    }
  }
  if (task.vaultId) {
    return {
      to: '/organizations/$organizationId/treasury/$vaultId',
      params: { organizationId, vaultId: task.vaultId },
    }
  }
  const to =
    task.state === 'pending'
      ? '/organizations/$organizationId/people'
      : '/organizations/$organizationId/activity'
  return { to, params: { organizationId } }
}

export function TaskRow({ task }: { task: Task }) {
  const { i18n } = useLingui()
  const { kind, word } = markOfTask(task)
  const title = titleOfTask(task)
  const [main] = task.actions
  return (
    <li className="relative flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3 hover:bg-hover sm:px-5">
      <div className="min-w-0 flex-1 basis-64">
        <Link
          {...linkOf(task)}
          data-row
          className="font-medium outline-offset-4 after:absolute after:inset-0"
        >
          {title ? i18n._(title) : <bdi className="line-clamp-2">{task.title}</bdi>}
        </Link>
        <p className="truncate text-muted text-sm max-sm:whitespace-normal">
          <TaskDetail task={task} />
        </p>
      </div>
      <div className="flex shrink-0 items-center gap-3 max-sm:w-full max-sm:justify-between">
        <span className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1">
          <Mark kind={kind}>{i18n._(word)}</Mark>
          <span className="whitespace-nowrap text-muted text-sm">
            <Moment at={task.updatedAt} style="brief" />
          </span>
        </span>
        {main && task.group === 'needs_action' && (
          <Link
            {...linkOf(task, main.id)}
            className={`${buttonStyle({ look: 'primary', size: 'small' })} relative`}
          >
            {i18n._(ACTIONS[main.id])}
          </Link>
        )}
      </div>
    </li>
  )
}
