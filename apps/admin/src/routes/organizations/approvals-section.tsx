import { nameOf } from '@countersign/app-kit/words/people.ts'
import { ShortAddress } from '@countersign/ui/address.tsx'
import { Mark } from '@countersign/ui/mark.tsx'
import { Moment } from '@countersign/ui/moment.tsx'
import { Card, Empty } from '@countersign/ui/page.tsx'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Link } from '@tanstack/react-router'
import type { OrganizationDetail } from '../../data/organization-detail.ts'
import { APPROVAL_STATES, RUN_STATES } from '../../words/lifecycles.ts'

type Props = { detail: OrganizationDetail }

const rowStyle =
  'press flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-3 hover:bg-hover sm:px-5'

const purposeOf = ({ expenses }: OrganizationDetail, expenseId: string): string | undefined =>
  expenses.find(({ id }) => id === expenseId)?.revision.purpose

export function ApprovalsSection({ detail }: Props) {
  const { t, i18n } = useLingui()
  const { organization, approvals } = detail
  if (approvals.length === 0) return <Empty title={<Trans>No approval yet</Trans>} />
  return (
    <Card isFlush>
      <ul aria-label={t`Approvals`} className="divide-y divide-line">
        {approvals.map((approval) => {
          const { kind, word } = APPROVAL_STATES[approval.state]
          return (
            <li key={approval.id}>
              <Link
                to="/organizations/$organizationId/payments/$paymentId"
                params={{ organizationId: organization.id, paymentId: approval.expenseId }}
                className={rowStyle}
              >
                <span className="min-w-0 flex-1 basis-64">
                  <bdi className="block truncate font-medium">
                    {purposeOf(detail, approval.expenseId) ?? t`An older expense`}
                  </bdi>
                  <span className="flex flex-wrap items-center gap-x-3 text-muted text-sm">
                    <bdi>{nameOf(approval)}</bdi>
                    <ShortAddress address={approval.approverAddress} />
                    {approval.endCode && <span className="font-mono">{approval.endCode}</span>}
                  </span>
                </span>
                <Mark kind={kind}>{i18n._(word)}</Mark>
                <span className="text-muted text-sm sm:w-28 sm:text-end">
                  <Moment at={approval.updatedAt} />
                </span>
              </Link>
            </li>
          )
        })}
      </ul>
    </Card>
  )
}

export function AnalysesSection({ detail }: Props) {
  const { t, i18n } = useLingui()
  const { organization, agentRuns } = detail
  if (agentRuns.length === 0) return <Empty title={<Trans>No analysis yet</Trans>} />
  return (
    <Card isFlush>
      <ul aria-label={t`Analyses`} className="divide-y divide-line">
        {agentRuns.map((run) => {
          const { kind, word } = RUN_STATES[run.state]
          return (
            <li key={run.id}>
              <Link
                to="/organizations/$organizationId/payments/$paymentId"
                params={{ organizationId: organization.id, paymentId: run.expenseId }}
                className={rowStyle}
              >
                <span className="min-w-0 flex-1 basis-64">
                  <bdi className="block truncate font-medium">
                    {purposeOf(detail, run.expenseId) ?? t`An older expense`}
                  </bdi>
                  <span className="figures block text-muted text-sm">
                    <Trans>
                      revision {run.expenseRevision},{' '}
                      <Plural value={run.attempts} one="started once" other="started # times" />
                    </Trans>
                    {run.failureCode && <span className="ms-3 font-mono">{run.failureCode}</span>}
                  </span>
                </span>
                <Mark kind={kind}>{i18n._(word)}</Mark>
                <span className="text-muted text-sm sm:w-28 sm:text-end">
                  <Moment at={run.updatedAt} />
                </span>
              </Link>
            </li>
          )
        })}
      </ul>
    </Card>
  )
}
