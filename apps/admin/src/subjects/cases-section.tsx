import { Moment } from '@countersign/ui/moment.tsx'
import { Card, Empty } from '@countersign/ui/page.tsx'
import { Trans, useLingui } from '@lingui/react/macro'
import { Link } from '@tanstack/react-router'
import type { OrganizationDetail } from '../data/organization-detail.ts'
import { CaseMark, PriorityMark } from '../words/case-marks.tsx'

type Props = {
  cases: readonly OrganizationDetail['supportCases'][number][]
  /** Names of organizations, where the list has more than one. */
  nameOf?: (organizationId: string) => string | undefined
}

export function CasesSection({ cases, nameOf }: Props) {
  const { t } = useLingui()
  if (cases.length === 0) return <Empty title={<Trans>No case</Trans>} />
  return (
    <Card isFlush>
      <ul aria-label={t`Cases`} className="divide-y divide-line">
        {cases.map((supportCase) => (
          <li key={supportCase.id}>
            <Link
              to="/cases/$caseId"
              params={{ caseId: supportCase.id }}
              className="press flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-3 hover:bg-hover sm:px-5"
            >
              <span className="min-w-0 flex-1 basis-64">
                <bdi className="block truncate font-medium">{supportCase.subject}</bdi>
                <span className="block truncate text-muted text-sm">
                  <bdi>{supportCase.displayName ?? t`A member`}</bdi>
                  {nameOf && (
                    <>
                      {' · '}
                      <bdi>{nameOf(supportCase.organizationId)}</bdi>
                    </>
                  )}
                </span>
              </span>
              <span className="flex flex-wrap gap-2">
                {supportCase.status !== 'resolved' && (
                  <PriorityMark priority={supportCase.priority} />
                )}
                <CaseMark status={supportCase.status} />
              </span>
              <span className="text-muted text-sm sm:w-28 sm:text-end">
                <Moment at={supportCase.updatedAt} />
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </Card>
  )
}
