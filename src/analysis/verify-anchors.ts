/**
 * Verifies the anchors of the audit trail. Every report names the trail's head just before it, and
 * a payment repeats its report's hash on chain, so events up to that head cannot be changed or
 * removed without contradicting a report or the chain.
 */
import { canonicalHash } from '@countersign/proof/digest.ts'
import { isHash } from '@countersign/proof/values.ts'
import type { AuditQuery, ChainProblem, TrailEnd } from '#journal/audit.ts'
import { listTrailHashes, type TrailHead } from '#journal/journal.store.ts'
import { listStoredReports, type StoredReport } from './analysis.store.ts'

/** A `PaymentExecuted` log of one of the organization's vaults, as a node reports it. */
export type PaymentOnChain = {
  organizationId: string
  reportHash: string
  transactionHash: string
  blockNumber: number
}

/** The last event that a payment on chain anchors; 0 when none does. */
export type AnchoredTrail = TrailEnd & { upTo: number; payment: PaymentOnChain | undefined }

const PAGE = 500

const headOf = ({ output }: StoredReport): TrailHead | undefined => output.auditHead

const isHead = ({ sequence, hash }: TrailHead): boolean =>
  Number.isSafeInteger(sequence) && sequence > 0 && isHash(hash)

/** Undefined when the report's hash is correct and its head is on the trail. */
function problemOf(report: StoredReport, trail: ReadonlyMap<number, string>): string | undefined {
  const { id, reportHash, output } = report
  if (canonicalHash(output) !== reportHash) return `report ${id} was changed after it was written`
  const head = headOf(report)
  if (!head) return undefined
  if (!isHead(head)) return `report ${id} names an invalid head`
  const hash = trail.get(head.sequence)
  if (hash === undefined)
    return `report ${id} names this event as its head, but the event is missing`
  return hash === head.hash ? undefined : `report ${id} names a different event as its head`
}

async function readTrail(
  query: AuditQuery,
  { organizationId, reports }: { organizationId: string; reports: readonly StoredReport[] },
): Promise<Map<number, string>> {
  const heads = reports.flatMap((report) => headOf(report) ?? []).filter(isHead)
  const sequences = [...new Set(heads.map(({ sequence }) => sequence))]
  const rows = await query<TrailHead>(listTrailHashes({ organizationId, sequences }))
  return new Map(rows.map(({ sequence, hash }) => [sequence, hash]))
}

async function* reportPages(query: AuditQuery, organizationId: string) {
  let afterId: string | null = null
  for (;;) {
    const page = listStoredReports({ organizationId, afterId, limit: PAGE })
    const reports: StoredReport[] = await query<StoredReport>(page)
    yield reports
    afterId = reports.at(-1)?.id ?? null
    if (reports.length < PAGE) return
  }
}

const unknownReport = (payment: PaymentOnChain): ChainProblem => ({
  organizationId: payment.organizationId,
  seq: null,
  problem:
    `payment ${payment.transactionHash} in block ${payment.blockNumber} names the report hash ` +
    `${payment.reportHash}, which no report in the database has`,
})

async function verifyOrganization(
  query: AuditQuery,
  { trail, payments }: { trail: TrailEnd; payments: readonly PaymentOnChain[] },
): Promise<{ vouched: AnchoredTrail; problems: ChainProblem[] }> {
  const organizationId = trail.organizationId ?? ''
  const onChain = new Map(payments.map((payment) => [payment.reportHash, payment]))
  const known = new Set<string>()
  const problems: ChainProblem[] = []
  let vouched: AnchoredTrail = { ...trail, upTo: 0, payment: undefined }
  for await (const reports of reportPages(query, organizationId)) {
    const hashes = await readTrail(query, { organizationId, reports })
    for (const report of reports) {
      const payment = onChain.get(report.reportHash)
      const problem = problemOf(report, hashes)
      const seq = headOf(report)?.sequence ?? null
      if (problem) {
        const paid = payment ? `; payment ${payment.transactionHash} on chain names it` : ''
        problems.push({ organizationId, seq, problem: problem + paid })
      }
      if (payment) known.add(report.reportHash)
      if (payment && !problem && seq !== null && seq > vouched.upTo) {
        vouched = { ...vouched, upTo: seq, payment }
      }
    }
  }
  const unknown = payments.filter(({ reportHash }) => !known.has(reportHash)).map(unknownReport)
  return { vouched, problems: [...problems, ...unknown] }
}

/** Call it in the snapshot that verified the trail; read the payments before it. */
export async function verifyAnchors(
  query: AuditQuery,
  { trails, payments }: { trails: readonly TrailEnd[]; payments: readonly PaymentOnChain[] },
): Promise<{ vouched: AnchoredTrail[]; problems: ChainProblem[] }> {
  const byOrganization = Map.groupBy(payments, ({ organizationId }) => organizationId)
  const vouched: AnchoredTrail[] = []
  const problems: ChainProblem[] = []
  for (const trail of trails) {
    if (trail.organizationId === null) continue
    const own = byOrganization.get(trail.organizationId) ?? []
    byOrganization.delete(trail.organizationId)
    const found = await verifyOrganization(query, { trail, payments: own })
    vouched.push(found.vouched)
    problems.push(...found.problems)
  }
  const ofUnknownOrganizations = [...byOrganization.values()].flat().map(unknownReport)
  return { vouched, problems: [...problems, ...ofUnknownOrganizations] }
}
