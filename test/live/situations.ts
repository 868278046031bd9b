/** Situations for the pure task rules: everything is in order except what a test changes. */
import type { TaskExpense, TaskPayment, TaskSituation } from '#live/task-rules.ts'
import { NO_LIMITS } from '#treasury/policy-limits.ts'

export const ME = '01900000-0000-7000-8000-00000000000a'
export const SOMEBODY = '01900000-0000-7000-8000-00000000000b'
export const WALLET = `0x${'aa'.repeat(20)}`
export const NOW = '2026-05-04T12:00:00.000Z'

const RECIPIENT = `0x${'bb'.repeat(20)}`
const EXECUTOR = `0x${'ee'.repeat(20)}`
const ORGANIZATION = '01900000-0000-7000-8000-000000000001'
const VAULT = '01900000-0000-7000-8000-000000000002'

export const aPayment = (changes: Partial<TaskPayment> = {}): TaskPayment => ({
  id: '01900000-0000-7000-8000-0000000000f1',
  state: 'blocked',
  blockCode: 'token_refused',
  mode: 'approved',
  requiredApprovals: 1,
  signatures: [SOMEBODY],
  isCurrent: true,
  hasOpenAttempt: false,
  hasLane: true,
  policyVersion: 3,
  deadline: '2026-05-04T13:00:00.000Z',
  isApprovalGood: true,
  updatedAt: NOW,
  ...changes,
})

const anExpense = (changes: Partial<TaskExpense> = {}): TaskExpense => ({
  id: '01900000-0000-7000-8000-0000000000e1',
  organizationId: ORGANIZATION,
  submitterAccountId: SOMEBODY,
  currentRevision: 1,
  state: 'draft',
  blockCode: null,
  hasReport: true,
  vaultId: VAULT,
  purpose: 'Invoice 118 for the translation of the manual',
  recipientLabel: 'Printers Ltd',
  recipientAddress: RECIPIENT,
  isRecipientActive: true,
  paidAccountIds: [],
  amount: 25_000_000n,
  updatedAt: NOW,
  payment: null,
  signerIds: [],
  failedRun: null,
  preparation: null,
  ...changes,
})

const vault = {
  id: VAULT,
  organizationId: ORGANIZATION,
  label: 'Main',
  isDefault: true,
  archivedAt: null,
  createdByAccountId: null,
  chainId: 31_337,
  address: `0x${'11'.repeat(20)}`,
  tokenAddress: `0x${'22'.repeat(20)}`,
  ownerAddress: `0x${'33'.repeat(20)}`,
  artifactHash: `0x${'44'.repeat(32)}`,
  deploymentTransactionHash: `0x${'55'.repeat(32)}`,
  state: 'verified' as const,
  balance: 1_000_000_000n,
  spentTotal: 0n,
  policyVersion: 3,
  changeDelaySeconds: 0,
  recipientsVersion: 1,
  pauseNumber: 0,
  createdAt: NOW,
}

const policy = {
  id: '01900000-0000-7000-8000-000000000003',
  organizationId: ORGANIZATION,
  vaultId: VAULT,
  version: 3,
  chainTransactionHash: `0x${'66'.repeat(32)}`,
  executorAddress: EXECUTOR,
  approverAddresses: [WALLET],
  ...NO_LIMITS,
  approvedCap: 100_000_000n,
  automaticCap: 50_000_000n,
  lifetimeCap: 500_000_000n,
  reserveFloor: 0n,
  expiresAt: '2099-01-01T00:00:00.000Z',
  automaticEnabled: true,
  paused: false,
}

const listed = { address: RECIPIENT, allowedFrom: '2026-01-01T00:00:00.000Z', blocked: false }

export const aTreasury = (
  changes: {
    vault?: object
    policy?: object | null
    held?: bigint
    isAnother?: boolean
    isListed?: boolean
  } = {},
): NonNullable<TaskSituation['treasury']> => ({
  vault: { ...vault, ...changes.vault },
  policy: changes.policy === null ? undefined : { ...policy, ...changes.policy },
  held: { held: changes.held ?? 0n, heldAutomatic: 0n, heldCount: 0 },
  period: undefined,
  recipients: new Map((changes.isListed ?? true) ? [[RECIPIENT, listed]] : []),
  executorAddress: EXECUTOR,
  replacedFrom: null,
  otherApproverIds: (changes.isAnother ?? true) ? [SOMEBODY] : [],
})

/** A manager without a wallet who sees somebody else's expense. */
export const aSituation = ({
  caller = {},
  expense = {},
  ...rest
}: Partial<Omit<TaskSituation, 'caller' | 'expense'>> & {
  caller?: Partial<TaskSituation['caller']>
  expense?: Partial<TaskExpense>
} = {}): TaskSituation => ({
  caller: {
    accountId: ME,
    role: 'manager',
    otherReviewerIds: [SOMEBODY],
    approverAddresses: [],
    ...caller,
  },
  expense: anExpense(expense),
  treasury: aTreasury(),
  hasExecutor: true,
  mayBeAutomatic: true,
  now: NOW,
  signableUntil: '2026-05-04T12:01:00.000Z',
  sharedUntil: '2026-05-04T13:00:00.000Z',
  ...rest,
})
