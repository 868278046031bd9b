/** What an earlier version kept in the audit trail only is there after the upgrade. */
import { expect, test } from 'vitest'
import { migrate } from '#platform/database/migrate.ts'
import type { TestDatabase } from '#test/support/database.ts'
import { createDatabaseBefore } from '#test/support/earlier-version.ts'
import { liftOwnersRowSecurity } from '#test/support/steps.ts'

const id = (n: number) => `01900000-0000-7000-8000-00000000000${n}`
const [account, organization, vault, recipient, expense] = [1, 2, 3, 4, 5].map(id)

test('reviews and words of an earlier version are carried over', async () => {
  const database = await createDatabaseBefore('0041')
  try {
    await liftOwnersRowSecurity(database)
    // Only what the migration reads; the constraints between tables are not its subject.
    for (const table of ['audit_events', 'expense_revisions', 'expenses']) {
      await database.asOwner(`alter table ${table} disable trigger user`)
    }
    await writeExpense(database)
    const actions = ['expense.request_revision', 'expense.advanced', 'expense.rejected']
    for (const [n, action] of actions.entries()) {
      await database.asOwner(
        `insert into audit_events (id, organization_id, seq, action, actor_realm,
           actor_account_id, aggregate_type, aggregate_id, data, occurred_at, digest, hash)
         values ($1, $2, $3, $4, 'consumer', $5, 'expense', $6, $7, $8, sha256('a'), sha256('b'))`,
        [
          ...[id(6 + n), organization, n + 1, action, account, expense],
          ...[{ revision: 1, reason: `Reason ${n}` }, `2026-01-0${n + 1}T00:00:00Z`],
        ],
      )
    }
    expect(await migrate({ url: database.url })).toContain('0041_lists.sql')
    await liftOwnersRowSecurity(database)
    expect(
      await database.asOwner('select action, reason, revision from expense_reviews order by id'),
    ).toEqual([
      { action: 'request_revision', reason: 'Reason 0', revision: 1 },
      { action: 'advance_to_approval', reason: 'Reason 1', revision: 1 },
      { action: 'reject', reason: 'Reason 2', revision: 1 },
    ])
    const words = await database.asOwner('select word from expense_words order by word')
    expect(words.map(({ word }) => word)).toEqual(['1', 'acme', 'inv', 'old', 'sofa'])
  } finally {
    await database.drop()
  }
})

async function writeExpense(database: TestDatabase): Promise<void> {
  await database.asOwner(
    `insert into accounts (id, realm, issuer, subject, status, created_at)
     values ($1, 'consumer', 'i', 's', 'active', now())`,
    [account],
  )
  await database.asOwner(
    `insert into organizations (id, name, created_by_account_id, created_at)
     values ($1, 'Old', $2, now())`,
    [organization, account],
  )
  await database.asOwner(
    `insert into vaults (id, organization_id, label, is_default, chain_id, address,
       token_address, owner_address, artifact_hash, deployment_transaction_hash, state,
       created_at)
     values ($1, $2, 'V', true, 1, $3, $3, $3, $4, $4, 'verified', now())`,
    [vault, organization, `0x${'1'.repeat(40)}`, `0x${'2'.repeat(64)}`],
  )
  await database.asOwner(
    `insert into recipients (id, organization_id, label, address, chain_id, state,
       created_by_account_id, created_at)
     values ($1, $2, 'Acme', $3, 1, 'active', $4, now())`,
    [recipient, organization, `0x${'3'.repeat(40)}`, account],
  )
  await database.asOwner(
    `insert into expenses (id, organization_id, submitter_account_id, payment_id,
       current_revision, state, created_at, updated_at)
     values ($1, $2, $3, gen_random_uuid(), 1, 'rejected', now(), now())`,
    [expense, organization, account],
  )
  await database.asOwner(
    `insert into expense_revisions (organization_id, expense_id, revision, vault_id,
       recipient_id, recipient_label, recipient_address, amount, requested_mode, purpose,
       purpose_key, version_hash, author_account_id, created_at, reference)
     values ($1, $2, 1, $3, $4, 'Acme', $5, 7, 'approved', 'Old sofa', '\\x00', $6, $7, now(),
       'INV-1')`,
    [
      ...[organization, expense, vault, recipient],
      ...[`0x${'3'.repeat(40)}`, `0x${'a'.repeat(64)}`, account],
    ],
  )
}
