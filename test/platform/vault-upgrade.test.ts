/** Payments and policies of the first vault are carried over to the second. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { migrate } from '#platform/database/migrate.ts'
import type { TestDatabase } from '#test/support/database.ts'
import { createDatabaseBefore } from '#test/support/earlier-version.ts'
import { liftOwnersRowSecurity } from '#test/support/steps.ts'

const id = (n: number) => `01900000-0000-7000-8000-${String(n).padStart(12, '0')}`
const address = (n: number) => `0x${String(n).padStart(40, '0')}`
const hash = (n: number) => `0x${String(n).padStart(64, '0')}`
const [account, organization, vault] = [id(1), id(2), id(3)]
const own = { organization_id: organization, vault_id: vault }
const LONG_AGO = '2026-01-02T03:04:05.000Z'

let database: TestDatabase

async function insert(table: string, row: Record<string, unknown>): Promise<void> {
  const places = Object.keys(row).map((_, n) => `$${n + 1}`)
  await database.asOwner(
    `insert into ${table} (${Object.keys(row)}) values (${places})`,
    Object.values(row),
  )
}

/** Those whose rows are written here without everything that they refer to. */
const TABLES = ['policies', 'policy_intents', 'payments', 'approvals', 'unrecorded_payments']

async function withoutConstraints(write: () => Promise<void>): Promise<void> {
  const keys = await database.asOwner<{ table: string; name: string }>(
    `select conrelid::regclass::text as table, conname as name from pg_constraint
     where contype = 'f' and conrelid::regclass::text = any($1)`,
    [TABLES],
  )
  for (const { table, name } of keys) {
    await database.asOwner(`alter table ${table} drop constraint ${name}`)
  }
  // The triggers that count unsent payments stay: the migration continues their totals.
  await database.asOwner('alter table payments disable trigger guard')
  const security = await liftOwnersRowSecurity(database)
  await write()
  await security.restore()
  await database.asOwner('alter table payments enable trigger guard')
}

async function writeVault(): Promise<void> {
  const at = LONG_AGO
  const since = { created_at: at }
  await insert('accounts', {
    ...{ id: account, realm: 'consumer', issuer: 'i', subject: 's', status: 'active', ...since },
  })
  await insert('organizations', {
    ...{ id: organization, name: 'Old', created_by_account_id: account, ...since },
  })
  await insert('vaults', {
    ...{ id: vault, organization_id: organization, label: 'V', is_default: true, chain_id: 1 },
    ...{ address: address(1), token_address: address(2), owner_address: address(3) },
    ...{
      artifact_hash: hash(1),
      deployment_transaction_hash: hash(2),
      state: 'verified',
      ...since,
    },
  })
  const terms = {
    ...{ executor_address: address(4), approver_addresses: [address(5), address(6)] },
    ...{ recipient_addresses: [address(7)], approved_cap: 9, automatic_cap: 5, lifetime_cap: 99 },
    ...{ reserve_floor: 0, expires_at: '2030-01-01', automatic_enabled: true, paused: false },
  }
  await insert('policies', {
    ...{ id: id(4), ...own, version: 1, ...terms, chain_transaction_hash: hash(3) },
    ...{ block_number: 7, ...since },
  })
  await insert('policy_intents', {
    ...{ id: id(5), ...own, expected_version: 0, ...terms, changes: '{}', transaction: '{}' },
    ...{ state: 'confirmed', policy_version: 1, created_by_account_id: account, ...since },
    updated_at: at,
  })
}

type Old = { n: number; mode: 'approved' | 'automatic'; state: string; amount: number }

const signatureOf = (n: number) => `0x${String(n).padStart(130, '0')}`

