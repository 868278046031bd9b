/** Changes to an audit trail by the owner of the tables that leave no broken link. */
import type { AuditContent } from '@countersign/proof/audit-trail.ts'
import { canonicalHash } from '@countersign/proof/digest.ts'
import type pg from 'pg'
import sql, { type Sql } from 'sql-template-tag'
import type { AuditQuery } from '#journal/audit.ts'
import { type AuditRow, auditPage } from '#journal/journal.store.ts'
import { auditDigest } from '#journal/journal.ts'
import { openOwnerPool } from '#platform/database/database.ts'
import { sha256 } from '#platform/digest.ts'

export type Owner = (statement: Sql) => Promise<AuditRow[]>

/** Removes the trail after `after` and sets the recorded head back. */
export async function cutTrail(
  owner: Owner,
  { organizationId, after }: { organizationId: string; after: number },
): Promise<void> {
  const of = sql`organization_id = ${organizationId}`
  await owner(sql`delete from audit_events where ${of} and seq > ${after}`)
  if (after === 0) {
    await owner(sql`delete from audit_heads where ${of}`)
    return
  }
  await owner(sql`update audit_heads set (seq, hash) = (
    select seq, hash from audit_events where ${of} and seq = ${after}) where ${of}`)
}

/** Replaces one event and recomputes every later digest, link and head. */
export async function replaceEvent(
  owner: Owner,
  { organizationId, seq, data }: { organizationId: string; seq: number; data: object },
): Promise<void> {
  const of = sql`organization_id = ${organizationId}`
  const rows = await owner(auditPage({ organizationId, afterSeq: 0, limit: 1_000 }))
  let previous: Buffer = Buffer.alloc(32)
  for (const row of rows) {
    const { seq: at, digest: _digest, hash: _hash, clockDifferenceMs: _ms, ...stored } = row
    const content: AuditContent = at === seq ? { ...stored, data } : stored
    const digest = auditDigest(content)
    previous = sha256(Buffer.concat([previous, digest]))
    await owner(sql`update audit_events set data = ${JSON.stringify(content.data)}::jsonb,
      digest = ${digest}, hash = ${previous} where ${of} and seq = ${at}`)
  }
  await owner(sql`update audit_heads set hash = ${previous} where ${of}`)
}

/** Rewrites a report together with its hash. */
export async function rewriteReport(
  owner: Owner,
  { reportId, output }: { reportId: string; output: unknown },
): Promise<string> {
  const reportHash = canonicalHash(output)
  await owner(sql`update reports set output = ${JSON.stringify(output)}::jsonb,
    report_hash = ${reportHash} where id = ${reportId}`)
  return reportHash
}

/** Tampers as the owner, verifies as the observer, and rolls back. */
export function createTampering(url: string) {
  const pool: pg.Pool = openOwnerPool({ url, max: 1 })
  return {
    async afterwards<T>(
      tamper: (owner: Owner) => Promise<unknown>,
      look: (query: AuditQuery) => Promise<T>,
    ): Promise<T> {
      const client = await pool.connect()
      const query = async <Row extends object>(statement: Sql) =>
        (await client.query(statement)).rows as unknown as Row[]
      try {
        await client.query('begin')
        await tamper(query)
        await client.query('set local role countersign_observer')
        return await look(query)
      } finally {
        await client.query('rollback')
        client.release()
      }
    },
    stop: () => pool.end(),
  }
}
