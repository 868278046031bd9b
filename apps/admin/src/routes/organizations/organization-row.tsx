import type { ItemOf } from '@countersign/client/operation-types.ts'
import { Moment } from '@countersign/ui/moment.tsx'
import { Plural, Trans } from '@lingui/react/macro'
import { Link } from '@tanstack/react-router'
import { SeverityMark } from '../../words/severity-mark.tsx'
import { isExact } from './exact-term.ts'

type Props = { organization: ItemOf<'listAdminOrganizations'>; about: string }

export function OrganizationRow({ organization, about }: Props) {
  const { id, name, severity, createdAt } = organization
  const { memberCount, vaultCount, openSupportCases, failedPayments, unrecordedPayments } =
    organization
  return (
    <li>
      <Link
        to="/organizations/$organizationId"
        params={{ organizationId: id }}
        search={isExact(about) ? { about } : {}}
        className="press flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-3 hover:bg-hover sm:px-5"
      >
        <span className="min-w-0 flex-1 basis-64">
          <bdi className="block truncate font-medium">{name}</bdi>
          <span className="figures block text-muted text-sm">
            <Plural value={memberCount} one="# member" other="# members" />
            {' · '}
            <Plural value={vaultCount} one="# vault" other="# vaults" />
            {' · '}
            <Trans>
              since <Moment at={createdAt} style="date" />
            </Trans>
          </span>
        </span>
        <span className="figures flex flex-wrap gap-x-4 text-sm">
          {failedPayments > 0 && (
            <span className="text-bad">
              <Plural value={failedPayments} one="# failed payment" other="# failed payments" />
            </span>
          )}
          {unrecordedPayments > 0 && (
            <span className="text-bad">
              <Plural
                value={unrecordedPayments}
                one="# unrecorded payment"
                other="# unrecorded payments"
              />
            </span>
          )}
          {openSupportCases > 0 && (
            <span className="text-warn">
              <Plural value={openSupportCases} one="# open case" other="# open cases" />
            </span>
          )}
        </span>
        <SeverityMark severity={severity} />
      </Link>
    </li>
  )
}
