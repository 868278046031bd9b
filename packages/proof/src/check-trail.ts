/**
 * Checks an exported audit trail without the service or its database. The trail is read line by
 * line, so that a browser can check a large file. Pure.
 */
import {
  type AuditContent,
  TRAIL_START,
  type TrailEventLine,
  type TrailHeadLine,
  toTrailLine,
  trailDigestOf,
  trailHashOf,
} from './audit-trail.ts'
import { linesIn, UnreadableText } from './text-lines.ts'
import { isHash, isTimestamp, isUuid } from './values.ts'

/** A head that somebody kept. `organizationId` undefined: they did not note whose it is. */
export type KeptTrailHead = { organizationId?: string | null; sequence: number; hash: string }

export type TrailPins = {
  /** The organization whose trail the file must be. */
  organizationId?: string
  heads?: readonly KeptTrailHead[]
}

/** `line` and `sequence` are null when the problem concerns the whole file. */
export type TrailProblem = { line: number | null; sequence: number | null; problem: string }

export type CheckedTrail = {
  /** `consistent`: the file agrees with itself, and no kept head was compared. */
  verdict: 'confirmed' | 'consistent' | 'refused'
  organizationId: string | null
  events: number
  firstAt: string | null
  lastAt: string | null
  /** The first hundred; `problemCount` counts all. */
  problems: TrailProblem[]
  problemCount: number
  /** Kept heads that the file has. */
  confirmedHeads: KeptTrailHead[]
  /** Kept heads of other organizations, which say nothing about this file. */
  otherHeads: number
  /** What this check cannot show. */
  notShown: string[]
}

const PROBLEMS_MAX = 100

const EVENT_FIELDS = 'digest,event,hash,sequence'
const CONTENT_FIELDS =
  'action,actorAccountId,actorRealm,aggregateId,aggregateType,data,id,occurredAt,' +
  'organizationId,requestId'
const HEAD_FIELDS = 'at,hash,organizationId,sequence'

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const hasFields = (value: unknown, fields: string): value is Record<string, unknown> =>
  isObject(value) && Object.keys(value).sort().join() === fields
const isText = (value: unknown): value is string => typeof value === 'string'
const isLowerHash = (value: unknown): value is string => isHash(value) && !/[A-F]/.test(value)
const isSequence = (value: unknown): value is number =>
  Number.isSafeInteger(value) && Number(value) > 0

function isContent(value: unknown): value is AuditContent {
  if (!hasFields(value, CONTENT_FIELDS)) return false
  const { id, organizationId, actorAccountId, requestId, occurredAt, data } = value
  const { action, actorRealm, aggregateType, aggregateId } = value
  return (
    [id, organizationId, actorAccountId ?? id].every(isUuid) &&
    [action, actorRealm, aggregateType, aggregateId, requestId ?? ''].every(isText) &&
    isTimestamp(occurredAt) &&
    isObject(data)
  )
}

const isEventLine = (value: unknown): value is TrailEventLine =>
  hasFields(value, EVENT_FIELDS) &&
  isSequence(value.sequence) &&
  isContent(value.event) &&
  isLowerHash(value.digest) &&
  isLowerHash(value.hash)

function isHeadLine(value: unknown): value is TrailHeadLine {
  if (!hasFields(value, 'head') || !hasFields(value.head, HEAD_FIELDS)) return false
  const { organizationId, sequence, hash, at } = value.head
  return isUuid(organizationId) && isSequence(sequence) && isLowerHash(hash) && isTimestamp(at)
}

/** Undefined for a line that the service does not write. */
function parseLine(text: string): TrailEventLine | TrailHeadLine | undefined {
  try {
    const value: unknown = JSON.parse(text)
    if (!isEventLine(value) && !isHeadLine(value)) return undefined
    return toTrailLine(value) === `${text}\n` ? value : undefined
  } catch {
    return undefined
  }
}

const missing = (from: number, to: number): string =>
  from === to ? `event ${from} is missing` : `events ${from} to ${to} are missing`

type Place = { sequence: number; hash: string; at: string | null }

type Reading = {
  pins: TrailPins
  organizationId: string | null
  /** The last event in order, to which the next one must be linked. */
  end: Place
  head: TrailHeadLine['head'] | undefined
  lines: number
  events: number
  firstAt: string | null
  problems: TrailProblem[]
  problemCount: number
  /** Kept heads by sequence, and those that an event has matched. */
  wanted: Map<number, KeptTrailHead[]>
  found: Set<KeptTrailHead>
}

function startReading(pins: TrailPins): Reading {
  const wanted = new Map<number, KeptTrailHead[]>()
  for (const head of pins.heads ?? []) {
    wanted.set(head.sequence, [...(wanted.get(head.sequence) ?? []), head])
  }
  return {
    pins,
    organizationId: pins.organizationId?.toLowerCase() ?? null,
    end: { sequence: 0, hash: TRAIL_START, at: null },
    head: undefined,
    lines: 0,
    events: 0,
    firstAt: null,
    problems: [],
    problemCount: 0,
    wanted,
    found: new Set(),
  }
}

type About = { sequence?: number; isWhole?: true }

function report(reading: Reading, problem: string, { sequence, isWhole }: About = {}): void {
  reading.problemCount += 1
  if (reading.problems.length >= PROBLEMS_MAX) return
  const line = isWhole ? null : reading.lines
  reading.problems.push({ line, sequence: sequence ?? null, problem })
}

