import { useAllPages } from '@countersign/app-kit/data/all-pages.ts'
import { failureOf } from '@countersign/app-kit/data/api.ts'
import { useRead } from '@countersign/app-kit/data/queries.ts'
import { FailureNotice } from '@countersign/app-kit/shell/failure-notice.tsx'
import { buttonStyle } from '@countersign/ui/button.tsx'
import { Empty, Skeleton } from '@countersign/ui/page.tsx'
import { Trans, useLingui } from '@lingui/react/macro'
import { Link } from '@tanstack/react-router'
import { BookUser, Landmark } from 'lucide-react'
import type { ReactNode } from 'react'
import { isOwnerOrManager, useOrganization } from '../../../data/organization.tsx'
import type { Recipient } from '../expense-types.ts'
import type { UsableVault } from './use-expense-form.ts'

type Choices = { recipients: readonly Recipient[]; vaults: readonly UsableVault[] }

/** An expense needs a vault and a recipient. Without them, says who can add one. */
export function WithChoices({ children }: { children: (choices: Choices) => ReactNode }) {
  const { t } = useLingui()
  const organization = useOrganization()
  const path = { organizationId: organization.id }
  const recipients = useAllPages('listRecipients', 'recipients', { path })
  const vaults = useRead('listVaults', { path })
  const failure = failureOf(recipients.error ?? vaults.error)
  if (failure && !(recipients.data && vaults.data)) {
    const retry = () => void Promise.all([recipients.refetch(), vaults.refetch()])
    return <FailureNotice failure={failure} onRetry={retry} />
  }
  if (!recipients.data || !vaults.data) {
    return (
      <div role="status" aria-label={t`Loading`}>
        <Skeleton lines={6} />
      </div>
    )
  }
  const usable = vaults.data.vaults.filter(
    ({ status, archivedAt }) => status === 'verified' && archivedAt === null,
  )
  if (usable.length === 0) {
    return (
      <Empty
        icon={<Landmark aria-hidden="true" />}
        title={<Trans>There is no vault to pay from yet</Trans>}
        action={
          <Link
            to="/organizations/$organizationId/treasury"
            params={path}
            className={buttonStyle({})}
          >
            <Trans>Open the treasury</Trans>
          </Link>
        }
      >
        <Trans>An owner sets it up in the treasury.</Trans>
      </Empty>
    )
  }
  if (!recipients.rows.some(({ active }) => active)) {
    return (
      <Empty
        icon={<BookUser aria-hidden="true" />}
        title={<Trans>There is nobody to pay yet</Trans>}
        action={
          isOwnerOrManager(organization) && (
            <Link
              to="/organizations/$organizationId/recipients"
              params={path}
              className={buttonStyle({ look: 'primary' })}
            >
              <Trans>Add a recipient</Trans>
            </Link>
          )
        }
      >
        <Trans>
          Only recipients in the organization's list can be paid. Owners and managers add them.
        </Trans>
      </Empty>
    )
  }
  return children({ recipients: recipients.rows, vaults: usable })
}
