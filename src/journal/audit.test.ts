import type { AuditContent } from '@countersign/proof/audit-trail.ts'
import type { Sql } from 'sql-template-tag'
import { describe, expect, test } from 'vitest'
import { sha256 } from '#platform/digest.ts'
import { type AuditQuery, type KeptHead, verifyAudit } from './audit.ts'
import { type AuditRow, auditChains } from './journal.store.ts'
import { auditDigest } from './journal.ts'

const ONE = '0198a000-0000-7000-8000-000000000001'
const TWO = '0198a000-0000-7000-8000-000000000002'
/** More than one page. */
const MANY = 2_000

type Trail = { organizationId: string | null; rows: AuditRow[]; hasEnd?: boolean }

/** Events that are linked as the database links them. */
function trailOf(
  organizationId: string | null,
  count: number,
  clockDifferences: readonly (number | null)[] = [],
): Trail {
  const rows: AuditRow[] = []
  let hash: Buffer = Buffer.alloc(32)
  for (let seq = 1; seq <= count; seq += 1) {
    const content: AuditContent = {
      ...{ id: `${organizationId}/${seq}`, organizationId, action: 'recipient.added' },
      ...{ actorRealm: 'system', actorAccountId: null, aggregateType: 'recipient' },
      ...{ aggregateId: `${seq}`, data: {}, requestId: null },
      occurredAt: '2026-05-01T12:00:00.000Z',
    }
    const digest = auditDigest(content)
    hash = sha256(Buffer.concat([hash, digest]))
    const clockDifferenceMs = clockDifferences[seq - 1] ?? null
    rows.push({ ...content, seq, digest, hash, clockDifferenceMs })
  }
  return { organizationId, rows }
}

const QUERIES_MAX = 50

/** The statement names the service's own trail by its text, not by a value. */
const pageOf = ({ values }: Sql): [string | null, number, number] =>
  (values.length === 2 ? [null, ...values] : values) as [string | null, number, number]

/** Answers the two statements of the verification as the database would. */
const databaseOf = (...trails: readonly Trail[]): AuditQuery => {
  let queries = 0
  return async <Row extends object>(statement: Sql) => {
    queries += 1
    if (queries > QUERIES_MAX) throw new Error('The verification does not end')
    const [organizationId, afterSeq, limit] = pageOf(statement)
    const found =
      statement.text === auditChains().text
        ? trails.map(({ organizationId: id, rows, hasEnd = true }) => {
            const end = hasEnd ? rows.at(-1) : undefined
            return { organizationId: id, seq: end?.seq ?? null, hash: end?.hash ?? null }
          })
        : trails
            .find((trail) => trail.organizationId === organizationId)
            ?.rows.filter(({ seq }) => seq > afterSeq)
            .slice(0, limit)
    return found as unknown as Row[]
  }
}

const headOf = ({ rows }: Trail, seq: number): { sequence: number; hash: string } => ({
  sequence: seq,
  hash: `0x${rows[seq - 1]?.hash.toString('hex')}`,
})

test('counts the events and names the end of every trail', async () => {
  const verdict = await verifyAudit(databaseOf(trailOf(null, 2), trailOf(ONE, 3)))
  expect(verdict).toEqual({
    chains: 2,
    events: 5,
    trails: [
      { organizationId: null, sequence: 2 },
      { organizationId: ONE, sequence: 3 },
    ],
    problems: [],
    clockNotes: [],
  })
})

test.each([
  ['that ends with a page', MANY],
  ['that ends within a page', MANY + 1],
])('a trail %s is read to its end', async (_name, count) => {
  const trail = trailOf(ONE, count)
  const last = trail.rows.at(-1)
  if (last) last.digest = sha256(last.digest)
  const { events, problems } = await verifyAudit(databaseOf(trailOf(null, 1), trail))
  expect(events).toBe(count + 1)
  expect(problems).toEqual([{ organizationId: ONE, seq: count, problem: 'the event was changed' }])
})