function checkOwner(reading: Reading, owner: string | null, about: About = {}): void {
  reading.organizationId ??= owner
  if (owner !== reading.organizationId) {
    report(reading, `it belongs to organization ${owner}`, about)
  }
}

function checkPlace(reading: Reading, { sequence, digest, hash }: TrailEventLine): void {
  const problem = placeProblem(reading.end, { sequence, digest, hash })
  if (problem) report(reading, problem, { sequence })
}

function placeProblem(
  end: Place,
  { sequence, digest, hash }: Omit<TrailEventLine, 'event'>,
): string | undefined {
  if (sequence === end.sequence + 1) {
    const follows = trailHashOf(end.hash, digest) === hash
    return follows ? undefined : 'its hash does not follow from the event before it'
  }
  if (sequence > end.sequence) return missing(end.sequence + 1, sequence - 1)
  const how = sequence === end.sequence ? 'a second time' : `after event ${end.sequence}`
  return `it appears ${how}: events were repeated, inserted or moved`
}

function readEvent(reading: Reading, line: TrailEventLine): void {
  const { sequence, event, digest, hash } = line
  reading.events += 1
  reading.firstAt ??= event.occurredAt
  checkOwner(reading, event.organizationId, { sequence })
  if (trailDigestOf(event) !== digest) {
    report(reading, 'it was changed: its digest is not that of its fields', { sequence })
  }
  checkPlace(reading, line)
  for (const kept of reading.wanted.get(sequence) ?? []) {
    if (kept.hash === hash) reading.found.add(kept)
  }
  // The stated hash, so that one broken link does not break all later ones.
  if (sequence > reading.end.sequence) reading.end = { sequence, hash, at: event.occurredAt }
}

function readHead(reading: Reading, { head }: TrailHeadLine): void {
  const { end } = reading
  reading.head = head
  checkOwner(reading, head.organizationId)
  if (head.sequence > end.sequence) {
    report(reading, `the file was cut: ${missing(end.sequence + 1, head.sequence)}`)
  } else if (head.sequence !== end.sequence || head.hash !== end.hash || head.at !== end.at) {
    report(reading, 'the head line is not that of the last event')
  }
}

function readLine(reading: Reading, text: string): void {
  reading.lines += 1
  const line = parseLine(text)
  if (reading.head) report(reading, 'the line follows the head line, which must be the last')
  else if (!line) report(reading, 'the line is not one that the service writes')
  else if ('head' in line) readHead(reading, line)
  else readEvent(reading, line)
}

function conclude(reading: Reading): CheckedTrail {
  const { organizationId, end, found, pins, events, firstAt, problems } = reading
  const isWhole = true
  if (!reading.head) {
    report(reading, 'the file was cut: its last line must be the head of the trail', { isWhole })
  }
  const { heads = [] } = pins
  const own = heads.filter((kept) => isOwn(kept, organizationId))
  for (const kept of own.filter((one) => !found.has(one))) {
    report(reading, headProblem(kept, end.sequence), { sequence: kept.sequence, isWhole })
  }
  if (heads.length > 0 && own.length === 0) {
    report(reading, 'no kept head is of this organization', { isWhole })
  }
  const confirmedHeads = own.filter((kept) => found.has(kept))
  const unrefuted = confirmedHeads.length > 0 ? 'confirmed' : 'consistent'
  const isPinned = pins.organizationId !== undefined
  return {
    verdict: reading.problemCount > 0 ? 'refused' : unrefuted,
    organizationId,
    events,
    firstAt,
    lastAt: end.at,
    problems,
    problemCount: reading.problemCount,
    confirmedHeads,
    otherHeads: heads.length - own.length,
    notShown: notShown({ end: end.sequence, confirmedHeads, isPinned }),
  }
}

const isOwn = (kept: KeptTrailHead, organizationId: string | null): boolean =>
  kept.organizationId === undefined || kept.organizationId === organizationId

function headProblem({ sequence }: KeptTrailHead, end: number): string {
  if (sequence > end) {
    return `the file ends at event ${end}, before the kept head: it was cut, or exported earlier`
  }
  return 'it does not have the hash of the kept head: it or an event before it was replaced'
}

/** The limits of a check that has nothing but the file and the kept heads. */
function notShown({
  end,
  confirmedHeads,
  isPinned,
}: {
  end: number
  confirmedHeads: readonly KeptTrailHead[]
  isPinned: boolean
}): string[] {
  const upTo = Math.max(0, ...confirmedHeads.map(({ sequence }) => sequence))
  const newer = `events ${upTo + 1} to ${end} are those that the service recorded`
  return [
    ...(isPinned || upTo > 0 ? [] : ['that the file is of the organization that you mean']),
    ...(upTo === 0
      ? ['that the service wrote the file: only a kept head shows that it was not computed anew']
      : []),
    ...(upTo > 0 && upTo < end ? [`that ${newer}: no kept head is as new`] : []),
    `that nothing was recorded after event ${end}`,
    'that an event is true: the trail shows what the service recorded, and when its clock said so',
  ]
}

/**
 * Pass the bytes of the file as they arrive, such as `file.stream()` in a browser. The check
 * continues after a problem, so that one does not hide another.
 */
export async function checkTrail(
  chunks: AsyncIterable<Uint8Array>,
  pins: TrailPins = {},
): Promise<CheckedTrail> {
  const reading = startReading(pins)
  try {
    for await (const line of linesIn(chunks)) readLine(reading, line)
  } catch (error) {
    if (!(error instanceof UnreadableText)) throw error
    report(reading, `the file cannot be read: ${error.message}`, { isWhole: true })
  }
  return conclude(reading)
}
