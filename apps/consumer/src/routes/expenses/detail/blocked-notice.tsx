import { blockWords } from '@countersign/app-kit/words/block-codes.ts'
import { buttonStyle } from '@countersign/ui/button.tsx'
import { Notice } from '@countersign/ui/notice.tsx'
import { useLingui } from '@lingui/react'
import { Trans } from '@lingui/react/macro'
import { Link } from '@tanstack/react-router'
import { useOrganization } from '../../../data/organization.tsx'
import type { Expense } from '../expense-types.ts'

/** Why it cannot go on, what helps, and where. */
export function BlockedNotice({ expense }: { expense: Expense }) {
  const { i18n } = useLingui()
  const { id: organizationId } = useOrganization()
  const { why, remedy, ways } = blockWords(expense.blockCode)
  const { vaultId } = expense.revision
  const small = buttonStyle({ size: 'small' })
  return (
    <Notice
      tone="bad"
      title={i18n._(why)}
      actions={
        <>
          {ways.includes('policy') && (
            <Link
              to="/organizations/$organizationId/treasury/$vaultId/policy"
              params={{ organizationId, vaultId }}
              className={small}
            >
              <Trans>Open the policy</Trans>
            </Link>
          )}
          {ways.includes('deposit') && (
            <Link
              to="/organizations/$organizationId/treasury/$vaultId"
              params={{ organizationId, vaultId }}
              className={small}
            >
              <Trans>Open the vault</Trans>
            </Link>
          )}
          <Link
            to="/organizations/$organizationId/support"
            params={{ organizationId }}
            search={{ expense: expense.id }}
            className={small}
          >
            <Trans>Contact support</Trans>
          </Link>
        </>
      }
    >
      <p>{i18n._(remedy)}</p>
      {expense.blockCode && (
        <p className="mt-1 text-muted">
          <Trans>
            Code <span className="font-mono">{expense.blockCode}</span>
          </Trans>
        </p>
      )}
    </Notice>
  )
}
