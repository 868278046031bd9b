/** Rows as an attacker with a database login writes them, without the service's processes. */
import { randomUUID } from 'node:crypto'
import { vaultAbi } from '@countersign/proof/vault-artifact.ts'
import { versionHashOf } from '@countersign/proof/version-hash.ts'
import type pg from 'pg'
import { expect, vi } from 'vitest'
import { textKeyOf } from '#expenses/expense.ts'
import type { PayingHouse } from '#test/support/payments.ts'

/** PostgreSQL's error code for insufficient privilege. */
export const DENIED = { code: '42501' }

/** Scopes the connection to this organization and this account. */
export const enterScope = (
  client: pg.Client,
  { organizationId, accountId = '' }: { organizationId: string; accountId?: string },
) =>
  client.query(
    `select set_config('app.organization', $1, false), set_config('app.account', $2, false)`,
    [organizationId, accountId],
  )

/** Inserts a copy of a row with changes. */
export const insertLike = (
  client: pg.Client,
  { table, where, changes }: { table: string; where: string; changes: Record<string, unknown> },
) =>
  client.query(
    `insert into ${table} select n.* from ${table} o,
       jsonb_populate_record(o, $1::jsonb) n where ${where}`,
    [JSON.stringify(changes)],
  )

export const enqueueJob = (client: pg.Client, task: string, payload: Record<string, unknown>) =>
  client.query('select enqueue_job($1, $2, null, null, null, null)', [
    task,
    JSON.stringify(payload),
  ])

export type ForgedExpense = { id: string; paymentId: string; runId: string }

let counter = 0

/** Submits in a member's name: an expense, its revision, its run and the analysis job. */
export async function forgeSubmission(
  client: pg.Client,
  house: PayingHouse,
  {
    accountId,
    amount,
    recipient = { id: house.recipientId, address: house.recipient },
    isQueued = true,
  }: {
    accountId: string
    amount: bigint
    recipient?: { id: string; address: string }
    /** Whether a worker should analyse it. */
    isQueued?: boolean
  },
): Promise<ForgedExpense> {
  counter += 1
  const [id, paymentId, runId] = [randomUUID(), randomUUID(), randomUUID()]
  const purpose = `Invoice ${7_000 + counter} for cleaning the offices in month ${counter}`
  const recipientAddress = recipient.address.toLowerCase()
  const revision = {
    organizationId: house.id,
    expenseId: id,
    revision: 1,
    vaultId: house.vault.id,
    vaultAddress: house.vault.address.toLowerCase(),
    chainId: 31_337,
    tokenAddress: house.treasury.chain.tokenAddress.toLowerCase(),
    recipientAddress,
    amount,
    requestedMode: 'automatic',
    purpose,
  } as const
  await client.query('begin')
  await client.query(
    `insert into expenses (id, organization_id, submitter_account_id, payment_id, current_revision,
       state, created_at, updated_at, recorded_at)
     values ($1, $2, $3, $4, 1, 'analysis_queued', now() - interval '90 days', now(),
       now() - interval '90 days')`,
    [id, house.id, accountId, paymentId],
  )
  await client.query(
    `insert into expense_revisions (organization_id, expense_id, revision, vault_id, recipient_id,
       recipient_label, recipient_address, amount, requested_mode, purpose, purpose_key,
       version_hash, author_account_id, created_at, submitted_at)
     values ($1, $2, 1, $3, $4, 'Printers Ltd', $5, $6, 'automatic', $7, $8, $9, $10, now(),
       now())`,
    [
      ...[house.id, id, house.vault.id, recipient.id, recipientAddress, amount.toString()],
      ...[purpose, textKeyOf(purpose), versionHashOf(revision), accountId],
    ],
  )
  await client.query(
    `insert into agent_runs (id, organization_id, expense_id, expense_revision, state, created_at,
       updated_at) values ($1, $2, $3, 1, 'queued', now(), now())`,
    [runId, house.id, id],
  )
  if (isQueued) await enqueueJob(client, 'analyze_expense', { organizationId: house.id, runId })
  await client.query('commit')
  return { id, paymentId, runId }
}

/**
 * A reserved payment of a prepared approval with this signature, and the job that releases it.
 * Except for the changes, the rows are consistent as the service would write them.
 */
