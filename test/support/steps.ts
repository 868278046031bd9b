/** Steps shared by the HTTP tests. */
import { randomBytes, randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import type { Answer, Organization, Person, TestApp } from './app.ts'
import type { TestDatabase } from './database.ts'

export const CHAIN_ID = 31_337

export const freshKey = (): Record<string, string> => ({ 'idempotency-key': randomUUID() })

export const randomAddress = (): string => `0x${randomBytes(20).toString('hex')}`

/** '201', or '409 duplicate': the status, and the error code of a refusal. */
export const outcome = ({ status, body }: Answer): string =>
  status < 400 ? String(status) : `${status} ${body?.error?.code}`

/** How often each outcome occurred. */
export function tally(answers: readonly Answer[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const answer of answers) counts[outcome(answer)] = (counts[outcome(answer)] ?? 0) + 1
  return counts
}

export const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index))

type Service = Pick<TestApp, 'call'>

/** As the owner, unless another token is given. */
export const invite = (
  { call }: Service,
  organization: Organization,
  {
    role = 'employee',
    email,
    token = organization.owner.token,
    headers = freshKey(),
  }: { role?: string; email?: string; token?: string; headers?: Record<string, string> } = {},
): Promise<Answer> =>
  call('POST', `${organization.path}/invitations`, {
    token,
    body: { role, ...(email !== undefined && { email }) },
    headers,
  })

export const accept = ({ call }: Service, person: Person, inviteToken: string): Promise<Answer> =>
  call('POST', `/v1/consumer/invitations/${inviteToken}/accept`, { token: person.token })

export const addRecipient = (
  { call }: Service,
  organization: Organization,
  {
    token = organization.owner.token,
    address = randomAddress(),
    label = 'Acme Supplies',
    headers = freshKey(),
  } = {},
): Promise<Answer> =>
  call('POST', `${organization.path}/recipients`, {
    token,
    body: { label, address, chainId: CHAIN_ID },
    headers,
  })

export type ListedMember = {
  membershipId: string
  accountId: string
  role: string
  status: string
  displayName: string | null
  /** As owners see it. */
  email?: string | null
  wallets: { id: string; address: string; kind: string }[]
  walletRoles: { id: string; walletId: string; role: string; active: boolean }[]
}

/** The members as the owner sees them. */
export async function membersOf(
  { call }: Service,
  { path, owner }: Organization,
): Promise<ListedMember[]> {
  const { body } = await call('GET', `${path}/members?limit=200`, { token: owner.token })
  return body.members
}

/** The newest membership of the person in the organization. */
export async function membershipOf(
  service: Service,
  organization: Organization,
  { accountId }: Person,
): Promise<ListedMember> {
  const found = (await membersOf(service, organization)).find(
    (member) => member.accountId === accountId,
  )
  expect(found).toBeDefined()
  return found as ListedMember
}

export const revokeMember = (
  { call }: Service,
  organization: Organization,
  membershipId: string,
  token = organization.owner.token,
): Promise<Answer> => call('POST', `${organization.path}/members/${membershipId}/revoke`, { token })

export type AuditEvent = {
  seq: number
  action: string
  aggregateType: string
  aggregateId: string
  actorRealm: string
  actorAccountId: string | null
  requestId: string | null
  data: Record<string, unknown>
}

/** One organization's audit trail in order; null for events without one. */
export const auditTrail = (
  database: TestDatabase,
  organizationId: string | null,
  { afterSeq = 0 } = {},
): Promise<AuditEvent[]> =>
  database.asOwner<AuditEvent>(
    `select seq::integer, action, aggregate_type as "aggregateType",
       aggregate_id as "aggregateId", actor_realm as "actorRealm",
       actor_account_id as "actorAccountId", request_id as "requestId", data
     from audit_events where organization_id is not distinct from $1 and seq > $2 order by seq`,
    [organizationId, afterSeq],
  )

export type LiveEvent = {
  kind: string
  aggregateType: string
  aggregateId: string
  audience: string
  targetState: string | null
  severity: string
  code: string | null
}

/** One organization's live events in order; the owner's row security must be lifted. */
export const liveTrail = (database: TestDatabase, organizationId: string): Promise<LiveEvent[]> =>
  database.asOwner<LiveEvent>(
    `select kind, aggregate_type as "aggregateType", aggregate_id as "aggregateId", audience,
       target_state as "targetState", severity, code
     from live_events where organization_id = $1 order by seq`,
    [organizationId],
  )

/** Lets the owner see and change every row of this test's database; the service gains nothing. */
export async function liftOwnersRowSecurity(
  database: TestDatabase,
): Promise<{ restore(): Promise<void> }> {
  const tables = await database.asOwner<{ name: string }>(
    `select relname as name from pg_class
     where relnamespace = 'countersign'::regnamespace and relforcerowsecurity`,
  )
  // One by one: a transaction that locks them all could wait for one that the service has locked.
  const alter = async (what: 'no force' | 'force') => {
    for (const { name } of tables) {
      await database.asOwner(`alter table ${name} ${what} row level security`)
    }
  }
  await alter('no force')
  return { restore: () => alter('force') }
}

/** What the service and its workers add to revisions, for those that a test wrote itself. */
export async function indexRevisions({ asOwner }: TestDatabase): Promise<void> {
  await asOwner(`update expense_revisions set amount_key = lpad(amount::text, 39, '0')
    where amount_key is null`)
  await asOwner(
    `insert into expense_words (organization_id, word, expense_id, revision)
     select distinct r.organization_id, left(w.word, 60), r.expense_id, r.revision
     from expense_revisions r,
       string_to_table(revision_words(r.purpose, r.reference, r.recipient_label), ' ') w (word)
     where w.word <> '' order by 3, 4, 2 on conflict do nothing`,
  )
}
