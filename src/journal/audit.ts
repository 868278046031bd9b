/** Verifies the audit trail: every event's digest, every link, no gap, and the recorded end. */
import type { Sql } from 'sql-template-tag'
import { sha256 } from '#platform/digest.ts'
import { type AuditRow, auditChains, auditPage } from './journal.store.ts'
import { auditDigest } from './journal.ts'

/** Runs a statement as the schema's owner, who alone may read every organization's trail. */
export type OwnerQuery = <Row>(statement: Sql) => Promise<Row[]>

export type ChainProblem = { organizationId: string | null; seq: number; problem: string }
export type AuditVerdict = { chains: number; events: number; problems: ChainProblem[] }

type Chain = { organizationId: string | null; seq: number | null; hash: Buffer | null }
type End = { seq: number; hash: Buffer }

const PAGE = 1_000
const GENESIS: End = { seq: 0, hash: Buffer.alloc(32) }

function problemOf(row: AuditRow, previous: End): string | undefined {
  const { seq, digest, hash, ...content } = row
  if (seq !== previous.seq + 1) return `an event is missing after ${previous.seq}`
  if (!auditDigest(content).equals(digest)) return 'the event was changed'
  if (!sha256(Buffer.concat([previous.hash, digest])).equals(hash)) return 'the link is broken'
  return undefined
}

/** Goes on behind a problem: one known break must not hide whatever comes after it. */
async function verifyChain(query: OwnerQuery, chain: Chain): Promise<[End, ChainProblem[]]> {
  const { organizationId } = chain
  const problems: ChainProblem[] = []
  let end = GENESIS
  for (;;) {
    const rows = await query<AuditRow>(
      auditPage({ organizationId, afterSeq: end.seq, limit: PAGE }),
    )
    for (const row of rows) {
      const problem = problemOf(row, end)
      if (problem) problems.push({ organizationId, seq: row.seq, problem })
      end = { seq: row.seq, hash: row.hash }
    }
    if (rows.length < PAGE) break
  }
  const recorded = { seq: chain.seq ?? 0, hash: chain.hash ?? GENESIS.hash }
  const isWhole = recorded.seq === end.seq && recorded.hash.equals(end.hash)
  if (!isWhole) {
    const problem = `the trail ends at ${end.seq}, but ${recorded.seq} was recorded`
    problems.push({ organizationId, seq: end.seq, problem })
  }
  return [end, problems]
}

/** Give it a query inside one repeatable-read transaction: the trail grows while it is read. */
export async function verifyAudit(query: OwnerQuery): Promise<AuditVerdict> {
  const chains = await query<Chain>(auditChains())
  let events = 0
  const problems: ChainProblem[] = []
  for (const chain of chains) {
    const [end, found] = await verifyChain(query, chain)
    events += end.seq
    problems.push(...found)
  }
  return { chains: chains.length, events, problems }
}
