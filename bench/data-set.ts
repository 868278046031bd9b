/** Organizations of any size, written directly into the tables of a benchmark's database. */
import { createHash } from 'node:crypto'
import type pg from 'pg'
import type { ReportOutput } from '#analysis/report-output.ts'

export type DataSet = {
  organizationId: string
  accountId: string
  membershipId: string
  /** Who submits nothing. */
  ownerAccountId: string
  ownerMembershipId: string
  vaultId: string
  recipientId: string
  recipientAddress: string
  /** An expense in the middle of the history, with revisions and comments. */
  expenseId: string
  paymentId: string
  /** Of the newest expense. */
  reference: string
}

/** The same id for the same name; in order of their numbers, as ids by time would be. */
const idOf = (kind: string, number: number): string => {
  const tail = createHash('sha256').update(kind).digest('hex').slice(0, 6)
  const head = number.toString(16).padStart(12, '0')
  return `${head.slice(0, 8)}-${head.slice(8)}-7000-8000-${tail}${'0'.repeat(6)}`
}

/** In every organization, however large: what is on its way to be paid at one time. */
const PROMISED = 12
const MEMBERS = 10
const RECIPIENTS = 8
export const TABLES = [
  'accounts',
  'organizations',
  'memberships',
  'recipients',
  'vaults',
  'policies',
  'vault_recipients',
  'executor_bindings',
  'expenses',
  'expense_revisions',
  'expense_words',
  'expense_comments',
  'agent_runs',
  'reports',
]

/** Values must pass response schemas: with an empty hash or report, some reads answer 500. */
export const HASH = `'0x' || repeat('a', 64)`
const OUTPUT: ReportOutput = {
  summary: 'Invoice of a known supplier.',
  recommendation: 'approve',
  riskScore: 0,
  checks: [{ id: 'amount_usual', outcome: 'pass', detail: 'The amount is usual.' }],
  policy: { version: 1, fits: true, reasons: [] },
  analyst: { kind: 'rules', name: 'rules', version: '1' },
}
export const addressOf = (n: string) => `'0x' || lpad(to_hex(${n}), 40, '0')`
export const uuidOf = (kind: string, name: string, n: string): string => {
  const tail = idOf(`${kind} ${name}`, 0).slice(24)
  const head = `lpad(to_hex(${n}), 12, '0')`
  return `(left(${head}, 8) || '-' || right(${head}, 4) || '-7000-8000-${tail}')::uuid`
}

/** The n-th member's subject at the identity provider; the first is the owner. */
export const subjectOf = (name: string, n: number): string => `${name} ${n}`

type NewDataSet = {
  name: string
  expenses: number
  issuer?: string
  /**
   * Only among the last so many does one still wait for somebody. They are of the last days, and
   * enough of them wait that a thousand expenses fill every list of a snapshot.
   */
  openWithin?: number
}

