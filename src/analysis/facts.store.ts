/**
 * Reads the facts for one analysis. Every query over the history uses an index and a limit, so the
 * cost does not grow with the organization.
 */
import sql from 'sql-template-tag'
import { findNamedBinding } from '#executor/executor.store.ts'
import { textKeyOf } from '#expenses/expense.ts'
import type { ExpenseRow, RevisionAttachment, RevisionRow } from '#expenses/expenses.store.ts'
import { findAutomaticStanding } from '#payments/automatic.store.ts'
import type { LimitsConfig } from '#platform/config/limits.ts'
import type { Reader } from '#platform/database/database.ts'
import { findPolicy } from '#treasury/policies.store.ts'
import { findVaultRecipient } from '#treasury/vault-recipients.store.ts'
import { findHeld, findVault } from '#treasury/vaults.store.ts'
import type { Facts, PastExpense } from './facts.ts'

type Subject = {
  expense: ExpenseRow
  revision: RevisionRow
  now: string
  limits: Pick<LimitsConfig, 'automatic' | 'receiptRequiredAbove'>
}

export async function findFacts(tx: Reader, subject: Subject): Promise<Facts> {
  const { expense, revision, now, limits } = subject
  const { organizationId } = expense
  const { vaultId } = revision
  const vault = await findVault(tx, { organizationId, vaultId })
  if (!vault) throw new Error(`Expense ${expense.id} has no vault`)
  const policy = await findPolicy(tx, { organizationId, vaultId, version: vault.policyVersion })
  const executor = await findNamedBinding(tx, { organizationId, policy })
  const { recipientAddress: address, recipientLabel: label } = revision
  const standing = await findAutomaticStanding(tx, {
    organizationId,
    paymentId: expense.paymentId,
    vaultId,
    recipientAddress: address,
    accountIds: [expense.submitterAccountId, revision.authorAccountId],
  })
  return {
    now,
    expense: {
      amount: revision.amount,
      purpose: revision.purpose,
      requestedMode: revision.requestedMode,
      attachmentCount: revision.attachments?.length ?? 0,
      reference: revision.reference,
      dueDate: revision.dueDate,
    },
    receiptRequiredAbove: limits.receiptRequiredAbove ?? null,
    recipient: {
      label,
      address,
      ...(await findRecipientFacts(tx, subject)),
      standing: (await findVaultRecipient(tx, { organizationId, vaultId, address })) ?? null,
    },
    lookAlikes: await listLookAlikes(tx, { organizationId, address }),
    vault: {
      isUsable: vault.state === 'verified' && vault.archivedAt === null,
      balance: vault.balance,
      spentTotal: vault.spentTotal,
      ...(await findPromised(tx, { organizationId, vaultId })),
    },
    policy: policy ?? null,
    automatic: { standing, rules: limits.automatic },
    executorAddress: executor?.address ?? null,
    history: await findHistory(tx, subject),
  }
}

type RecipientFacts = Omit<Facts['recipient'], 'label' | 'address' | 'standing'>

async function findRecipientFacts(
  tx: Reader,
  { expense, revision }: Subject,
): Promise<RecipientFacts> {
  const { organizationId, submitterAccountId } = expense
  const { recipientId, recipientAddress } = revision
  const [row] = await tx.query<RecipientFacts>(sql`
    select r.state = 'active' as "isActive", r.created_at as "addedAt", (
        select count(*) from (
          select from vault_payments p where p.organization_id = r.organization_id
            and p.recipient_address = r.address limit 100) paid) as "paidBefore",
      coalesce((
        select case when l.account_id = ${submitterAccountId} then 'submitter' else 'member' end
        from wallet_links l where l.address = ${recipientAddress}
          and (l.account_id = ${submitterAccountId} or exists (
            select from memberships m where m.organization_id = r.organization_id
              and m.account_id = l.account_id and m.state = 'active'))
        order by l.account_id <> ${submitterAccountId} limit 1), 'nobody') as "belongsTo"
    from recipients r where r.organization_id = ${organizationId} and r.id = ${recipientId}`)
  if (!row) throw new Error(`Expense ${expense.id} has no recipient`)
  return row
}

