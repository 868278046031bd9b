import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import {
  type Answer,
  type Call,
  createOrganization,
  joinOrganization,
  type Person,
  startTestApp,
  type TestApp,
} from '#test/support/app.ts'
import {
  auditTrail,
  CHAIN_ID,
  freshKey,
  invite,
  liftOwnersRowSecurity,
  membershipOf,
  outcome,
  randomAddress,
} from '#test/support/steps.ts'

let service: TestApp

beforeAll(async () => {
  service = await startTestApp()
  await liftOwnersRowSecurity(service.database)
  await service.database.asOwner(`
    create function sabotage() returns trigger language plpgsql
    as $$ begin raise exception 'the disk is gone'; end $$`)
})
afterAll(() => service.stop())

/** Runs the whole command and then fails its commit. */
const failCommits = () =>
  service.database.asOwner(`
    create constraint trigger sabotage after insert on audit_events
    deferrable initially deferred for each row execute function sabotage()`)

const repair = () => service.database.asOwner('drop trigger if exists sabotage on audit_events')
afterEach(repair)

/** A digest of every row in every table, including the job queue, but not of request counters. */
async function everything(): Promise<Record<string, string>> {
  const tables = await service.database.asOwner<{ name: string }>(
    `select format('%I.%I', n.nspname, c.relname) as name
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where c.relkind = 'r' and (n.nspname = 'countersign' or c.relname = '_private_jobs')
       and c.relname <> 'rate_leases'`,
  )
  const digests: Record<string, string> = {}
  for (const { name } of tables) {
    const [row] = await service.database.asOwner<{ digest: string }>(
      `select count(*) || ' ' || md5(string_agg(t::text, ';' order by t::text)) as digest
       from ${name} t`,
    )
    digests[name] = row?.digest ?? ''
  }
  return digests
}

type Operation = {
  method: string
  url: string
  person: Pick<Person, 'token' | 'accountId'>
  call?: Call
  /** Null for the trail without an organization; undefined for the trail of a new one. */
  organizationId?: string | null
}
type Prepared = { operation: Operation; rows: (answer: Answer) => [string, unknown][] }

const furnished = async () => {
  const wallets = [{ address: randomAddress(), kind: 'external' as const }]
  const owner = await service.signIn(undefined, wallets)
  const organization = await createOrganization(service, owner)
  const { path, id: organizationId } = organization
  const on = (url: string, call: Call = {}, person = owner): Operation => ({
    method: 'POST',
    url: `${path}/${url}`,
    person,
    call,
    organizationId,
  })
  return { organization, owner, on, walletId: owner.walletIds[0] ?? '' }
}

const payee = () => ({ label: 'Acme', address: randomAddress(), chainId: CHAIN_ID })

async function withWalletRole() {
  const room = await furnished()
  const { ownerMembershipId: membershipId, path } = room.organization
  const body = { membershipId, walletId: room.walletId, role: 'approver' }
  const { token } = room.owner
  const assigned = await service.call('POST', `${path}/wallet-roles`, { token, body })
  return { ...room, walletRoleId: assigned.body.id }
}

