/** Facts of an expense that pass every check, for tests to change. */
import type { Facts, PastExpense } from '#analysis/facts.ts'
import { NO_LIMITS } from '#treasury/policy-limits.ts'

const NOW = '2026-06-15T12:00:00.000Z'
export const USDC = 1_000_000n

export const address = (n: number): string => `0x${n.toString(16).padStart(40, '0')}`

const EXECUTOR = address(1)
const RECIPIENT = address(3)

/** The time this many seconds before now. */
export const ago = (seconds: number): string =>
  new Date(new Date(NOW).getTime() - seconds * 1000).toISOString()

export const DAY = 86_400

export const past = (seconds: number, amount = 10n * USDC): PastExpense => ({
  expenseId: '0190a5b2-7c3e-7d41-9a51-3f1d2c4b5a69',
  amount,
  submittedAt: ago(seconds),
})

const policy: NonNullable<Facts['policy']> = {
  version: 4,
  executorAddress: EXECUTOR,
  approverAddresses: [address(2)],
  ...NO_LIMITS,
  approvedCap: 1000n * USDC,
  automaticCap: 100n * USDC,
  lifetimeCap: 50_000n * USDC,
  reserveFloor: 500n * USDC,
  expiresAt: '2027-01-01T00:00:00.000Z',
  automaticEnabled: true,
  paused: false,
}

const noSums = { vault: 0n, organization: 0n, recipientFromVault: 0n, recipient: 0n }

const standing: Facts['automatic']['standing'] = {
  day: noSums,
  week: noSums,
  organizationCap: 100n * USDC,
  memberForSeconds: 90 * DAY,
  isOwnWallet: false,
}

const rules: Facts['automatic']['rules'] = {
  dayTimes: 10,
  weekTimes: 40,
  recipientPercent: 50,
  afterDays: 7,
  reimbursementMax: 0n,
}

type Change = {
  [K in 'expense' | 'recipient' | 'vault' | 'history']?: Partial<Facts[K]>
} & {
  policy?: Partial<NonNullable<Facts['policy']>> | null
  standing?: Partial<Facts['automatic']['standing']>
  rules?: Partial<Facts['automatic']['rules']>
} & Partial<Pick<Facts, 'now' | 'lookAlikes' | 'executorAddress' | 'receiptRequiredAbove'>>

export const makeFacts = (change: Change = {}): Facts => ({
  now: change.now ?? NOW,
  expense: {
    amount: 20n * USDC,
    purpose: 'Invoice 2026-0042, Acme Supplies, office chairs',
    requestedMode: 'automatic',
    attachmentCount: 0,
    reference: null,
    dueDate: null,
    ...change.expense,
  },
  receiptRequiredAbove: change.receiptRequiredAbove ?? null,
  recipient: {
    label: 'Acme Supplies',
    address: RECIPIENT,
    isActive: true,
    addedAt: '2026-01-10T09:30:00.000Z',
    paidBefore: 7,
    belongsTo: 'nobody',
    standing: { allowedFrom: '2026-01-10T10:00:00.000Z', blocked: false },
    ...change.recipient,
  },
  lookAlikes: change.lookAlikes ?? [],
  vault: {
    isUsable: true,
    balance: 20_000n * USDC,
    spentTotal: 3_000n * USDC,
    promised: 250n * USDC,
    promisedCount: 2,
    ...change.vault,
  },
  policy: change.policy === null ? null : { ...policy, ...change.policy },
  automatic: {
    standing: { ...standing, ...change.standing },
    rules: { ...rules, ...change.rules },
  },
  executorAddress: change.executorAddress === undefined ? EXECUTOR : change.executorAddress,
  history: {
    sameRecipientAndAmount: [],
    samePurpose: [],
    sameReceipt: [],
    sameReference: [],
    sameRecipientLately: [],
    recipientAmounts: [],
    submitterAmounts: [],
    submitterLastDay: { count: 0, total: 0n },
    ...change.history,
  },
})
