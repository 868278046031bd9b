/** The worker's handling of members' payment requests, where no worker runs. */
import sql from 'sql-template-tag'
import { runPaymentRequest } from '#payments/run-payment-request.ts'
import type { TestApp } from '#test/support/app.ts'

export async function runPaymentRequests(
  { ctx, database }: Pick<TestApp, 'ctx' | 'database'>,
  organizationId: string,
): Promise<void> {
  // Read from the queue, which needs no access to the tenant's rows.
  const jobs = await database.asOwner<{ id: string }>(
    `select payload ->> 'paymentRequestId' as id from graphile_worker._private_jobs j
     join graphile_worker._private_tasks t on t.id = j.task_id
     where t.identifier = 'run_payment_request' and payload ->> 'organizationId' = $1
     order by j.id`,
    [organizationId],
  )
  for (const { id: paymentRequestId } of jobs) {
    await runPaymentRequest(ctx, { organizationId, paymentRequestId })
  }
}

/** A request of the account to release one of the organization's payments. */
export const writePaymentRequest = (
  { api }: Pick<TestApp, 'api'>,
  { organizationId, accountId }: { organizationId: string; accountId: string },
): Promise<object[]> =>
  api.db.transaction({ organizationId }, (tx) =>
    tx.query(sql`
      insert into payment_requests (id, organization_id, payment_id, account_id, kind, step,
        payment_epoch, expected_version)
      select gen_random_uuid(), organization_id, id, ${accountId}, 'release', 'release', epoch, 1
      from payments limit 1`),
  )
