/** A whole service in the books: organizations of all ages, written by the database itself. */
import { createHash } from 'node:crypto'

export type Size = { organizations: number; expenses: number }
export type Run = (text: string) => Promise<Record<string, unknown>[]>

const kindOf = (kind: string): string =>
  createHash('sha256').update(kind).digest('hex').slice(0, 12)

/** The same id for the same kind and number; in the order of the numbers, as ids by time are. */
export const idAt = (kind: string, number: number): string => {
  const head = number.toString(16).padStart(12, '0')
  return `${head.slice(0, 8)}-${head.slice(8)}-7000-8000-${kindOf(kind)}`
}

const uuid = (kind: string, n: string): string => {
  const head = `lpad(to_hex(${n}), 12, '0')`
  return `(left(${head}, 8) || '-' || right(${head}, 4) || '-7000-8000-${kindOf(kind)}')::uuid`
}

const hex = (kind: string, n: string, digits: number): string =>
  `'0x' || left(repeat(md5('${kind}' || (${n})), 2), ${digits})`

export const hashAt = (kind: string, number: number): string =>
  `0x${createHash('md5').update(`${kind}${number}`).digest('hex').repeat(2)}`
export const addressAt = (kind: string, number: number): string => hashAt(kind, number).slice(0, 42)

/** Each name has its number, and one word of a few: common, less common, and rare. */
const nameSql = `(case when n % 100 = 7 then 'Quarry' when n % 10 = 3 then 'Harbour'
  else 'Trading' end) || ' House ' || n`

/** One in so many: a failed payment or run, one that reconciles, a case. */
const TROUBLED = 20
const organizationOf = (size: Size) => uuid('organization', `1 + n % ${size.organizations}`)
/** One organization in ten has more than drafts. */
const busy = ({ organizations, expenses }: Size) =>
  `from generate_series(1, ${expenses}) n where n % ${organizations} < ${organizations / 10}`
/** Not the same for all expenses of one organization. */
const luck = ({ organizations }: Size) => `(n + n / ${organizations})`
const series = (count: number) => `from generate_series(1, ${count}) n`

