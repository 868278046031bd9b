/** Steps shared by the webhook tests. */
import { expect } from 'vitest'
import type { JobPayloads } from '#platform/jobs/jobs.ts'
import type { Answer, Organization, Person, TestApp } from '#test/support/app.ts'
import { freshKey } from '#test/support/steps.ts'

export const WEBHOOK_ENVIRONMENT = { WEBHOOK_LOOPBACK: 'true' }

type Service = Pick<TestApp, 'call'>

/** As the owner, unless another person is given. */
export const createWebhook = (
  { call }: Service,
  { path, owner }: Organization,
  {
    person = owner,
    headers = freshKey(),
    ...body
  }: { person?: Person; headers?: Record<string, string> } & Record<string, unknown>,
): Promise<Answer> =>
  call('POST', `${path}/webhooks`, {
    token: person.token,
    headers,
    body: { kinds: ['integration.changed'], ...body },
  })

export async function addWebhook(
  service: Service,
  organization: Organization,
  body: Record<string, unknown>,
): Promise<{ id: string; secret: string }> {
  const created = await createWebhook(service, organization, body)
  expect(created.status).toBe(201)
  return created.body
}

/** A request about one webhook, as the owner unless another person is given. */
export const onWebhook = (
  { call }: Service,
  { path, owner }: Organization,
  {
    method = 'POST',
    webhookId,
    action = '',
    person = owner,
    headers = method === 'POST' ? freshKey() : {},
  }: {
    method?: string
    webhookId: string
    action?: string
    person?: Person
    headers?: Record<string, string>
  },
): Promise<Answer> =>
  call(method, `${path}/webhooks/${webhookId}${action}`, { token: person.token, headers })

export type WebhookJob = {
  payload: JobPayloads['deliver_webhook']
  key: string
  queue: string
  /** Seconds from now. */
  seconds: number
}

/** Waiting deliveries; no worker runs. */
export const queuedDeliveries = ({ database }: Pick<TestApp, 'database'>): Promise<WebhookJob[]> =>
  database.asOwner<WebhookJob>(
    `select j.payload, j.key, q.queue_name as queue,
       extract(epoch from j.run_at - now())::float as seconds
     from graphile_worker._private_jobs j
     join graphile_worker._private_tasks t on t.id = j.task_id
     left join graphile_worker._private_job_queues q on q.id = j.job_queue_id
     where t.identifier = 'deliver_webhook' order by j.id`,
  )

export const clearDeliveries = ({ database }: Pick<TestApp, 'database'>) =>
  database.asOwner(
    `delete from graphile_worker._private_jobs where task_id =
       (select id from graphile_worker._private_tasks where identifier = 'deliver_webhook')`,
  )
