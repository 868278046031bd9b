/** SQL of members' payment requests: the API records them, a worker carries them out. */
import sql from 'sql-template-tag'
import type { Role } from '#access/permissions.ts'
import type { Reader, Tx } from '#platform/database/database.ts'

export type RequestStep = 'release' | 'release_again' | 'give_up' | 'reconcile'

export type PaymentRequest = {
  id: string
  organizationId: string
  paymentId: string
  accountId: string
  kind: 'release' | 'reconcile'
  /** The step for the payment as it was at the request, and its epoch then. */
  step: RequestStep
  paymentEpoch: number
  expectedVersion: number
  requestId: string
}

export function insertPaymentRequest(tx: Tx, row: PaymentRequest): void {
  tx.write(sql`
    insert into payment_requests (id, organization_id, payment_id, account_id, kind, step,
      payment_epoch, expected_version, request_id)
    values (${row.id}, ${row.organizationId}, ${row.paymentId}, ${row.accountId}, ${row.kind},
      ${row.step}, ${row.paymentEpoch}, ${row.expectedVersion}, ${row.requestId})`)
}

type RequestKey = { organizationId: string; paymentRequestId: string }

export type RequestOutcome = { outcome: string; message: string | null }

/** Undefined until a worker has carried it out. */
export async function findRequestOutcome(
  reader: Reader,
  { organizationId, paymentRequestId }: RequestKey,
): Promise<RequestOutcome | undefined> {
  const [row] = await reader.query<RequestOutcome>(sql`
    select outcome, message from payment_requests
    where organization_id = ${organizationId} and id = ${paymentRequestId}
      and outcome is not null`)
  return row
}

export type OpenRequest = PaymentRequest & {
  expenseId: string
  /** Too old: the caller has stopped waiting, and the payment may have changed. */
  isOverdue: boolean
  /** Null when the account is no longer an active member. */
  membershipId: string | null
  role: Role | null
}

/** A pending request, with its account's current role. */
export async function findOpenRequest(
  tx: Reader,
  { organizationId, paymentRequestId }: RequestKey,
): Promise<OpenRequest | undefined> {
  const [row] = await tx.query<OpenRequest>(sql`
    select q.id, q.organization_id as "organizationId", q.payment_id as "paymentId",
      q.account_id as "accountId", q.kind, q.step, q.payment_epoch as "paymentEpoch",
      q.expected_version as "expectedVersion",
      q.created_at < now() - interval '10 minutes' as "isOverdue",
      q.request_id as "requestId", p.expense_id as "expenseId", m.id as "membershipId", m.role
    from payment_requests q
    join payments p on p.organization_id = q.organization_id and p.id = q.payment_id
    left join memberships m on m.organization_id = q.organization_id
      and m.account_id = q.account_id and m.state = 'active'
    where q.organization_id = ${organizationId} and q.id = ${paymentRequestId}
      and q.outcome is null`)
  return row
}

export function updateRequestOutcome(
  tx: Tx,
  { organizationId, paymentRequestId, outcome, message }: RequestKey & RequestOutcome,
): void {
  tx.write(sql`
    update payment_requests set outcome = ${outcome}, message = ${message}, ended_at = now()
    where organization_id = ${organizationId} and id = ${paymentRequestId} and outcome is null`)
}
