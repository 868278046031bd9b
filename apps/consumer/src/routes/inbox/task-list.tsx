import { Button } from '@countersign/ui/button.tsx'
import { Card } from '@countersign/ui/page.tsx'
import { Trans } from '@lingui/react/macro'
import { useState } from 'react'
import type { Task } from '../../words/tasks.ts'
import { TaskRow } from './task-row.tsx'

/** The first `shown` tasks, and the rest for the asking. */
export function TaskList({ tasks, shown }: { tasks: readonly Task[]; shown: number }) {
  const [isWhole, setWhole] = useState(false)
  const rest = isWhole ? 0 : Math.max(0, tasks.length - shown)
  return (
    <Card isFlush>
      <ul className="divide-y divide-line">
        {tasks.slice(0, tasks.length - rest).map((task) => (
          <TaskRow key={task.id} task={task} />
        ))}
      </ul>
      {rest > 0 && (
        <div className="border-line border-t p-1.5">
          <Button look="quiet" size="small" wide onClick={() => setWhole(true)}>
            <Trans>Show {rest} more</Trans>
          </Button>
        </div>
      )}
    </Card>
  )
}
