/** Ledger signature proofs while no chain is reachable: states and permissions. */
import { randomBytes, randomUUID } from 'node:crypto'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createFingerprint, type Fingerprint } from '#test/security/dump.ts'
import type { House } from '#test/security/house.ts'
import { fill, routes } from '#test/security/routes.ts'
import { startTestApp, type TestApp } from '#test/support/app.ts'
import { eip712Digest } from '#test/support/eip712.ts'
import {
  approvalBody,
  deploymentBody as deployment,
  evidenceOf,
  type Operator,
  openStage,
  operatorIn,
  type ProofStage,
  proofsOf,
} from '#test/support/ledger-proofs.ts'
import { auditTrail, outcome, times } from '#test/support/steps.ts'

let service: TestApp
let stage: ProofStage
let home: House
let other: House
let operator: Operator
let fingerprint: () => Promise<Fingerprint>

beforeAll(async () => {
  service = await startTestApp()
  stage = await openStage(service)
  ;({ home, other, operator, fingerprint } = stage)
})
afterAll(() => service.stop())

const randomHash = () => `0x${randomBytes(32).toString('hex')}`
const approval = () => approvalBody(stage)

/** Locks the row until it is released, so that all callers queue for it. */
async function holdProof(id: string): Promise<() => Promise<void>> {
  const client = new pg.Client(service.database.url)
  await client.connect()
  await client.query('begin')
  await client.query('select from countersign.ledger_proofs where id = $1 for update', [id])
  return () => client.end()
}

const waiting = async (): Promise<number> => {
  const rows = await service.database.asOwner(
    `select from pg_stat_activity
     where datname = current_database() and wait_event_type = 'Lock'`,
  )
  return rows.length
}

describe('listing', () => {
  test("shows an organization's proofs, newest first and by page", async () => {
    const made = [await operator.prepare(deployment()), await operator.prepare(deployment())]
    const [older = '', newer = ''] = made.map(({ body }) => body.id)
    const token = await service.operatorToken()
    const list = (query = '') =>
      service.call('GET', `${proofsOf(home.organization.id)}${query}`, { token })
    const { status, body } = await list('?limit=1')
    expect(status).toBe(200)
    expect(body.proofs).toEqual([made[1]?.body])
    const next = await list(`?limit=1&cursor=${body.nextCursor}`)
    expect(next.body.proofs.map(({ id }: { id: string }) => id)).toEqual([older])
    const elsewhere = await service.call('GET', proofsOf(other.organization.id), { token })
    expect(elsewhere.text).not.toContain(newer)
    const unknown = await service.call('GET', proofsOf(randomUUID()), { token })
    expect(outcome(unknown)).toBe('404 not_found')
    expect(outcome(await list('?cursor=x'))).toBe('400 validation_failed')
  })
})

describe('reading', () => {
  test('is 404 for an unknown proof and for one of another organization', async () => {
    const { body } = await operator.prepare(deployment())
    const elsewhere = await operatorIn(service, other.organization.id)
    expect(outcome(await elsewhere.read(body.id))).toBe('404 not_found')
    expect(outcome(await operator.read(randomUUID()))).toBe('404 not_found')
    const nowhere = await operatorIn(service, randomUUID())
    expect(outcome(await nowhere.read(body.id))).toBe('404 not_found')
  })

  test('is audited in the organization, or in the service for an unknown id', async () => {
    const { body } = await operator.prepare(deployment())
    await operator.read(body.id)
    const own = await auditTrail(service.database, home.organization.id)
    expect(own.at(-1)).toMatchObject({
      action: 'operator.read',
      actorRealm: 'admin',
      data: { operation: 'getLedgerProof', proofId: body.id },
    })
    const missing = randomUUID()
    await operator.read(missing)
    const trail = await service.database.asOwner(
      `select action, organization_id as organization from audit_events
       where data->>'proofId' = $1`,
      [missing],
    )
    expect(trail).toEqual([{ action: 'operator.read', organization: null }])
  })
})

describe('claiming', () => {
  test('succeeds for exactly one of six concurrent operators', async () => {
    const { body } = await operator.prepare(deployment())
    const operators = await Promise.all(times(6, () => operatorIn(service, home.organization.id)))
    const release = await holdProof(body.id)
    const claims = operators.map(({ claim }) => claim(body.id))
    await expect.poll(waiting).toBe(operators.length)
    await release()
    const answers = await Promise.all(claims)
    expect(answers.map(outcome).sort()).toEqual(['200', ...times(5, () => '409 state_conflict')])
    const claimed = answers.find(({ status }) => status === 200)
    expect(claimed?.body).toMatchObject({ state: 'claimed', id: body.id })
    const trail = await auditTrail(service.database, home.organization.id)
    const actions = trail.filter(({ aggregateId }) => aggregateId === body.id)
    expect(actions.map(({ action }) => action)).toEqual([
      'ledger_proof.prepared',
      'ledger_proof.claimed',
    ])
  })

  test('is 409 a second time, for the same operator too', async () => {
    const { id } = await operator.takeInHand(deployment())
    expect(outcome(await operator.claim(id))).toBe('409 state_conflict')
  })

  test('is 403 for an unknown proof and for one of another organization', async () => {
    const { body } = await operator.prepare(deployment())
    const elsewhere = await operatorIn(service, other.organization.id)
    expect(outcome(await elsewhere.claim(body.id))).toBe('403 forbidden')
    expect(outcome(await operator.claim(randomUUID()))).toBe('403 forbidden')
  })
})