/** Written as the owner of the tables; `name` keeps the ids of two organizations apart. */
export async function writeDataSet(
  pool: pg.Pool,
  { name, expenses, issuer = 'bench', openWithin = expenses }: NewDataSet,
): Promise<DataSet> {
  const id = (kind: string, n: number) => idOf(`${kind} ${name}`, n)
  const at = (kind: string, n: string) => uuidOf(kind, name, n)
  const organization = id('organization', 0)
  const [account, recipient, vault] = [at('account', 'n'), at('recipient', 'n'), id('vault', 0)]
  const salt = createHash('sha256').update(name).digest().readUInt16BE(0) * 1_000_000
  await pool.query(`
    insert into accounts (id, realm, issuer, subject, created_at)
      select ${account}, 'consumer', '${issuer}', '${name} ' || n, now()
      from generate_series(1, ${MEMBERS}) n;
    insert into organizations (id, name, created_by_account_id, created_at)
      values ('${organization}', 'Bench ${name}', '${id('account', 1)}', now());
    insert into memberships (id, organization_id, account_id, role, state, created_at)
      select ${at('membership', 'n')}, '${organization}', ${account},
        case n when 1 then 'owner' else 'employee' end, 'active', now()
      from generate_series(1, ${MEMBERS}) n;
    insert into recipients (id, organization_id, label, address, chain_id, state,
        created_by_account_id, created_at)
      select ${recipient}, '${organization}', 'Supplier ' || n, ${addressOf(`${salt} + n`)}, 31337,
        'active', '${id('account', 1)}', now() - interval '400 days'
      from generate_series(1, ${RECIPIENTS}) n;
    insert into vaults (id, organization_id, label, is_default, chain_id, address, token_address,
        owner_address, artifact_hash, deployment_transaction_hash, state, balance, policy_version,
        created_at)
      values ('${vault}', '${organization}', 'Main', true, 31337, ${addressOf(`${salt}`)},
        ${addressOf('1')}, ${addressOf('2')}, ${HASH}, ${HASH}, 'verified', 1e15, 1, now());
    insert into policies (id, organization_id, vault_id, version, executor_address,
        approver_addresses, approved_cap, automatic_cap, lifetime_cap, reserve_floor, expires_at,
        automatic_enabled, paused, chain_transaction_hash, block_number, block_time, created_at)
      values ('${id('policy', 0)}', '${organization}', '${vault}', 1, ${addressOf('3')},
        array[${addressOf('4')}], 1e9, 1e8, 1e14, 0, '2099-01-01', true, false, ${HASH}, 1, now(),
        now());
    insert into vault_recipients (organization_id, vault_id, address, allowed_from,
        recipients_version, transaction_hash, block_number)
      select organization_id, '${vault}', address, now() - interval '400 days', 1, ${HASH}, 1
      from recipients where organization_id = '${organization}'`)
  await inBulk(pool, TABLES, () =>
    writeExpenses(pool, { organization, vault, expenses, openWithin, at }),
  )
  return {
    organizationId: organization,
    accountId: id('account', 2),
    membershipId: id('membership', 2),
    ownerAccountId: id('account', 1),
    ownerMembershipId: id('membership', 1),
    vaultId: vault,
    recipientId: id('recipient', 1),
    recipientAddress: `0x${(salt + 1).toString(16).padStart(40, '0')}`,
    expenseId: id('expense', Math.floor(expenses / 2)),
    paymentId: id('payment', Math.floor(expenses / 2)),
    reference: `INV-${expenses}`,
  }
}

/**
 * Keys are checked and indexes built for all rows at once at the end: a fraction of the time. What
 * each row is checked for by itself holds again for new ones.
 */
export async function inBulk(
  pool: pg.Pool,
  tables: readonly string[],
  work: () => Promise<unknown>,
): Promise<void> {
  const { rows } = await pool.query<{ drop: string; make: string }>(
    `select format('alter table %s drop constraint %I', conrelid::regclass, conname) as drop,
      format('alter table %s add constraint %I %s %s', conrelid::regclass, conname,
        pg_get_constraintdef(oid), case contype when 'c' then 'not valid' end) as make
    from pg_constraint where contype in ('f', 'c') and conrelid = any($1::regclass[])
    union all
    select format('drop index %s', indexrelid::regclass), pg_get_indexdef(indexrelid)
    from pg_index where indrelid = any($1::regclass[]) and not indisunique`,
    [tables],
  )
  for (const { drop } of rows) await pool.query(drop)
  await work()
  for (const { make } of rows) await pool.query(make)
}

