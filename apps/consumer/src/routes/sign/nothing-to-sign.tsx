import { ExpenseMark } from '@countersign/app-kit/words/state-mark.tsx'
import type { ShownApproval } from '@countersign/client/approvals.ts'
import { buttonStyle } from '@countersign/ui/button.tsx'
import { Empty } from '@countersign/ui/page.tsx'
import { Trans } from '@lingui/react/macro'
import { Link } from '@tanstack/react-router'

export const NothingToSign = ({ expense }: Pick<ShownApproval, 'expense'>) => (
  <Empty
    title={<Trans>There is nothing to sign</Trans>}
    action={
      <Link
        to="/organizations/$organizationId/expenses/$expenseId"
        params={{ organizationId: expense.organizationId, expenseId: expense.id }}
        className={buttonStyle({})}
      >
        <Trans>Open the expense</Trans>
      </Link>
    }
  >
    <p className="mb-2">
      <Trans>This expense does not wait for a signature. Its state is:</Trans>
    </p>
    <ExpenseMark state={expense.state} />
  </Empty>
)
