/** One organization at the largest sizes that the service promises, written into the tables. */
import pg from 'pg'
import { migrate } from '#platform/database/migrate.ts'
import { addressOf, type DataSet, HASH, inBulk, TABLES, uuidOf, writeDataSet } from './data-set.ts'
import { ADMIN_ISSUER, type Ground, ISSUER } from './service-stage.ts'

export type Sizes = {
  openExpenses: number
  reservedPayments: number
  /** Of one expense. */
  comments: number
  /** Organizations of one account. */
  memberships: number
}

export type ScaleData = DataSet & { url: string; reportId: string; operatorSubject: string }

const OPEN_STATES = [
  'draft',
  'analysis_queued',
  'analyzing',
  'needs_review',
  'revision_requested',
  'awaiting_approval',
  'approved_ready_for_payment',
  'automatic_ready_for_payment',
  'executing',
  'reconciling',
  'blocked',
]

export const SCALE = 'scale'
const FILLED = [...TABLES, 'payments', 'operators', 'vault_unsent_totals', 'automatic_totals']

/** Everything is open: every state that somebody may have to act on is equally frequent. */
const openAll = (data: DataSet): string => {
  const states = OPEN_STATES.map((state) => `'${state}'`).join(', ')
  return `
    update expenses e set state = n.state,
      block_code = case n.state when 'blocked' then 'analysis_failed' end
    from (
      select id, (array[${states}])[1 + row_number() over (order by id) % ${OPEN_STATES.length}]
        as state
      from expenses where organization_id = '${data.organizationId}'
    ) n where e.organization_id = '${data.organizationId}' and e.id = n.id`
}

/**
 * Evenly over a week. The totals are written once: a transaction with so many changes of one row
 * would take minutes.
 */
const writeReserved = (data: DataSet, count: number): string => {
  const at = (kind: string) => uuidOf(kind, SCALE, 'n')
  return `
    alter table payments disable trigger user;
    insert into payments (id, organization_id, expense_id, expense_revision,
        expense_version_hash, vault_id, chain_payment_id, mode, recipient_address, token_address,
        amount, policy_version, report_id, report_hash, deadline, state, created_at, updated_at,
        authorised_at)
      select ${at('payment')}, '${data.organizationId}', ${at('expense')}, 2, ${HASH},
        '${data.vaultId}', '0x' || lpad(to_hex(n), 64, '0'), 'automatic',
        '${data.recipientAddress}', ${addressOf('1')}, 20000 + n % 997, 1, ${at('report')},
        ${HASH}, now() + interval '1 day', 'reserved', now(), now(),
        now() - n * interval '7 days' / ${count}
      from generate_series(1, ${count}) n;
    alter table payments enable trigger user;
    update vault_unsent_totals t set amount = p.amount, automatic = p.amount,
        payments = p.payments
      from (select vault_id, sum(amount) as amount, count(*) as payments from payments
        group by vault_id) p where t.vault_id = p.vault_id;
    insert into automatic_totals (organization_id, vault_id, recipient_address, bucket, amount)
      select organization_id, vault_id, r.address, bucket_of(authorised_at), sum(amount)
      from counted_payments cross join lateral (values (''), (recipient_address)) r (address)
      group by 1, 2, 3, 4`
}

const writeComments = (data: DataSet, expenseId: string, count: number): string => `
  insert into expense_comments (id, organization_id, expense_id, author_account_id, body,
      created_at)
    select ${uuidOf('long comment', SCALE, 'n')}, '${data.organizationId}', '${expenseId}',
      '${data.accountId}', repeat('This line says what the invoice is for. ', 100), now()
    from generate_series(1, ${count}) n`

/** The first member, who is the owner of the large organization, is in many others as well. */
const writeMemberships = (count: number): string => {
  const at = (kind: string) => uuidOf(`${kind} of one`, SCALE, 'n')
  const owner = uuidOf('account', SCALE, '1')
  return `
    insert into organizations (id, name, created_by_account_id, created_at)
      select ${at('organization')}, 'Subsidiary ' || n, ${owner}, now()
      from generate_series(1, ${count}) n;
    insert into memberships (id, organization_id, account_id, role, state, created_at)
      select ${at('membership')}, ${at('organization')}, ${owner}, 'owner', 'active', now()
      from generate_series(1, ${count}) n`
}

const OPERATOR = 'scale operator'

const writeOperator = (issuer: string): string => `
  insert into accounts (id, realm, issuer, subject, created_at)
    values (${uuidOf('operator', SCALE, '1')}, 'admin', '${issuer}', '${OPERATOR}', now());
  insert into operators (account_id, status, granted_at)
    values (${uuidOf('operator', SCALE, '1')}, 'active', now())`

/** A database of its own on the benchmark's server. */
export async function writeScale(
  ground: Ground,
  { name, sizes }: { name: string; sizes: Sizes },
): Promise<ScaleData> {
  const url = new URL(ground.url)
  url.pathname = `scale_${name}`
  await ground.pool.query(`create database scale_${name}`)
  await migrate({ url: url.href })
  const options = '-c search_path=countersign'
  const pool = new pg.Pool({ connectionString: url.href, max: 1, options })
  try {
    for (const table of FILLED) await pool.query(`alter table ${table} no force row level security`)
    const data = await writeDataSet(pool, {
      name: SCALE,
      expenses: sizes.openExpenses,
      issuer: ISSUER,
    })
    await inBulk(pool, ['expenses'], () => pool.query(openAll(data)))
    await inBulk(pool, ['payments'], () => pool.query(writeReserved(data, sizes.reservedPayments)))
    await pool.query(writeComments(data, data.expenseId, sizes.comments))
    await pool.query(writeMemberships(sizes.memberships))
    await pool.query(writeOperator(ADMIN_ISSUER))
    await pool.query('vacuum analyze')
    const { rows } = await pool.query<{ id: string }>(
      `select current_report_id as id from expenses where id = '${data.expenseId}'`,
    )
    const reportId = rows[0]?.id ?? ''
    return { ...data, url: url.href, reportId, operatorSubject: OPERATOR }
  } finally {
    await pool.end()
  }
}
