/** A small audit trail, as an organization exports it, and forged versions of it. */
import {
  type AuditContent,
  TRAIL_START,
  type TrailEventLine,
  toTrailLine,
  trailDigestOf,
  trailHashOf,
} from '@countersign/proof/audit-trail.ts'
import { checkTrail, type TrailPins } from '@countersign/proof/check-trail.ts'

export const OWN = '0198c0de-0000-7000-8000-0000000000aa'
export const OTHER = '0198c0de-0000-7000-8000-0000000000bb'
export const EVENTS = 6

export const idAt = (n: number) => `0198c0de-0000-7000-8000-${String(n).padStart(12, '0')}`

export const contentAt = (n: number, more: Partial<AuditContent> = {}): AuditContent => ({
  id: idAt(n),
  organizationId: OWN,
  action: 'recipient.added',
  actorRealm: 'consumer',
  actorAccountId: idAt(900),
  aggregateType: 'recipient',
  aggregateId: idAt(100 + n),
  // A raw line separator, which some readers of lines would split at.
  data: { label: `Payee ${n}\u2028 & Söhne`, amount: n },
  requestId: n === 1 ? null : `request-${n}`,
  occurredAt: `2026-11-16T10:00:0${n}.000Z`,
  ...more,
})

/** A trail in which every digest and hash is right. */
export function chain(contents: readonly AuditContent[]): TrailEventLine[] {
  let previous: string = TRAIL_START
  return contents.map((event, index) => {
    const digest = trailDigestOf(event)
    const hash = trailHashOf(previous, digest)
    previous = hash
    return { sequence: index + 1, event, digest, hash }
  })
}

export const contents = Array.from({ length: EVENTS }, (_, n) => contentAt(n + 1))
export const genuine = chain(contents)
export const at = (lines: readonly TrailEventLine[], n: number): TrailEventLine => {
  const line = lines[n - 1]
  if (!line) throw new Error(`There is no event ${n}`)
  return line
}
export const headOf = (lines: readonly TrailEventLine[]) => {
  const { sequence, hash, event } = at(lines, lines.length)
  const { organizationId, occurredAt } = event
  return { head: { organizationId: organizationId ?? '', sequence, hash, at: occurredAt } }
}
export const kept = (n: number) => ({ sequence: n, hash: at(genuine, n).hash })

export const fileOf = (lines: readonly TrailEventLine[], head: object = headOf(lines)): string =>
  [...lines.map(toTrailLine), toTrailLine(head as never)].join('')

async function* chunksOf(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size)
}

export const check = (file: string | Uint8Array, pins: TrailPins = {}, chunk = 4_096) =>
  checkTrail(
    chunksOf(typeof file === 'string' ? new TextEncoder().encode(file) : file, chunk),
    pins,
  )

export const changed = (n: number, more: Partial<TrailEventLine>) =>
  genuine.map((line) => (line.sequence === n ? { ...line, ...more } : line))

export const rewritten = (n: number, more: Partial<AuditContent>) =>
  chain(contents.map((content, index) => (index + 1 === n ? { ...content, ...more } : content)))
