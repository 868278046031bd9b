/** Verifies the audit trail: digests, links, gaps, the recorded end, and kept heads. */
import type { Sql } from 'sql-template-tag'
import { sha256 } from '#platform/digest.ts'
import {
  type AuditRow,
  auditChains,
  auditHeads,
  auditPage,
  type TrailHead,
} from './journal.store.ts'
import { auditDigest } from './journal.ts'

/** Runs a statement with a login that may read every organization's trail (the observer). */
export type AuditQuery = <Row extends object>(statement: Sql) => Promise<Row[]>

/** `seq` is null when the problem concerns no single event. */
export type ChainProblem = { organizationId: string | null; seq: number | null; problem: string }

/** Events whose time by the application's clock differs widely from the database's. */
export type ClockNote = {
  organizationId: string | null
  events: number
  firstSeq: number
  largestMs: number
}

export type TrailEnd = { organizationId: string | null; sequence: number }

export type AuditVerdict = {
  chains: number
  trails: TrailEnd[]
  events: number
  problems: ChainProblem[]
  clockNotes: ClockNote[]
}

/**
 * A head kept outside the database. `organizationId` undefined: unknown; null: the service's own
 * trail.
 */
export type KeptHead = TrailHead & { organizationId?: string | null }

type Chain = { organizationId: string | null; seq: number | null; hash: Buffer | null }
type End = { seq: number; hash: Buffer }

const PAGE = 1_000
const GENESIS: End = { seq: 0, hash: Buffer.alloc(32) }
const CLOCK_TOLERANCE_MS = 60_000

const hex = (hash: Buffer): string => `0x${hash.toString('hex')}`

function problemOf(row: AuditRow, previous: End): string | undefined {
  const { seq, digest, hash, clockDifferenceMs: _ms, ...content } = row
  if (seq !== previous.seq + 1) return `an event is missing after ${previous.seq}`
  if (!auditDigest(content).equals(digest)) return 'the event was changed'
  if (!sha256(Buffer.concat([previous.hash, digest])).equals(hash)) return 'the link is broken'
  return undefined
}

/** Collects clock differences while one chain is read. */
function createClockCount(organizationId: string | null) {
  let note: ClockNote | undefined
  return {
    add({ seq, clockDifferenceMs }: AuditRow): void {
      const ms = Math.abs(clockDifferenceMs ?? 0)
      if (ms <= CLOCK_TOLERANCE_MS) return
      note ??= { organizationId, events: 0, firstSeq: seq, largestMs: 0 }
      note.events += 1
      note.largestMs = Math.max(note.largestMs, ms)
    },
    notes: (): ClockNote[] => (note ? [note] : []),
  }
}

type ChainWalk = { end: End; problems: ChainProblem[]; clockNotes: ClockNote[] }

/** Continues after a problem, so that one known break does not hide later ones. */
async function verifyChain(
  query: AuditQuery,
  { chain, visit }: { chain: Chain; visit: (row: AuditRow) => void },
): Promise<ChainWalk> {
  const { organizationId } = chain
  const problems: ChainProblem[] = []
  const clock = createClockCount(organizationId)
  let end = GENESIS
  for (;;) {
    const page = auditPage({ organizationId, afterSeq: end.seq, limit: PAGE })
    const rows = await query<AuditRow>(page)
    for (const row of rows) {
      const problem = problemOf(row, end)
      if (problem) problems.push({ organizationId, seq: row.seq, problem })
      clock.add(row)
      visit(row)
      end = { seq: row.seq, hash: row.hash }
    }
    if (rows.length < PAGE) break
  }
  const recorded = { seq: chain.seq ?? 0, hash: chain.hash ?? GENESIS.hash }
  const isComplete = recorded.seq === end.seq && recorded.hash.equals(end.hash)
  if (!isComplete) {
    const problem = `the trail ends at ${end.seq}, but its recorded end is ${recorded.seq}`
    problems.push({ organizationId, seq: end.seq, problem })
  }
  return { end, problems, clockNotes: clock.notes() }
}

/**
 * Creating an organization writes its first event, and creating its owner's account the first event
 * of the service's trail. So once an organization exists, no trail is empty.
 */
function emptyProblems({ trails, problems }: AuditVerdict): ChainProblem[] {
  if (trails.length === 1) return []
  const isNamed = (id: string | null) => problems.some((one) => one.organizationId === id)
  return trails
    .filter(({ organizationId, sequence }) => sequence === 0 && !isNamed(organizationId))
    .map(({ organizationId }) => ({ organizationId, seq: null, problem: 'the trail is empty' }))
}

/** Checks kept heads while the chains are read. */
function createHeadCheck(kept: readonly KeptHead[]) {
  const wanted = Map.groupBy(kept, ({ sequence }) => sequence)
  const found = new Set<KeptHead>()
  return {
    visit({ organizationId, seq, hash }: AuditRow): void {
      for (const head of wanted.get(seq) ?? []) {
        const isHere = head.organizationId === undefined || head.organizationId === organizationId
        if (isHere && head.hash === hex(hash)) found.add(head)
      }
    },
    problems: (trails: readonly TrailEnd[]): ChainProblem[] =>
      kept.filter((head) => !found.has(head)).map((head) => missingHead(head, trails)),
  }
}

function missingHead(head: KeptHead, trails: readonly TrailEnd[]): ChainProblem {
  const { organizationId, sequence: seq, hash } = head
  if (organizationId === undefined) {
    const problem = `no trail has the kept head ${seq}:${hash}: one was cut, changed or removed`
    return { organizationId: null, seq: null, problem }
  }
  const trail = trails.find((one) => one.organizationId === organizationId)
  if (!trail) return { organizationId, seq: null, problem: 'the whole organization is missing' }
  const problem =
    trail.sequence < seq
      ? `the trail ends at ${trail.sequence}, before the kept head`
      : 'the event does not match the kept head'
  return { organizationId, seq, problem }
}

/** Pass a query of one snapshot, because the trail grows while it is read. */
export async function verifyAudit(
  query: AuditQuery,
  { kept = [] }: { kept?: readonly KeptHead[] } = {},
): Promise<AuditVerdict> {
  const heads = createHeadCheck(kept)
  const verdict: AuditVerdict = { chains: 0, trails: [], events: 0, problems: [], clockNotes: [] }
  for (const chain of await query<Chain>(auditChains())) {
    const { end, problems, clockNotes } = await verifyChain(query, { chain, visit: heads.visit })
    verdict.trails.push({ organizationId: chain.organizationId, sequence: end.seq })
    verdict.chains += 1
    verdict.events += end.seq
    verdict.problems.push(...problems)
    verdict.clockNotes.push(...clockNotes)
  }
  verdict.problems.push(...emptyProblems(verdict), ...heads.problems(verdict.trails))
  return verdict
}

export type OwnedHead = TrailHead & { organizationId: string | null }

/** Heads to keep outside the database; pass them to `verifyAudit` later. */
export const readHeads = (query: AuditQuery): Promise<OwnedHead[]> => query<OwnedHead>(auditHeads())
