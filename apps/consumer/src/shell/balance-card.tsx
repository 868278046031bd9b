import { useRead } from '@countersign/app-kit/data/queries.ts'
import { Money } from '@countersign/ui/money.tsx'
import { Trans } from '@lingui/react/macro'
import { Link } from '@tanstack/react-router'
import { useOrganization } from '../data/organization.tsx'

/** What is in the default vault, at the foot of the side bar. */
export function BalanceCard() {
  const { id: organizationId } = useOrganization()
  const { data } = useRead('getTreasuryOverview', { path: { organizationId } })
  if (!data?.balanceBaseUnits) return null
  return (
    <Link
      to="/organizations/$organizationId/treasury"
      params={{ organizationId }}
      className="press m-3 rounded-md border border-line bg-surface px-3 py-2.5 hover:bg-hover"
    >
      <span className="block text-muted text-xs">
        <Trans>Balance</Trans>
      </span>
      <span className="block text-lg">
        <Money baseUnits={data.balanceBaseUnits} isStrong />
      </span>
      {data.asOfBlock !== null && (
        <span className="figures block text-muted text-xs">
          <Trans>as of block {data.asOfBlock}</Trans>
        </span>
      )}
    </Link>
  )
}