/** A year of them: most paid, some refused, some looked at; the last are on their way. */
async function writeExpenses(
  pool: pg.Pool,
  {
    organization,
    vault,
    expenses,
    openWithin,
    at,
  }: {
    organization: string
    vault: string
    expenses: number
    openWithin: number
    at(kind: string, n: string): string
  },
): Promise<void> {
  // The last ones at one pace, however long the history: a day has as many in it.
  const older = expenses - openWithin
  const recentDays = older > 0 ? 5 : 365
  const [reviewEvery, signEvery] = older > 0 ? [7, 6] : [15, 20]
  const age = `case when n > ${older}
    then (${expenses} - n) * interval '${recentDays} days' / ${openWithin}
    else interval '30 days' + (${older} - n) * interval '335 days' / ${Math.max(older, 1)} end`
  const time = `now() - ${age} - interval '1 hour'`
  const state = `case when n > ${expenses - PROMISED} then 'executing'
    when n % 12 = 0 then 'rejected' when n <= ${expenses - openWithin} then 'paid'
    when n % ${reviewEvery} = 0 then 'needs_review'
    when n % ${signEvery} = 1 then 'awaiting_approval' else 'paid' end`
  const submitter = at('account', `2 + n % ${MEMBERS - 1}`)
  const purpose = `'Invoice ' || n || ' for paper' || case n % 8 when 1 then ' and ink' else '' end`
  const category = `case n % 10 when 3 then 'travel' when 4 then 'rent' end`
  await pool.query(`
    insert into expenses (id, organization_id, submitter_account_id, payment_id, current_revision,
        current_report_id, state, created_at, updated_at)
      select ${at('expense', 'n')}, '${organization}', ${submitter}, ${at('payment', 'n')}, 2,
        ${at('report', 'n')}, ${state}, ${time}, ${time} from generate_series(1, ${expenses}) n;
    insert into expense_revisions (organization_id, expense_id, revision, vault_id, recipient_id,
        recipient_label, recipient_address, amount, requested_mode, purpose, purpose_key, reason,
        version_hash, author_account_id, created_at, submitted_at, category, category_name,
        reference, amount_key)
      select '${organization}', ${at('expense', 'n')}, revision, '${vault}', r.id, r.label,
        r.address, 20000000 + n % 997, 'approved', ${purpose},
        sha256((n / 3)::text::bytea), null, ${HASH}, ${submitter}, ${time},
        ${time}, ${category}, initcap(${category}), 'INV-' || n,
        lpad((20000000 + n % 997)::text, 39, '0')
      from generate_series(1, ${expenses}) n cross join generate_series(1, 2) revision
      join (
        select id, label, address, row_number() over (order by id) as number
        from recipients where organization_id = '${organization}'
      ) r on r.number = 1 + (n / 7) % ${RECIPIENTS};
    insert into expense_words (organization_id, word, expense_id, revision)
      select distinct organization_id, w.word, expense_id, revision
      from expense_revisions r,
        string_to_table(revision_words(r.purpose, r.reference, r.recipient_label), ' ') w (word)
      where organization_id = '${organization}' and w.word <> '' order by 2, 3, 4;
    insert into expense_comments (id, organization_id, expense_id, author_account_id, body,
        created_at)
      select ${at('comment', 'n')}, '${organization}', ${at('expense', 'n')}, ${submitter},
        'Which one is it?', ${time} from generate_series(1, ${expenses}) n;
    insert into agent_runs (id, organization_id, expense_id, expense_revision, state, attempts,
        created_at, updated_at)
      select ${at('run', 'n')}, '${organization}', ${at('expense', 'n')}, 2, 'succeeded', 1,
        ${time}, ${time} from generate_series(1, ${expenses}) n;
    insert into reports (id, organization_id, expense_id, expense_revision, run_id, version,
        report_hash, output, created_at)
      select ${at('report', 'n')}, '${organization}', ${at('expense', 'n')}, 2,
        ${at('run', 'n')}, 1, ${HASH}, '${JSON.stringify(OUTPUT)}', ${time}
      from generate_series(1, ${expenses}) n`)
}

/** Further organizations with an owner and nothing else, for searches by name. */
export async function writeOrganizations(
  pool: pg.Pool,
  { name, count, issuer = 'bench' }: { name: string; count: number; issuer?: string },
): Promise<void> {
  const at = (kind: string) => uuidOf(`${kind} of many`, name, 'n')
  await pool.query(`
    insert into accounts (id, realm, issuer, subject, created_at)
      select ${at('account')}, 'consumer', '${issuer}', '${name} owner ' || n, now()
      from generate_series(1, ${count}) n;
    insert into organizations (id, name, created_by_account_id, created_at)
      select ${at('organization')}, 'Company ' || n || ' ' || md5(n::text), ${at('account')}, now()
      from generate_series(1, ${count}) n;
    insert into memberships (id, organization_id, account_id, role, state, created_at)
      select ${at('membership')}, ${at('organization')}, ${at('account')}, 'owner', 'active', now()
      from generate_series(1, ${count}) n`)
}

/** One for each expense, all of the last days: older ones are not kept. */
export async function writeLiveEvents(
  pool: pg.Pool,
  { name, expenses, data }: { name: string; expenses: number; data: DataSet },
): Promise<void> {
  const text = `
    alter table live_events disable trigger user;
    insert into live_events (id, organization_id, audience, kind, aggregate_type, aggregate_id,
        target_state, severity, occurred_at, account_id)
      select ${uuidOf('event', name, 'n')}, '${data.organizationId}', 'both', 'expense.changed',
        'expense', ${uuidOf('expense', name, 'n')}::text, 'paid', 'healthy',
        now() - (${expenses} - n) * interval '6 days' / ${expenses}, '${data.accountId}'
      from generate_series(1, ${expenses}) n;
    alter table live_events enable trigger user`
  await inBulk(pool, ['live_events'], () => pool.query(text))
}