const listLookAlikes = (
  tx: Reader,
  { organizationId, address }: { organizationId: string; address: string },
) =>
  tx.query<{ label: string; address: string }>(sql`
    select label, address from recipients
    where organization_id = ${organizationId} and state = 'active'
      and left(address, 6) = ${address.slice(0, 6)} and right(address, 4) = ${address.slice(-4)}
      and address <> ${address}
    order by id limit 5`)

/** The amount that live payments of the vault already hold. */
async function findPromised(tx: Reader, key: { organizationId: string; vaultId: string }) {
  const { held: promised, heldCount: promisedCount } = await findHeld(tx, key)
  return { promised, promisedCount }
}

/** Other expenses at their current revision, without drafts and those that ended unpaid. */
const otherExpenses = (expense: ExpenseRow) => sql`
  expense_revisions r join expenses e on e.organization_id = r.organization_id
    and e.id = r.expense_id and e.current_revision = r.revision
  where r.organization_id = ${expense.organizationId} and e.id <> ${expense.id}
    and e.state not in ('draft', 'rejected', 'cancelled') and r.submitted_at is not null`

const accepted = sql`e.state in ('awaiting_approval', 'approved_ready_for_payment',
  'automatic_ready_for_payment', 'executing', 'reconciling', 'paid')`

const hasOneOf = (expense: ExpenseRow, attachments: readonly RevisionAttachment[]) => sql`
  (r.expense_id, r.revision) in (
    select x.expense_id, x.revision from revision_attachments x
    where x.organization_id = ${expense.organizationId}
      and x.sha256 = any(${attachments.map(({ sha256 }) => sha256)}::text[]))`

/**
 * The limits apply after the state filters, so drafts cannot displace the expenses to compare with.
 */
async function findHistory(
  tx: Reader,
  { expense, revision, now }: Subject,
): Promise<Facts['history']> {
  const { recipientAddress, amount, purpose, attachments, reference } = revision
  // No upper bound: another process may have written a moment that is ahead of this clock.
  const since = (days: number) => sql`r.submitted_at >= ${now}::timestamptz
    - make_interval(days => ${days})`
  const toRecipient = sql`r.recipient_address = ${recipientAddress}`
  const bySubmitter = sql`r.author_account_id = ${expense.submitterAccountId}`

  const list = (condition: ReturnType<typeof sql>, limit: number) =>
    tx.query<PastExpense>(sql`
      select e.id as "expenseId", r.amount, r.submitted_at as "submittedAt"
      from ${otherExpenses(expense)} and ${condition} order by r.submitted_at desc limit ${limit}`)
  const amounts = async (condition: ReturnType<typeof sql>) =>
    (
      await tx.query<{ amount: bigint }>(sql`
        select r.amount from ${otherExpenses(expense)} and ${accepted} and ${condition}
        order by r.submitted_at desc limit 50`)
    ).map((row) => row.amount)
  const [lastDay] = await tx.query<{ count: number; total: bigint }>(sql`
    select count(*) as count, coalesce(sum(day.amount), 0) as total from (
      select r.amount from ${otherExpenses(expense)} and ${bySubmitter} and ${since(1)}
      limit 200) day`)

  return {
    sameRecipientAndAmount: await list(
      sql`${toRecipient} and r.amount = ${amount} and ${since(30)}`,
      5,
    ),
    samePurpose: await list(sql`r.purpose_key = ${textKeyOf(purpose)} and ${since(30)}`, 5),
    sameReceipt: attachments ? await list(hasOneOf(expense, attachments), 5) : [],
    sameReference:
      reference === null
        ? []
        : await list(sql`${toRecipient} and r.reference_key = ${textKeyOf(reference)}`, 5),
    sameRecipientLately: await list(sql`${toRecipient} and ${since(7)}`, 50),
    recipientAmounts: await amounts(toRecipient),
    submitterAmounts: await amounts(bySubmitter),
    submitterLastDay: lastDay ?? { count: 0, total: 0n },
  }
}
