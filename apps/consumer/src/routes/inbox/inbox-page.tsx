import { useLive } from '@countersign/app-kit/data/live.tsx'
import { buttonStyle } from '@countersign/ui/button.tsx'
import { Empty, Page, Section, Skeleton } from '@countersign/ui/page.tsx'
import { Trans, useLingui } from '@lingui/react/macro'
import { Link } from '@tanstack/react-router'
import { Inbox, Plus } from 'lucide-react'
import { useOrganization } from '../../data/organization.tsx'
import { StaleNotice } from '../../shell/stale-notice.tsx'
import { useRowKeys } from '../../shell/use-row-keys.ts'
import { TaskList } from './task-list.tsx'

/** What is over is good to know, and in nobody's way. */
const DONE_SHOWN = 8

const GROUPS = ['needs_action', 'in_progress', 'recently_completed'] as const

/** What waits for this person, straight from the service, in its order. */
export function InboxPage() {
  const { t } = useLingui()
  const { id: organizationId } = useOrganization()
  const { snapshot } = useLive()
  const list = useRowKeys()
  const titles = {
    needs_action: t`Needs you`,
    in_progress: t`In progress`,
    recently_completed: t`Done in the last 24 hours`,
  }
  const tasks = snapshot?.tasks ?? []
  const groups = GROUPS.map((group) => ({
    group,
    rows: tasks.filter((task) => task.group === group),
  }))
  const newExpense = (
    <Link
      to="/organizations/$organizationId/expenses/new"
      params={{ organizationId }}
      className={buttonStyle({ look: 'secondary' })}
    >
      <Plus className="size-4" aria-hidden="true" />
      <Trans>New expense</Trans>
    </Link>
  )
  return (
    <Page title={<Trans>Inbox</Trans>}>
      <StaleNotice />
      {!snapshot && (
        <div role="status" aria-label={t`Loading`}>
          <Skeleton lines={5} />
        </div>
      )}
      <div ref={list}>
        {snapshot && groups[0]?.rows.length === 0 && (
          <Empty
            icon={<Inbox aria-hidden="true" />}
            title={<Trans>Nothing needs you right now</Trans>}
            action={newExpense}
          >
            {groups[1]?.rows.length ? (
              <Trans>What others are working on is below.</Trans>
            ) : (
              <Trans>Anything you need to review, sign or correct will appear here.</Trans>
            )}
          </Empty>
        )}
        {groups
          .filter(({ rows }) => rows.length > 0)
          .map(({ group, rows }) => (
            <Section key={group} title={titles[group]} note={rows.length}>
              <TaskList
                tasks={rows}
                shown={group === 'recently_completed' ? DONE_SHOWN : rows.length}
              />
            </Section>
          ))}
      </div>
    </Page>
  )
}