async function writePayment({ n, mode, state, amount }: Old): Promise<void> {
  const times = { created_at: LONG_AGO, updated_at: LONG_AGO }
  const of = { expense_id: id(200 + n), expense_revision: 1, expense_version_hash: hash(4) }
  const terms = { policy_version: 1, report_hash: hash(5), deadline: '2026-02-01', ...of }
  const signed = { approver_address: address(5), signature: signatureOf(n) }
  if (mode === 'approved') {
    await insert('approvals', {
      ...{ id: id(100 + n), ...own, account_id: account, wallet_role_id: id(6), ...terms },
      ...{ digest: hash(100 + n), typed_data: '{}', state: 'signed', ...signed, ...times },
    })
  }
  await insert('payments', {
    ...{
      id: id(n),
      ...own,
      chain_payment_id: hash(n),
      mode,
      state,
      amount,
      epoch: n % 3,
      ...terms,
    },
    ...{ recipient_address: address(7), token_address: address(2), report_id: id(7), ...times },
    ...(mode === 'approved' && {
      ...{ approval_id: id(100 + n), approval_digest: hash(100 + n), ...signed },
    }),
  })
}

/** As the follower stored it: the log, and what it paid. */
async function writeExecution(n: number, mode: Old['mode']): Promise<void> {
  const block = { block_number: n, block_time: LONG_AGO, transaction_hash: hash(300 + n) }
  await insert('vault_payments', {
    ...{ ...own, chain_payment_id: hash(n), recipient_address: address(7), amount: 1, ...block },
  })
  await insert('chain_logs', {
    ...{ ...block, log_index: 0, block_hash: hash(400 + n), vault_address: address(1) },
    ...{ name: 'PaymentExecuted', args: JSON.stringify({ chainPaymentId: hash(n), mode }) },
  })
}

async function writeUnrecorded(n: number, mode: Old['mode']): Promise<void> {
  const digest = mode === 'approved' ? { approval_digest: hash(100 + n) } : {}
  const approver = mode === 'approved' ? { approver_address: address(6) } : {}
  await insert('unrecorded_payments', {
    ...{ id: id(n), ...own, chain_payment_id: hash(n), mode, recipient_address: address(7) },
    ...{ amount: 1, policy_version: 1, report_hash: hash(5), expense_version_hash: hash(4) },
    ...{ transaction_hash: hash(300 + n), block_number: n, block_hash: hash(400 + n) },
    ...{ block_time: LONG_AGO, state: 'open', created_at: LONG_AGO, updated_at: LONG_AGO },
    ...{ ...digest, ...approver },
  })
}

const PAYMENTS: Old[] = [
  { n: 11, mode: 'automatic', state: 'reserved', amount: 3 },
  { n: 12, mode: 'automatic', state: 'queued', amount: 4 },
  { n: 13, mode: 'automatic', state: 'confirmed', amount: 5 },
  { n: 14, mode: 'approved', state: 'queued', amount: 6 },
  { n: 15, mode: 'approved', state: 'confirmed', amount: 7 },
  { n: 16, mode: 'approved', state: 'blocked', amount: 8 },
]

beforeAll(async () => {
  database = await createDatabaseBefore('0051')
  await withoutConstraints(async () => {
    await writeVault()
    for (const payment of PAYMENTS) await writePayment(payment)
    await writeExecution(13, 'automatic')
    await writeExecution(15, 'approved')
    await writeExecution(17, 'automatic')
    await writeExecution(18, 'approved')
    await writeUnrecorded(17, 'automatic')
    await writeUnrecorded(18, 'approved')
  })
  const applied = await migrate({ url: database.url })
  expect(applied).toEqual(expect.arrayContaining(['0051_vault_2.sql', '0052_signatures.sql']))
}, 60_000)
afterAll(() => database.drop())

describe('after the upgrade', () => {
  test('row-level security holds for the owner again, in every table that has it', async () => {
    const open = `select relname as name from pg_class
      where relnamespace = 'countersign'::regnamespace and relrowsecurity
        and not relforcerowsecurity`
    expect(await database.asOwner(open)).toEqual([])
  })
})