describe('an empty trail', () => {
  test('is what a new service has', async () => {
    expect((await verifyAudit(databaseOf(trailOf(null, 0)))).problems).toEqual([])
  })

  test('is a problem once an organization exists', async () => {
    const { problems } = await verifyAudit(databaseOf(trailOf(null, 0), trailOf(ONE, 0)))
    expect(problems).toEqual(
      [null, ONE].map((organizationId) => ({
        ...{ organizationId, seq: null, problem: 'the trail is empty' },
      })),
    )
  })

  test('of which the end is known is reported once', async () => {
    const cut = trailOf(ONE, 2)
    const query = databaseOf(trailOf(null, 1), cut)
    const { problems } = await verifyAudit(async (statement) =>
      statement.values[0] === ONE ? [] : query(statement),
    )
    expect(problems).toEqual([
      {
        organizationId: ONE,
        seq: 0,
        problem: 'the trail ends at 0, but its recorded end is 2',
      },
    ])
  })
})

test('a trail without a recorded end is not complete', async () => {
  const trail = { ...trailOf(ONE, 2), hasEnd: false }
  const { problems } = await verifyAudit(databaseOf(trailOf(null, 1), trail))
  expect(problems).toEqual([
    { organizationId: ONE, seq: 2, problem: 'the trail ends at 2, but its recorded end is 0' },
  ])
})

describe('clocks', () => {
  test('that differ by a minute are not mentioned', async () => {
    const trail = trailOf(ONE, 3, [60_000, -60_000, null])
    expect((await verifyAudit(databaseOf(trailOf(null, 1), trail))).clockNotes).toEqual([])
  })

  test('that differ by more are, with the first event, their number and the most', async () => {
    const trail = trailOf(ONE, 5, [0, 60_001, -90_000, 60_000, 70_000])
    expect((await verifyAudit(databaseOf(trailOf(null, 1), trail))).clockNotes).toEqual([
      { organizationId: ONE, events: 3, firstSeq: 2, largestMs: 90_000 },
    ])
  })
})

describe('a kept head', () => {
  const service = trailOf(null, 2)
  const [one, two] = [trailOf(ONE, 4), trailOf(TWO, 3)]
  const problemsOf = async (kept: KeptHead) =>
    (await verifyAudit(databaseOf(service, one, two), { kept: [kept] })).problems

  test.each<[string, KeptHead]>([
    ['with its organization', { organizationId: ONE, ...headOf(one, 3) }],
    ['without one', headOf(two, 2)],
    ["of the service's own trail", { organizationId: null, ...headOf(service, 1) }],
  ])('%s is found', async (_name, kept) => {
    expect(await problemsOf(kept)).toEqual([])
  })

  test.each<[string, KeptHead, object]>([
    [
      'of another hash',
      { organizationId: ONE, ...headOf(one, 3), hash: headOf(one, 2).hash },
      { organizationId: ONE, seq: 3, problem: 'the event does not match the kept head' },
    ],
    [
      "of another organization's event",
      { organizationId: ONE, ...headOf(two, 3) },
      { organizationId: ONE, seq: 3, problem: 'the event does not match the kept head' },
    ],
    [
      'at the end, of another hash',
      { organizationId: TWO, ...headOf(one, 3) },
      { organizationId: TWO, seq: 3, problem: 'the event does not match the kept head' },
    ],
    [
      'after the end',
      { organizationId: TWO, ...headOf(one, 4) },
      { organizationId: TWO, seq: 4, problem: 'the trail ends at 3, before the kept head' },
    ],
    [
      'of an organization that is gone',
      { organizationId: 'gone', ...headOf(one, 1) },
      { organizationId: 'gone', seq: null, problem: 'the whole organization is missing' },
    ],
    [
      'of no trail',
      { sequence: 3, hash: '0x00' },
      {
        organizationId: null,
        seq: null,
        problem: 'no trail has the kept head 3:0x00: one was cut, changed or removed',
      },
    ],
  ])('%s is reported', async (_name, kept, problem) => {
    expect(await problemsOf(kept)).toEqual([problem])
  })
})