export async function forgeReservation(
  client: pg.Client,
  house: PayingHouse,
  {
    approvalId,
    expenseId,
    signature,
    changes = {},
  }: {
    approvalId: string
    expenseId: string
    signature: string
    changes?: Record<string, unknown>
  },
): Promise<string> {
  await client.query('begin')
  await client.query(
    `update approvals set state = 'signed', signature = $2, cancelled_at = null where id = $1`,
    [approvalId, signature],
  )
  await client.query(`update expenses set state = 'approved_ready_for_payment' where id = $1`, [
    expenseId,
  ])
  const { rows } = await client.query<{ row: Record<string, unknown> }>(
    `select jsonb_build_object('id', e.payment_id, 'organization_id', e.organization_id,
       'expense_id', e.id, 'expense_revision', r.revision, 'expense_version_hash', r.version_hash,
       'vault_id', r.vault_id, 'chain_payment_id', a.typed_data -> 'message' ->> 'paymentId',
       'mode', 'approved', 'recipient_address', r.recipient_address,
       'token_address', v.token_address, 'amount', r.amount, 'policy_version', a.policy_version,
       'report_id', t.id, 'report_hash', t.report_hash, 'approval_id', a.id,
       'approval_digest', a.digest, 'required_approvals', 1,
       'deadline', a.deadline, 'epoch', 1, 'state', 'reserved',
       'state_since', now(), 'has_open_attempt', false, 'is_given_up', false,
       'postponed_times', 0, 'created_at', now(), 'updated_at', now()) as row
     from expenses e
     join expense_revisions r on r.expense_id = e.id and r.revision = e.current_revision
     join vaults v on v.id = r.vault_id join reports t on t.id = e.current_report_id,
       approvals a where e.id = $1 and a.id = $2`,
    [expenseId, approvalId],
  )
  const row = { ...rows[0]?.row, ...changes }
  await client.query(
    'insert into payments select * from jsonb_populate_record(null::payments, $1)',
    [JSON.stringify(row)],
  )
  const paymentId = String(row.id)
  await client.query(
    `insert into payment_signatures (organization_id, payment_id, epoch, approval_id, account_id,
       approver_address, digest, signature)
     select organization_id, $1, 1, id, account_id, approver_address, digest, signature
     from approvals where id = $2`,
    [paymentId, approvalId],
  )
  await enqueueJob(client, 'release_payment', { organizationId: house.id, paymentId })
  await client.query('commit')
  return paymentId
}

/** Releases a payment in a member's name and returns the worker's answer. */
export async function requestRelease(
  client: pg.Client,
  house: PayingHouse,
  { paymentId, accountId }: { paymentId: string; accountId: string },
): Promise<string> {
  const paymentRequestId = randomUUID()
  await client.query(
    `insert into payment_requests (id, organization_id, payment_id, account_id, kind, step,
       payment_epoch, expected_version)
     select $1, $2, id, $4, 'release',
       case when state = 'reserved' then 'release' else 'release_again' end, epoch, 1
     from payments where organization_id = $2 and id = $3`,
    [paymentRequestId, house.id, paymentId, accountId],
  )
  const organizationId = house.id
  await enqueueJob(client, 'run_payment_request', { organizationId, paymentRequestId })
  return vi.waitFor(
    async () => {
      const { rows } = await client.query('select outcome from payment_requests where id = $1', [
        paymentRequestId,
      ])
      expect(rows[0].outcome).not.toBeNull()
      return rows[0].outcome
    },
    { timeout: 20_000, interval: 50 },
  )
}

/** The state and block code of a payment, once no worker will change it by itself. */
export const untilSettled = (client: pg.Client, paymentId: string): Promise<string> =>
  vi.waitFor(
    async () => {
      const { rows } = await client.query(
        'select state, block_code as code from payments where id = $1',
        [paymentId],
      )
      expect(rows[0]?.state).toBeOneOf(['blocked', 'failed', 'confirmed'])
      return `${rows[0].state} ${rows[0].code ?? ''}`.trim()
    },
    { timeout: 30_000, interval: 50 },
  )

/** The state of an expense, once analysed and, where released, paid. */
export const untilExpenseSettled = (client: pg.Client, id: string): Promise<string> =>
  vi.waitFor(
    async () => {
      const { rows } = await client.query('select state from expenses where id = $1', [id])
      expect(rows[0]?.state).toBeOneOf(['needs_review', 'blocked', 'paid'])
      return rows[0].state
    },
    { timeout: 45_000, interval: 50 },
  )

export type Paid = { recipient: string; amount: bigint; mode: number }

/** The vault's payments, from its own logs on the chain. */
export async function paidByVault({ treasury: { chain }, vault }: PayingHouse): Promise<Paid[]> {
  const logs = await chain.client.getContractEvents({
    address: vault.address,
    abi: vaultAbi,
    eventName: 'PaymentExecuted',
    fromBlock: 0n,
  })
  return logs.map(({ args }) => ({
    recipient: args.recipient ?? '',
    amount: args.amount ?? 0n,
    mode: Number(args.mode),
  }))
}