describe('what an earlier version wrote', () => {
  beforeAll(async () => {
    await liftOwnersRowSecurity(database)
  })

  test('a vault has no delay, no recipients of its own and no pause', async () => {
    const columns = 'change_delay_seconds as delay, recipients_version, pause_number'
    expect(await database.asOwner(`select ${columns} from vaults`)).toEqual([
      { delay: 0, recipients_version: '0', pause_number: '0' },
    ])
    expect(await database.asOwner('select from vault_recipients')).toEqual([])
  })

  test('a policy has the time of its row, no period or tiers, and all its approvers', async () => {
    const [policy] = await database.asOwner(
      `select block_time, period_seconds, period_cap, automatic_period_cap, tiers,
         standing_approvers(approver_addresses, revoked_approvers) as approvers from policies`,
    )
    expect(policy).toEqual({
      ...{ block_time: new Date(LONG_AGO), period_seconds: 0, period_cap: '0' },
      ...{ automatic_period_cap: '0', tiers: [], approvers: [address(5), address(6)] },
    })
  })

  test('an intent sets a policy and changes no recipients', async () => {
    const [intent] = await database.asOwner(
      `select kind, recipients_added as added, recipients_removed as removed,
         remaining_recipient_changes as remaining, period_seconds as period, tiers,
         proposal_row_id as proposal from policy_intents`,
    )
    const none = { added: [], removed: [], remaining: 0, period: 0, tiers: [], proposal: null }
    expect(intent).toEqual({ kind: 'policy', ...none })
  })

  test('unsent automatic payments count against the total of their own', async () => {
    const total = 'select amount, automatic, payments from vault_unsent_totals'
    expect(await database.asOwner(total)).toEqual([{ amount: '13', automatic: '7', payments: '3' }])
    // The trigger continues from there.
    await database.asOwner(`update payments set state = 'blocked' where id = $1`, [id(12)])
    expect(await database.asOwner(total)).toEqual([{ amount: '9', automatic: '3', payments: '2' }])
  })

  test('automatic payments count towards the limits of a day and a week', async () => {
    const totals = await database.asOwner(
      `select recipient_address = '' as "ofAll", sum(amount) as sum from automatic_totals
       group by 1 order by 1`,
    )
    const [counted] = await database.asOwner('select sum(amount) as sum from counted_payments')
    expect(Number(counted?.sum)).toBeGreaterThan(0)
    expect(totals).toEqual([
      { ofAll: false, sum: counted?.sum },
      { ofAll: true, sum: counted?.sum },
    ])
  })

  test('a payment that the vault logged has the mode of its log', async () => {
    const rows = await database.asOwner(
      'select block_number::int as n, mode from vault_payments order by block_number',
    )
    expect(rows).toEqual([
      { n: 13, mode: 'automatic' },
      { n: 15, mode: 'approved' },
      { n: 17, mode: 'automatic' },
      { n: 18, mode: 'approved' },
    ])
  })

  test('a payment keeps its one signature, in its reservation and with its approver', async () => {
    const rows = await database.asOwner(
      `select payment_id, epoch, approval_id, account_id, approver_address, digest, signature
       from payment_signatures order by payment_id`,
    )
    const signature = (n: number) => ({
      ...{ payment_id: id(n), epoch: n % 3, approval_id: id(100 + n), account_id: account },
      ...{ approver_address: address(5), digest: hash(100 + n), signature: signatureOf(n) },
    })
    expect(rows).toEqual([14, 15, 16].map(signature))
    const required = await database.asOwner(
      `select mode, array_agg(distinct required_approvals) as required from payments
       group by mode order by mode`,
    )
    expect(required).toEqual([
      { mode: 'approved', required: [1] },
      { mode: 'automatic', required: [0] },
    ])
  })

  test('an unrecorded payment keeps its signature; an automatic one has none', async () => {
    const rows = await database.asOwner(
      `select mode, approval_digests as digests, approver_addresses as approvers
       from unrecorded_payments order by mode`,
    )
    expect(rows).toEqual([
      { mode: 'approved', digests: [hash(118)], approvers: [address(6)] },
      { mode: 'automatic', digests: [], approvers: [] },
    ])
  })
})
