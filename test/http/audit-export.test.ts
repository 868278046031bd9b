/** The export of an organization's audit trail, and its offline check. */
import { checkTrail, type TrailPins } from '@countersign/proof/check-trail.ts'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { SYSTEM } from '#journal/actor.ts'
import { recordChanges } from '#journal/journal.ts'
import {
  createOrganization,
  joinOrganization,
  type Organization,
  startTestApp,
  type TestApp,
} from '#test/support/app.ts'
import { addRecipient, auditTrail, outcome, times } from '#test/support/steps.ts'

let service: TestApp
let organization: Organization

beforeAll(async () => {
  service = await startTestApp()
  organization = await createOrganization(service)
})
afterAll(() => service.stop())

const exportOf = (of: Organization, token = of.owner.token) =>
  service.call('GET', `${of.path}/exports/audit.jsonl`, { token })

const headOf = async ({ path, owner }: Organization) =>
  (await service.call('GET', `${path}/audit-head`, { token: owner.token })).body

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text)
}

const check = (text: string, pins?: TrailPins) => checkTrail(bytesOf(text), pins)

const linesOf = (text: string) =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))

/** As a command would, in one transaction. */
const writeEvents = ({ id: organizationId }: Organization, count: number) =>
  service.ctx.db.transaction({ organizationId }, (tx) =>
    recordChanges(
      service.ctx,
      tx,
      times(count, (n) => ({
        organizationId,
        actor: SYSTEM,
        action: 'recipient.added',
        aggregateType: 'recipient',
        aggregateId: `recipient-${n}`,
        data: { label: `Payee ${n}` },
      })),
    ),
  )

describe('GET exports/audit.jsonl', () => {
  test('is a download of every event and the head, and verifies', async () => {
    await addRecipient(service, organization, { label: 'Ünal & Söhne, 東京 \u2728' })
    const answer = await exportOf(organization)
    expect(answer.status).toBe(200)
    const head = await headOf(organization)
    const name = `audit-${organization.id}-${head.sequence}.jsonl`
    expect(answer.headers).toMatchObject({
      'content-type': 'application/x-ndjson; charset=utf-8',
      'content-disposition': `attachment; filename="${name}"`,
      'cache-control': 'private, no-store',
      'x-content-type-options': 'nosniff',
    })
    const lines = linesOf(answer.text)
    expect(lines).toHaveLength(head.sequence + 1)
    expect(lines.at(-1)).toEqual({ head: { organizationId: organization.id, ...head } })
    expect(await check(answer.text, { organizationId: organization.id })).toMatchObject({
      verdict: 'consistent',
      problems: [],
      events: head.sequence,
    })
  })

  test('contains its own event, by the owner who asked', async () => {
    const { text } = await exportOf(organization)
    expect(linesOf(text).at(-2)).toMatchObject({
      event: {
        action: 'audit_trail.exported',
        actorAccountId: organization.owner.accountId,
        actorRealm: 'consumer',
        aggregateType: 'audit_trail',
        aggregateId: organization.id,
        data: { format: 'jsonl' },
      },
    })
    const trail = await auditTrail(service.database, organization.id)
    expect(trail.at(-1)).toMatchObject({ action: 'audit_trail.exported' })
  })

  test('is confirmed by a head kept earlier, and cut before one kept later', async () => {
    const earlier = await headOf(organization)
    const { text } = await exportOf(organization)
    expect(await check(text, { heads: [earlier] })).toMatchObject({ verdict: 'confirmed' })
    await addRecipient(service, organization)
    const later = await headOf(organization)
    const { verdict, problems } = await check(text, { heads: [later] })
    expect(verdict).toBe('refused')
    expect(problems[0]?.problem).toContain('before the kept head')
  })

  test('does not verify after somebody has changed the database', async () => {
    const harmed = await createOrganization(service)
    await addRecipient(service, harmed)
    await service.database.asOwner(`alter table audit_events no force row level security`)
    await service.database.asOwner(
      `update audit_events set data = '{"label":"Mallory"}'
       where organization_id = $1 and action = 'recipient.added'`,
      [harmed.id],
    )
    const { text } = await exportOf(harmed)
    const { verdict, problems } = await check(text)
    expect(verdict).toBe('refused')
    expect(problems).toMatchObject([{ sequence: 3, problem: expect.stringContaining('changed') }])
  })

  test('is exact over many pages while others add events', async () => {
    const busy = await createOrganization(service)
    await writeEvents(busy, 650)
    const [answer] = await Promise.all([
      exportOf(busy),
      ...times(10, () => addRecipient(service, busy)),
    ])
    const checked = await check(answer?.text ?? '')
    expect(checked).toMatchObject({ verdict: 'consistent', problems: [] })
    expect(checked.events).toBeGreaterThan(652)
    const { sequence } = await headOf(busy)
    const later = await check((await exportOf(busy)).text)
    expect(later).toMatchObject({ problems: [], events: sequence + 1 })
  })

  test('refuses other roles and tenants, and records nothing', async () => {
    const manager = await joinOrganization(service, organization, { role: 'manager' })
    const stranger = await service.signIn()
    const before = await headOf(organization)
    expect(outcome(await exportOf(organization, manager.token))).toBe('403 role_required')
    expect(outcome(await exportOf(organization, stranger.token))).toBe('403 forbidden')
    expect(await headOf(organization)).toEqual(before)
  })

  test('answers 500 without data when the event cannot be recorded', async () => {
    const { asOwner } = service.database
    await asOwner('revoke insert on audit_events from countersign_app')
    try {
      const answer = await exportOf(organization)
      expect(answer.status).toBe(500)
      expect(answer.text).not.toContain('recipient')
    } finally {
      await asOwner('grant insert on audit_events to countersign_app')
    }
  })

  test('is limited to ten a minute and account', async () => {
    const own = await createOrganization(service)
    const answers = []
    for (const _ of times(11, () => 0)) answers.push(outcome(await exportOf(own)))
    expect(answers).toEqual([...times(10, () => '200'), '429 rate_limited'])
  })
})

test('a failure in the middle breaks the download off before the head line', async () => {
  const own = await createOrganization(service)
  await writeEvents(own, 250)
  const { db } = service.api
  const { read } = db
  let pages = 0
  const failing = vi.spyOn(db, 'read').mockImplementation((scope, work) =>
    read(scope, (reader) =>
      work({
        query: async (statement) => {
          if (statement.text.includes('seq <= ')) pages += 1
          if (pages === 2) throw new Error('the disk is gone')
          return reader.query(statement)
        },
      }),
    ),
  )
  try {
    await expect(exportOf(own)).rejects.toThrow()
    expect(pages).toBe(2)
  } finally {
    failing.mockRestore()
  }
})