const operations: Record<string, () => Promise<Prepared>> = {
  'POST organizations': async () => ({
    operation: {
      method: 'POST',
      url: '/v1/consumer/organizations',
      person: await service.signIn(),
      call: { body: { name: 'Acme' } },
    },
    rows: ({ body }) => [
      ['organization.created', body.id],
      ['membership.created', expect.any(String)],
    ],
  }),
  'POST invitations': async () => {
    const { on } = await furnished()
    return {
      operation: on('invitations', { body: { role: 'manager' }, headers: freshKey() }),
      rows: ({ body }) => [['invitation.created', body.id]],
    }
  },
  'POST invitations revoke': async () => {
    const { organization, on } = await furnished()
    const { id } = (await invite(service, organization)).body
    return {
      operation: on(`invitations/${id}/revoke`),
      rows: () => [['invitation.revoked', id]],
    }
  },
  'POST invitations accept': async () => {
    const { organization } = await furnished()
    const { id, inviteToken } = (await invite(service, organization)).body
    return {
      operation: {
        method: 'POST',
        url: `/v1/consumer/invitations/${inviteToken}/accept`,
        person: await service.signIn(),
        organizationId: organization.id,
      },
      rows: () => [
        ['invitation.accepted', id],
        ['membership.created', expect.any(String)],
      ],
    }
  },
  'POST wallet-roles': async () => {
    const { organization, on, walletId } = await furnished()
    const { ownerMembershipId: membershipId } = organization
    return {
      operation: on('wallet-roles', { body: { membershipId, walletId, role: 'approver' } }),
      rows: ({ body }) => [['wallet_role.assigned', body.id]],
    }
  },
  'POST wallet-roles revoke': async () => {
    const { on, walletRoleId } = await withWalletRole()
    return {
      operation: on(`wallet-roles/${walletRoleId}/revoke`),
      rows: () => [['wallet_role.revoked', walletRoleId]],
    }
  },
  'POST members revoke': async () => {
    const { organization, on } = await furnished()
    const wallets = [{ address: randomAddress(), kind: 'external' as const }]
    const person = await service.signIn(undefined, wallets)
    await joinOrganization(service, organization, { role: 'manager', person })
    const { membershipId } = await membershipOf(service, organization, person)
    const { path, owner } = organization
    const assigned = await service.call('POST', `${path}/wallet-roles`, {
      token: owner.token,
      body: { membershipId, walletId: person.walletIds[0], role: 'approver' },
    })
    const invited = await invite(service, organization, { token: person.token })
    return {
      operation: on(`members/${membershipId}/revoke`),
      rows: () => [
        ['membership.revoked', membershipId],
        ['wallet_role.revoked', assigned.body.id],
        ['invitation.revoked', invited.body.id],
      ],
    }
  },
  'POST recipients': async () => {
    const { on } = await furnished()
    return {
      operation: on('recipients', { body: payee(), headers: freshKey() }),
      rows: ({ body }) => [['recipient.added', body.id]],
    }
  },
  'POST recipients deactivate': async () => {
    const { organization, owner, on } = await furnished()
    const added = await service.call('POST', `${organization.path}/recipients`, {
      token: owner.token,
      body: payee(),
      headers: freshKey(),
    })
    return {
      operation: on(`recipients/${added.body.id}/deactivate`),
      rows: () => [['recipient.deactivated', added.body.id]],
    }
  },
}

const run = ({ method, url, person, call = {} }: Operation, requestId: string) =>
  service.call(method, url, {
    ...call,
    token: person.token,
    headers: { ...call.headers, 'x-request-id': requestId },
  })

const allRows = () =>
  service.database.asOwner<{ requestId: string | null }>(
    'select request_id as "requestId" from audit_events',
  )

describe.each(Object.entries(operations))('%s', (_name, prepare) => {
  test('leaves no trace when its commit fails, and its audit rows when it succeeds', async () => {
    const { operation, rows } = await prepare()
    const before = await everything()
    await failCommits()
    const failed = await run(operation, randomUUID())
    expect(outcome(failed)).toBe('500 internal')
    expect(failed.text).not.toContain('disk')
    expect(await everything()).toEqual(before)

    await repair()
    const known = (await allRows()).length
    const requestId = randomUUID()
    const answer = await run(operation, requestId)
    expect(answer.status).toBeLessThan(300)
    const { organizationId = answer.body.id } = operation
    const trail = await auditTrail(service.database, organizationId)
    const expected = rows(answer)
    expect(trail.slice(-expected.length)).toEqual(
      expected.map(([action, aggregateId]) => ({
        seq: expect.any(Number),
        action,
        aggregateId,
        aggregateType: action.split('.')[0],
        actorRealm: 'consumer',
        actorAccountId: operation.person.accountId,
        requestId,
        data: expect.any(Object),
      })),
    )
    expect((await allRows()).length).toBe(known + expected.length)
  })

  test('writes nothing when it is refused', async () => {
    const { operation } = await prepare()
    const before = await everything()
    const refused = await service.call(operation.method, operation.url, {
      ...operation.call,
      token: operation.person.token,
      body: { unexpected: true },
    })
    expect(outcome(refused)).toBe('400 validation_failed')
    expect(await everything()).toEqual(before)
  })
})