const tenants = ({ organizations }: Size): string => `
  insert into accounts (id, realm, issuer, subject, created_at)
    select ${uuid('account', 'n')}, 'consumer', 'books', 'books ' || n, now()
    ${series(organizations)};
  insert into organizations (id, name, created_by_account_id, created_at)
    select ${uuid('organization', 'n')}, ${nameSql}, ${uuid('account', 'n')}, now()
    ${series(organizations)};
  insert into memberships (id, organization_id, account_id, role, state, created_at)
    select ${uuid('membership', 'n')}, ${uuid('organization', 'n')}, ${uuid('account', 'n')},
      'owner', 'active', now() ${series(organizations)};
  insert into recipients (id, organization_id, label, address, chain_id, state,
      created_by_account_id, created_at)
    select ${uuid('recipient', 'n')}, ${uuid('organization', 'n')}, 'Supplier',
      ${hex('recipient', 'n', 40)}, 31337, 'active', ${uuid('account', 'n')}, now()
    ${series(organizations)};
  insert into vaults (id, organization_id, label, is_default, chain_id, address, token_address,
      owner_address, artifact_hash, deployment_transaction_hash, state, created_at)
    select ${uuid('vault', 'n')}, ${uuid('organization', 'n')}, 'Main', true, 31337,
      ${hex('vault', 'n', 40)}, ${hex('token', '1', 40)}, ${hex('owner', 'n', 40)},
      ${hex('artifact', '1', 64)}, ${hex('deployment', 'n', 64)}, 'verified', now()
    ${series(organizations)};
  insert into policies (id, organization_id, vault_id, version, executor_address,
      approver_addresses, recipient_addresses, approved_cap, automatic_cap, lifetime_cap,
      reserve_floor, expires_at, automatic_enabled, paused, chain_transaction_hash, block_number,
      created_at)
    select ${uuid('policy', 'n')}, ${uuid('organization', 'n')}, ${uuid('vault', 'n')}, 1,
      ${hex('executor', 'n', 40)}, '{}', '{}', 9, 9, 9, 0, '2099-01-01', true, false,
      ${hex('policy', 'n', 64)}, 1, now() ${series(organizations)};
  insert into executor_bindings (id, organization_id, provider_type, address, chain_id, state,
      provider_reference, created_at)
    select ${uuid('executor', 'n')}, ${uuid('organization', 'n')}, 'local',
      ${hex('executor', 'n', 40)}, 31337, 'active', '', now() ${series(organizations)};
  insert into executor_provisionings (id, organization_id, state, created_at, updated_at)
    select ${uuid('provisioning', 'n')}, ${uuid('organization', 'n')}, 'active', now(), now()
    ${series(organizations)};
  insert into support_cases (id, organization_id, opened_by_account_id, subject, priority, state,
      created_at, updated_at)
    select ${uuid('case', 'n')}, ${uuid('organization', 'n')}, ${uuid('account', 'n')},
      'Case ' || n, 1 + n % 3, (array['open', 'investigating', 'resolved', 'resolved',
      'resolved', 'resolved', 'resolved', 'reopened'])[1 + n % 8], now(), now()
    ${series(organizations)};
  insert into support_notes (id, organization_id, support_case_id, author_account_id, body,
      created_at)
    select ${uuid('note', 'n')}, ${uuid('organization', 'n')}, ${uuid('case', 'n')},
      ${uuid('account', 'n')}, 'Note', now() ${series(organizations)};
  insert into unrecorded_payments (id, organization_id, vault_id, chain_payment_id, mode,
      recipient_address, amount, policy_version, report_hash, expense_version_hash,
      transaction_hash, block_number, block_hash, block_time, state, created_at, updated_at)
    select ${uuid('unrecorded', 'n')}, ${uuid('organization', 'n')}, ${uuid('vault', 'n')},
      ${hex('unrecorded', 'n', 64)}, 'automatic', ${hex('recipient', 'n', 40)}, 5, 1,
      ${hex('report', 'n', 64)}, ${hex('version', 'n', 64)}, ${hex('execution', 'n', 64)}, n,
      ${hex('block', 'n', 64)}, now(),
      case when n % ${TROUBLED} = 1 then 'open' else 'recorded' end, now(),
      now() - n * interval '1 second' ${series(organizations)};
  insert into wallets (id, account_id, kind, chain_type, address, created_at)
    select ${uuid('wallet', 'n')}, ${uuid('account', 'n')}, 'external', 'ethereum',
      ${hex('wallet', 'n', 40)}, now() ${series(organizations)};
  insert into wallet_roles (id, organization_id, membership_id, account_id, wallet_id, role,
      state, created_at)
    select ${uuid('role', 'n')}, ${uuid('organization', 'n')}, ${uuid('membership', 'n')},
      ${uuid('account', 'n')}, ${uuid('wallet', 'n')}, 'approver', 'active', now()
    ${series(organizations)};
  insert into vault_deployments (id, organization_id, label, chain_id, token_address,
      owner_address, organization_hash, artifact_hash, constructor_data_hash, transaction, state,
      transaction_hash, created_by_account_id, created_at, updated_at)
    select ${uuid('deployment', 'n')}, ${uuid('organization', 'n')}, 'Main', 31337, '', '', '', '',
      '', '{}', 'confirmed', ${hex('deployment', 'n', 64)}, ${uuid('account', 'n')}, now(), now()
    ${series(organizations)};
  insert into policy_intents (id, organization_id, vault_id, expected_version, executor_address,
      approver_addresses, recipient_addresses, approved_cap, automatic_cap, lifetime_cap,
      reserve_floor, expires_at, automatic_enabled, paused, changes, transaction, state,
      transaction_hash, created_by_account_id, created_at, updated_at)
    select ${uuid('intent', 'n')}, ${uuid('organization', 'n')}, ${uuid('vault', 'n')}, 0, '', '{}',
      '{}', 9, 9, 9, 0, now(), true, false, '{}', '{}', 'confirmed', ${hex('policy', 'n', 64)},
      ${uuid('account', 'n')}, now(), now() ${series(organizations)}`

