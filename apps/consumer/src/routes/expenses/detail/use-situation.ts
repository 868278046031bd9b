import { useRead } from '@countersign/app-kit/data/queries.ts'
import { useNow } from '@countersign/ui/moment.tsx'
import { acceptedSignatures } from '../../../approval/accepted-signatures.ts'
import { signaturesOf } from '../../../approval/signatures.ts'
import { useOrganization } from '../../../data/organization.tsx'
import { usePeople } from '../../../data/people.ts'
import type { Expense } from '../expense-types.ts'
import type { Situation } from './actions.ts'

const WITH_PAYMENT: readonly Expense['state'][] = [
  'approved_ready_for_payment',
  'automatic_ready_for_payment',
  'executing',
  'reconciling',
  'paid',
  'blocked',
]

/** What the screen of an expense reads besides the expense. */
export function useSituation(expense: Expense) {
  const { id: organizationId, accountId, role, config } = useOrganization()
  const { members } = usePeople()
  const { vaultId } = expense.revision
  const now = useNow()
  const vault = useRead('getVault', { path: { organizationId, vaultId } }).data ?? null
  const report = useRead(
    'getReport',
    { path: { organizationId, reportId: expense.currentReportId ?? '' } },
    { isEnabled: expense.currentReportId !== null },
  )
  // An expense that the analysis blocked has no payment: that read fails, and nothing is shown.
  const payment =
    useRead(
      'getPayment',
      { path: { organizationId, paymentId: expense.paymentId } },
      {
        isEnabled:
          (WITH_PAYMENT.includes(expense.state) && expense.blockCode !== 'analysis_failed') ||
          signaturesOf(expense).signed.length > 0,
      },
    ).data ?? null
  const isReleaseManual =
    config.features.paymentRelease === 'manual' && payment?.payment.state === 'reserved'
  const accepted = acceptedSignatures(expense, vault, now)
  const situation: Situation = {
    accepted,
    expense,
    accountId,
    role,
    members,
    policyApprovers: vault?.policy?.approverAddresses ?? null,
    isReleaseManual,
    revisionsMax: config.limits.counts.expenseRevisions,
  }
  return { situation, accepted, vault, report, payment }
}
