import type { DataOf, ItemOf } from '@countersign/client/operation-types.ts'

export type Expense = DataOf<'getExpense'>
export type Revision = Expense['revision']
export type Review = NonNullable<Expense['reviews']>[number]
export type Approval = NonNullable<Expense['approvals']>[number]
export type ListedExpense = ItemOf<'listExpenses'>
export type Member = ItemOf<'listMembers'>
export type Recipient = ItemOf<'listRecipients'>
export type Vault = DataOf<'getVault'>
export type PaymentDetail = DataOf<'getPayment'>
export type Report = DataOf<'getReport'>