describe('confirming', () => {
  test('is 400 invalid_transition before it is claimed', async () => {
    const { body } = await operator.prepare(deployment())
    expect(outcome(await operator.confirm(body.id, randomHash()))).toBe('400 invalid_transition')
    expect((await operator.read(body.id)).body.state).toBe('prepared')
  })

  test('is 403 for an operator who has not claimed it', async () => {
    const { id, intent } = await operator.takeInHand(approval())
    const another = await operatorIn(service, home.organization.id)
    expect(outcome(await another.confirm(id, intent.digest))).toBe('403 forbidden')
    expect((await operator.read(id)).body.state).toBe('claimed')
  })

  test('is 403 for an unknown proof', async () => {
    expect(outcome(await operator.confirm(randomUUID(), randomHash()))).toBe('403 forbidden')
  })

  test.each([
    ['in upper case', `0x${'AB'.repeat(32)}`],
    ['that is too short', '0x12'],
    ['without 0x', 'ab'.repeat(32)],
  ])('is 400 for a hash %s', async (_what, hash) => {
    const { id } = await operator.takeInHand(approval())
    expect(outcome(await operator.confirm(id, hash))).toBe('400 validation_failed')
  })

  test('is 503 while the chain is unavailable, and leaves it claimed', async () => {
    const { id } = await operator.takeInHand(deployment())
    const before = await fingerprint()
    expect(outcome(await operator.confirm(id, randomHash()))).toBe('503 dependency_unavailable')
    expect(await fingerprint()).toEqual(before)
  })

  test('an approval with its digest succeeds, and changes nothing when repeated', async () => {
    const { id, intent, intentHash } = await operator.takeInHand(approval())
    const digest = eip712Digest(intent.typedData)
    const confirmed = await operator.confirm(id, digest)
    expect(confirmed).toMatchObject({ status: 200, body: { state: 'confirmed' } })
    expect(evidenceOf(confirmed)).toMatchObject({ outcome: 'match', digest, intentHash })
    expect(confirmed.body).not.toHaveProperty('transactionHash')
    const before = await fingerprint()
    expect((await operator.confirm(id, digest)).body).toEqual(confirmed.body)
    expect(await fingerprint()).toEqual(before)
    expect(outcome(await operator.confirm(id, randomHash()))).toBe('400 invalid_transition')
    expect(await fingerprint()).toEqual(before)
  })

  test('an approval with another digest fails it', async () => {
    const { id } = await operator.takeInHand(approval())
    const failed = await operator.confirm(id, randomHash())
    expect(failed.body).toMatchObject({ state: 'failed', errorCode: 'digest_mismatch' })
    expect(evidenceOf(failed).outcome).toBe('mismatch')
    expect((await operator.read(id)).body).toEqual(failed.body)
    const trail = await auditTrail(service.database, home.organization.id)
    const last = trail.findLast(({ action }) => action === 'ledger_proof.failed')
    expect(last).toMatchObject({ aggregateId: id, data: { errorCode: 'digest_mismatch' } })
  })
})

describe('in production', () => {
  let production: TestApp
  let token: string

  beforeAll(async () => {
    const config = { ...service.ctx.config, production: true }
    production = await startTestApp({ replace: { config } })
    token = await production.operatorToken()
  })
  afterAll(() => production.stop())

  test.each([
    ['POST', '', { body: {} }],
    ['POST', '', { raw: '{"kind":' }],
    ['POST', '', { raw: `"${'x'.repeat(70_000)}"` }],
    ['GET', `/${randomUUID()}`, {}],
    ['GET', '/not-a-uuid', {}],
    ['POST', `/${randomUUID()}/claim`, {}],
    ['POST', `/${randomUUID()}/confirm`, { body: { hash: 'x' } }],
  ] as const)('%s %s is 403 before anything is read', async (method, end, call) => {
    const watching = await createFingerprint(production.database)
    const before = await watching()
    const url = `${proofsOf('not-a-uuid')}${end}`
    const answer = await production.call(method, url, { token, ...call })
    expect(outcome(answer)).toBe('403 non_production_only')
    expect(await watching()).toEqual(before)
  })

  test('no route of the proofs is forgotten', async () => {
    const found = routes.filter(({ template }) => template.includes('/integration-proofs/'))
    expect(found).toHaveLength(5)
    const anyIds = { organizationId: randomUUID(), id: randomUUID() }
    for (const { method, template } of found) {
      const answer = await production.call(method, fill(template, anyIds), { token })
      expect(outcome(answer), template).toBe('403 non_production_only')
    }
  })

  test('a caller without a token is 401, and a consumer 403, as everywhere', async () => {
    const url = `${proofsOf(randomUUID())}/${randomUUID()}`
    expect(outcome(await production.call('GET', url))).toBe('401 unauthenticated')
    const { token: consumer } = await production.signIn()
    const refused = await production.call('GET', url, { token: consumer })
    expect(outcome(refused)).toBe('403 realm_mismatch')
  })
})
