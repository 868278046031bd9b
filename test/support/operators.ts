/** An operator's requests, and the audit events they leave. */
import { expect } from 'vitest'
import type { Answer, Organization, Person, TestApp } from './app.ts'
import type { AuditEvent } from './steps.ts'

export type Operator = { token: string; accountId: string }

export async function signInOperator(service: TestApp): Promise<Operator> {
  const token = await service.operatorToken()
  const me = await service.call('GET', '/v1/admin/me', { token })
  expect(me.status).toBe(200)
  return { token, accountId: me.body.account.id }
}

/** As the owner, unless another person is given. */
export const openCase = (
  { call }: Pick<TestApp, 'call'>,
  organization: Organization,
  { person = organization.owner, ...body }: { person?: Person } & Record<string, unknown> = {},
): Promise<Answer> =>
  call('POST', `${organization.path}/support-cases`, {
    token: person.token,
    body: { subject: 'It does not arrive', ...body },
  })

export const addNote = (
  { call }: Pick<TestApp, 'call'>,
  { token }: Pick<Operator, 'token'>,
  caseId: string,
  body: Record<string, unknown> = {},
): Promise<Answer> =>
  call('POST', `/v1/admin/support-cases/${caseId}/notes`, {
    token,
    body: { body: 'We are looking.', ...body },
  })

/** Everything an operator has left in any audit trail, in order of writing. */
export const operatorTrail = (
  { database }: Pick<TestApp, 'database'>,
  { accountId }: Operator,
): Promise<(AuditEvent & { organizationId: string | null })[]> =>
  database.asOwner(
    `select seq::integer, organization_id as "organizationId", action,
       aggregate_type as "aggregateType", aggregate_id as "aggregateId",
       actor_realm as "actorRealm", actor_account_id as "actorAccountId",
       request_id as "requestId", data
     from audit_events where actor_account_id = $1 order by id`,
    [accountId],
  )
