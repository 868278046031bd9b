/** Steps shared by the e-mail tests. */
import sql from 'sql-template-tag'
import type { Environment } from '#platform/config/config.ts'
import type { JobPayloads } from '#platform/jobs/jobs.ts'
import type { EmailMessage, EmailOutcome, Mailer } from '#ports/mailer.ts'
import type { Answer, Person, TestApp } from '#test/support/app.ts'

export const APP = 'https://app.example'
export const GATEWAY = 'https://web.example/unsubscribe'

export const emailEnvironment = (port = 1): Environment => ({
  SMTP_URL: `smtp://127.0.0.1:${port}`,
  EMAIL_FROM: 'Countersign <mail@countersign.example>',
  CONSUMER_APP_ORIGIN: APP,
  UNSUBSCRIBE_URL: GATEWAY,
})

/** As a session does from an ID token with a verified address. */
export const giveEmail = (
  { ctx }: Pick<TestApp, 'ctx'>,
  { accountId }: Pick<Person, 'accountId'>,
  { email, name = null }: { email: string | null; name?: string | null },
) =>
  ctx.db.transaction({ accountId }, (tx) =>
    tx.query(sql`
      insert into profiles (account_id, name, email, updated_at)
      values (${accountId}, ${name}, ${email}, ${ctx.clock.now()})
      on conflict (account_id) do update set name = excluded.name, email = excluded.email`),
  )

export const preferencesPath = '/v1/consumer/notification-preferences'

export const setPreferences = (
  { call }: Pick<TestApp, 'call'>,
  { token }: Pick<Person, 'token'>,
  preferences: readonly { category: string; push?: boolean; email?: boolean }[],
): Promise<Answer> => call('PUT', preferencesPath, { token, body: { preferences } })

export const readPreferences = (
  { call }: Pick<TestApp, 'call'>,
  { token }: Pick<Person, 'token'>,
): Promise<Answer> => call('GET', preferencesPath, { token })

export type QueuedEmail<Name extends 'deliver_email' | 'send_invitation_email'> = {
  payload: JobPayloads[Name]
  key: string
  queue: string | null
  /** Seconds from now. */
  seconds: number
}

/** Waiting jobs; no worker runs. */
export const queuedEmails = <Name extends 'deliver_email' | 'send_invitation_email'>(
  { database }: Pick<TestApp, 'database'>,
  job: Name,
): Promise<QueuedEmail<Name>[]> =>
  database.asOwner<QueuedEmail<Name>>(
    `select j.payload, j.key, q.queue_name as queue,
       extract(epoch from j.run_at - now())::float as seconds
     from graphile_worker._private_jobs j
     join graphile_worker._private_tasks t on t.id = j.task_id
     left join graphile_worker._private_job_queues q on q.id = j.job_queue_id
     where t.identifier = $1 order by j.id`,
    [job],
  )

export const clearJobs = ({ database }: Pick<TestApp, 'database'>) =>
  database.asOwner('delete from graphile_worker._private_jobs')

/** Rows of messages, oldest first. */
export const deliveriesOf = ({ database }: Pick<TestApp, 'database'>) =>
  database.asOwner<{ id: string; kind: string; outcome: string | null }>(
    'select id, kind, outcome from email_deliveries order by created_at',
  )

/** A mailer that records what it is given and answers as configured. */
export function fakeMailer(): Mailer & { sent: EmailMessage[]; answers: EmailOutcome[] } {
  const sent: EmailMessage[] = []
  const answers: EmailOutcome[] = []
  return {
    sent,
    answers,
    async send(message) {
      sent.push(message)
      return answers.shift() ?? 'accepted'
    },
  }
}
