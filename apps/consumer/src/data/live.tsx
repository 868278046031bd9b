/** The live stream of the open organization, and what each event outdates. */
import { LiveStream, type Outdated } from '@countersign/app-kit/data/live.tsx'
import type { OperationId } from '@countersign/client/operation-types.ts'
import type { ReactNode } from 'react'

const EXPENSE_READS: readonly OperationId[] = [
  'getExpense',
  'listExpenses',
  'countExpenses',
  'getReport',
  'getRevisionReport',
]
const PAYMENT_READS: readonly OperationId[] = [
  'getPayment',
  'listActivity',
  'getSpending',
  'getTreasuryOverview',
  'getVault',
  'getMemberFunds',
]

const OUTDATED: Outdated = {
  expense: EXPENSE_READS,
  agent_run: EXPENSE_READS,
  approval: [...EXPENSE_READS, ...PAYMENT_READS],
  payment: [...EXPENSE_READS, ...PAYMENT_READS],
  support_case: ['listSupportCases', 'getSupportCase'],
  integration: [
    'listMembers',
    'listPendingMembers',
    'listInvitations',
    'listRecipients',
    'listVaults',
    'getVault',
    'getTreasuryOverview',
    'listVaultDeployments',
    'listPolicyIntents',
    'getExecutor',
    'getFundingControl',
    'getProviderSigner',
    'listFundingActions',
    'listWebhooks',
    'listCategories',
    'listUnrecordedPayments',
    'getAccount',
  ],
  service: [],
}

type Props = { organizationId: string; accountId: string; children: ReactNode }

export const LiveProvider = (props: Props) => <LiveStream {...props} outdated={OUTDATED} />
