/** Steps shared by the push tests. */
import { randomUUID } from 'node:crypto'
import sql from 'sql-template-tag'
import { expect } from 'vitest'
import { SYSTEM } from '#journal/actor.ts'
import { recordChange } from '#journal/journal.ts'
import type { Environment } from '#platform/config/config.ts'
import { makeVapidPrivateKey, vapidPublicKey } from '#platform/config/push.ts'
import type { JobPayloads } from '#platform/jobs/jobs.ts'
import type { PushMessage, PushOutcome, PushService } from '#ports/push-service.ts'
import { makeDevice } from '#test/push/device.ts'
import type { Answer, Person, TestApp } from '#test/support/app.ts'

export const SUBJECT = 'mailto:push@countersign.example'

/** Configured as `npm start` does. */
export function pushEnvironment(): Environment {
  const privateKey = makeVapidPrivateKey()
  return {
    VAPID_PRIVATE_KEY: privateKey,
    VAPID_PUBLIC_KEY: vapidPublicKey(privateKey),
    VAPID_SUBJECT: SUBJECT,
    PUSH_LOOPBACK: 'true',
  }
}

export const bodyOf = (more: Record<string, unknown> = {}) => ({
  endpoint: `https://127.0.0.1/${randomUUID()}`,
  expirationTime: null,
  keys: makeDevice().keys,
  deviceLabel: 'Phone',
  ...more,
})

const path = '/v1/consumer/push/subscriptions'

export const subscribe = (
  { call }: Pick<TestApp, 'call'>,
  { token }: Pick<Person, 'token'>,
  more: Record<string, unknown> = {},
): Promise<Answer> => call('POST', path, { token, body: bodyOf(more) })

/** Subscribes a new device and returns its id. */
export async function addDevice(
  service: Pick<TestApp, 'call'>,
  person: Pick<Person, 'token'>,
  more: Record<string, unknown> = {},
): Promise<string> {
  const added = await subscribe(service, person, more)
  expect(added.status).toBe(201)
  return added.body.id
}

export const unsubscribe = (
  { call }: Pick<TestApp, 'call'>,
  { token }: Pick<Person, 'token'>,
  endpoint: string,
): Promise<Answer> => call('DELETE', path, { token, body: { endpoint } })

export const resolveEvent = (
  { call }: Pick<TestApp, 'call'>,
  { token }: Pick<Person, 'token'>,
  eventId: string,
): Promise<Answer> => call('GET', `/v1/consumer/notifications/${eventId}`, { token })

/** Devices as stored. */
export const devicesOf = ({ ctx }: Pick<TestApp, 'ctx'>, { accountId }: Person) =>
  ctx.db.transaction({ accountId }, (tx) =>
    tx.query<{ id: string; endpoint: string; isActive: boolean }>(sql`
      select id, endpoint, deactivated_at is null as "isActive" from push_subscriptions
      where account_id = ${accountId} order by id`),
  )

export type EventKey = { aggregateId: string; targetState: string }

/** The newest live event of an aggregate in that state. */
export async function eventOf(
  { database }: Pick<TestApp, 'database'>,
  { aggregateId, targetState }: EventKey,
): Promise<string> {
  const [row] = await database.asOwner<{ id: string }>(
    `select id from live_events where aggregate_id = $1 and target_state = $2
     order by transaction_id desc, seq desc limit 1`,
    [aggregateId, targetState],
  )
  if (!row) throw new Error(`There is no event of ${aggregateId} as ${targetState}`)
  return row.id
}

export type QueuedJob = {
  payload: JobPayloads['deliver_push']
  key: string
  queue: string
  /** Seconds from now. */
  seconds: number
}

/** Waiting deliveries; no worker runs. */
export const queuedJobs = ({ database }: Pick<TestApp, 'database'>): Promise<QueuedJob[]> =>
  database.asOwner<QueuedJob>(
    `select j.payload, j.key, q.queue_name as queue,
       extract(epoch from j.run_at - now())::float as seconds
     from graphile_worker._private_jobs j
     join graphile_worker._private_tasks t on t.id = j.task_id
     left join graphile_worker._private_job_queues q on q.id = j.job_queue_id
     where t.identifier = 'deliver_push' order by j.id`,
  )

export const clearQueuedJobs = ({ database }: Pick<TestApp, 'database'>) =>
  database.asOwner(
    `delete from graphile_worker._private_jobs where task_id =
       (select id from graphile_worker._private_tasks where identifier = 'deliver_push')`,
  )

/** A push service that records what it is given and answers as configured. */
export function fakePush(): PushService & {
  sent: PushMessage[]
  answers: PushOutcome[]
} {
  const sent: PushMessage[] = []
  const answers: PushOutcome[] = []
  return {
    sent,
    answers,
    publicKey: 'key',
    checkEndpoint: async () => 'allowed',
    async send(message) {
      sent.push(message)
      return answers.shift() ?? 'delivered'
    },
  }
}

/** Writes a payment's event without paying. */
export const recordPayment = (
  { ctx }: Pick<TestApp, 'ctx'>,
  {
    organizationId,
    paymentId,
    state,
  }: { organizationId: string; paymentId: string; state: string },
): Promise<void> =>
  ctx.db.transaction({ organizationId }, (tx) =>
    recordChange(ctx, tx, {
      organizationId,
      actor: SYSTEM,
      action: 'payment.confirmed',
      aggregateType: 'payment',
      aggregateId: paymentId,
      data: {},
      live: {
        kind: 'payment.changed',
        aggregateType: 'payment',
        targetState: state,
        severity: 'healthy',
        code: null,
      },
    }),
  )