const money = (size: Size): string => `
  insert into expenses (id, organization_id, submitter_account_id, payment_id, current_revision,
      state, created_at, updated_at)
    select ${uuid('expense', 'n')}, ${organizationOf(size)},
      ${uuid('account', `1 + n % ${size.organizations}`)}, ${uuid('payment', 'n')}, 1, 'paid',
      now(), now() ${series(size.expenses)};
  insert into expense_revisions (organization_id, expense_id, revision, vault_id, recipient_id,
      recipient_label, recipient_address, amount, requested_mode, purpose, purpose_key,
      version_hash, author_account_id, created_at)
    select ${organizationOf(size)}, ${uuid('expense', 'n')}, 1,
      ${uuid('vault', `1 + n % ${size.organizations}`)},
      ${uuid('recipient', `1 + n % ${size.organizations}`)}, 'Supplier',
      ${hex('recipient', '1', 40)}, 5, 'automatic', 'Paper', sha256('x'),
      ${hex('version', 'n', 64)}, ${uuid('account', `1 + n % ${size.organizations}`)}, now()
    ${busy(size)};
  insert into expense_comments (id, organization_id, expense_id, author_account_id, body,
      created_at)
    select ${uuid('comment', 'n')}, ${organizationOf(size)}, ${uuid('expense', 'n')},
      ${uuid('account', `1 + n % ${size.organizations}`)}, 'Comment', now()
    ${busy(size)};
  insert into agent_runs (id, organization_id, expense_id, expense_revision, state, created_at,
      updated_at)
    select ${uuid('run', 'n')}, ${organizationOf(size)}, ${uuid('expense', 'n')}, 1,
      case when ${luck(size)} % ${TROUBLED} = 1 then 'failed' else 'succeeded' end, now(),
      now() - n * interval '1 second' ${busy(size)};
  insert into reports (id, organization_id, expense_id, expense_revision, run_id, version,
      report_hash, output, created_at)
    select ${uuid('report', 'n')}, ${organizationOf(size)}, ${uuid('expense', 'n')}, 1,
      ${uuid('run', 'n')}, 1, ${hex('report', 'n', 64)}, '${OUTPUT}', now()
    ${busy(size)};
  insert into payments (id, organization_id, expense_id, expense_revision, expense_version_hash,
      vault_id, chain_payment_id, mode, recipient_address, token_address, amount, policy_version,
      report_id, report_hash, deadline, state, block_code, lane_id, created_at, updated_at)
    select ${uuid('payment', 'n')}, ${organizationOf(size)}, ${uuid('expense', 'n')}, 1,
      ${hex('version', 'n', 64)}, ${uuid('vault', `1 + n % ${size.organizations}`)},
      ${hex('chain payment', 'n', 64)}, 'automatic', ${hex('recipient', '1', 40)},
      ${hex('token', '1', 40)}, 5, 1, ${uuid('report', 'n')}, ${hex('report', 'n', 64)}, now(),
      case ${luck(size)} % ${TROUBLED} when 1 then 'failed' when 2 then 'blocked'
        when 3 then 'reconciling' else 'confirmed' end, null,
      ${uuid('executor', `1 + n % ${size.organizations}`)}, now(),
      now() - n * interval '1 second' ${busy(size)};
  insert into payment_attempts (id, organization_id, payment_id, lane_id, number,
      executor_address, nonce, fee_rank, max_fee_per_gas, max_priority_fee_per_gas,
      transaction_hash, raw, call_hash, state, error_code, updated_at)
    select ${uuid('attempt', 'n')}, ${organizationOf(size)}, ${uuid('payment', 'n')},
      ${uuid('executor', `1 + n % ${size.organizations}`)}, 1, ${hex('executor', '1', 40)}, n, 0,
      2, 1, ${hex('attempt', 'n', 64)}, '0x00', '', 'mined',
      case when ${luck(size)} % ${TROUBLED} = 2 then 'underpriced' end,
      now() - n * interval '1 second'
    ${busy(size)};
  insert into payment_receipts (organization_id, payment_id, transaction_hash, block_number,
      block_hash, log_index, status, execution, confirmed_at)
    select ${organizationOf(size)}, ${uuid('payment', 'n')}, ${hex('attempt', 'n', 64)}, n,
      ${hex('block', 'n', 64)}, 0, 'success', '{}', now() ${busy(size)};
  insert into approvals (id, organization_id, expense_id, expense_revision, vault_id, account_id,
      wallet_role_id, approver_address, policy_version, report_hash, expense_version_hash,
      deadline, digest, typed_data, state, invalidation_transaction_hash, created_at, updated_at)
    select ${uuid('approval', 'n')}, ${organizationOf(size)}, ${uuid('expense', 'n')}, 1,
      ${uuid('vault', `1 + n % ${size.organizations}`)},
      ${uuid('account', `1 + n % ${size.organizations}`)},
      ${uuid('role', `1 + n % ${size.organizations}`)}, ${hex('wallet', 'n', 40)}, 1,
      ${hex('report', 'n', 64)}, ${hex('version', 'n', 64)}, now(), ${hex('digest', 'n', 64)},
      '{}', 'invalidated', ${hex('invalidation', 'n', 64)}, now(), now() ${busy(size)}`

const OUTPUT = JSON.stringify({
  summary: 'Fine',
  recommendation: 'approve',
  riskScore: 0,
  checks: [],
  policy: { version: 1, fits: true, reasons: [] },
  analyst: { kind: 'rules', name: 'rules', version: '1' },
})

/** As the owner of a database made for this: rows right by construction need no keys to say so. */
export async function writeAdminBooks(run: Run, size: Size): Promise<void> {
  await run(`do $$
    declare
      one record;
    begin
      for one in select conrelid::regclass as name, conname from pg_constraint
        where contype = 'f' and connamespace = 'countersign'::regnamespace loop
        execute format('alter table %s drop constraint %I', one.name, one.conname);
      end loop;
      for one in select oid::regclass as name from pg_class
        where relnamespace = 'countersign'::regnamespace and relforcerowsecurity loop
        execute format('alter table %s no force row level security', one.name);
      end loop;
    end $$`)
  const indexes = await run(`
    select indexdef as make, format('%I.%I', schemaname, indexname) as name from pg_indexes
    where schemaname = 'countersign' and not exists (
      select from pg_constraint where conindid = format('%I.%I', schemaname, indexname)::regclass)`)
  await run(`drop index ${indexes.map(({ name }) => name).join(', ')}`)
  await run(tenants(size))
  await run(money(size))
  // Made again over what is there: much faster than keeping them up row by row.
  for (const { make } of indexes) await run(String(make))
  const tables = await run(
    "select tablename as name from pg_tables where schemaname = 'countersign'",
  )
  await run(`vacuum analyze ${tables.map(({ name }) => name).join(', ')}`)
}
