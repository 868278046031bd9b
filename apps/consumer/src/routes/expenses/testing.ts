/** Rows for the tests of this folder. */
import type { Approval, Expense, Member, Revision } from './expense-types.ts'

const HASH = `0x${'ab'.repeat(32)}` as const
export const PAYEE = `0x${'11'.repeat(20)}` as const

export const aRevision = (about: Partial<Revision> = {}): Revision => ({
  revision: 1,
  vaultId: 'vault-1',
  purpose: 'Printing',
  recipientId: 'recipient-1',
  recipientLabel: 'Printers Limited',
  recipientAddress: PAYEE,
  amountBaseUnits: '80000000',
  requestedMode: 'approved',
  attachments: [],
  category: null,
  categoryName: null,
  reference: null,
  dueDate: null,
  reason: null,
  versionHash: HASH,
  authorAccountId: 'ben',
  createdAt: '2026-11-03T10:02:00.000Z',
  ...about,
})

export const anExpense = (about: Partial<Expense> = {}): Expense => {
  const revision = about.revision ?? aRevision()
  return {
    id: 'expense-1',
    organizationId: 'organization-1',
    submitterAccountId: 'ben',
    submitterDisplayName: 'Ben',
    paymentId: 'payment-1',
    currentRevision: revision.revision,
    state: 'draft',
    blockCode: null,
    currentReportId: null,
    createdAt: '2026-11-03T10:02:00.000Z',
    updatedAt: '2026-11-03T12:00:00.000Z',
    revisions: [revision],
    comments: [],
    commentsNextCursor: null,
    reviews: [],
    approvals: [],
    ...about,
    revision,
  }
}

export const anApproval = (about: Partial<Approval> = {}): Approval => ({
  approvalId: 'approval-1',
  expenseRevision: 1,
  state: 'signed',
  cancelled: false,
  approverAddress: `0x${'cc'.repeat(20)}`,
  accountId: 'chidi',
  displayName: 'Chidi',
  deadline: '2026-11-03T12:40:00.000Z',
  signedAt: '2026-11-03T11:00:00.000Z',
  digest: `0x${'dd'.repeat(32)}`,
  policyVersion: 3,
  ...about,
})

export const walletOf = (accountId: string): `0x${string}` => {
  const digits = [...accountId].map((letter) => letter.charCodeAt(0).toString(16)).join('')
  return `0x${digits.padEnd(40, '0')}`
}

type MemberAbout = { role?: Member['role']; isApprover?: boolean; address?: `0x${string}` }

export const aMember = (
  accountId: string,
  { role = 'employee', isApprover = false, address = walletOf(accountId) }: MemberAbout = {},
): Member => ({
  membershipId: `membership-${accountId}`,
  accountId,
  role,
  status: 'active',
  displayName: accountId,
  wallets: [{ id: `wallet-${accountId}`, address, kind: 'external' }],
  walletRoles: isApprover
    ? [{ id: 'role', walletId: `wallet-${accountId}`, role: 'approver', active: true }]
    : [],
})
