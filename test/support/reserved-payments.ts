/** Many reserved payments, written into the tables. */
import type { TestApp } from '#test/support/app.ts'
import type { ExpenseHouse } from '#test/support/expenses.ts'

const idAt = (kind: string) => `('01900000-${kind}-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid`

/**
 * Automatic payments of 1, 2, 3… base units with their expenses. Needs `liftOwnersRowSecurity`.
 * The n-th id ends with n.
 */
export async function writeReservedPayments(
  service: Pick<TestApp, 'database'>,
  house: ExpenseHouse,
  count: number,
): Promise<void> {
  const { organization, employee, vaultId, recipientId, recipientAddress } = house
  const hash = `'0x' || repeat('a', 64)`
  const rows = `from generate_series(1, ${count}) n`
  const { asOwner } = service.database
  await asOwner(
    `insert into expenses (id, organization_id, submitter_account_id, payment_id,
       current_revision, state, created_at, updated_at)
     select ${idAt('000e')}, $1, $2, ${idAt('000f')}, 1, 'automatic_ready_for_payment', now(), now()
     ${rows}`,
    [organization.id, employee.accountId],
  )
  await asOwner(
    `insert into expense_revisions (organization_id, expense_id, revision, vault_id, recipient_id,
       recipient_label, recipient_address, amount, requested_mode, purpose, purpose_key,
       version_hash, author_account_id, created_at)
     select $1, ${idAt('000e')}, 1, $2, $3, 'Acme', $4, n, 'automatic', 'Purpose ' || n,
       sha256(n::text::bytea), ${hash}, $5, now() ${rows}`,
    [organization.id, vaultId, recipientId, recipientAddress.toLowerCase(), employee.accountId],
  )
  await asOwner(
    `insert into agent_runs (id, organization_id, expense_id, expense_revision, state, created_at,
       updated_at)
     select ${idAt('000a')}, $1, ${idAt('000e')}, 1, 'succeeded', now(), now() ${rows}`,
    [organization.id],
  )
  await asOwner(
    `insert into reports (id, organization_id, expense_id, expense_revision, run_id, version,
       report_hash, output, created_at)
     select ${idAt('000b')}, $1, ${idAt('000e')}, 1, ${idAt('000a')}, 1, ${hash}, '{}', now()
     ${rows}`,
    [organization.id],
  )
  await asOwner(
    `insert into payments (id, organization_id, expense_id, expense_revision,
       expense_version_hash, vault_id, chain_payment_id, mode, recipient_address, token_address,
       amount, policy_version, report_id, report_hash, deadline, state, created_at, updated_at)
     select ${idAt('000f')}, $1, ${idAt('000e')}, 1, ${hash}, $2,
       '0x' || lpad(to_hex(n), 64, '0'), 'automatic', $3, $3, n, 1, ${idAt('000b')}, ${hash}, now(),
       'reserved', now(), now() ${rows}`,
    [organization.id, vaultId, recipientAddress.toLowerCase()],
  )
}
