/** One open stream: its viewer, its position, and writing to it. */
import { encodeCursor, isBefore, type Position } from './cursor.ts'
import { cursorFrame, eventFrame } from './frames.ts'
import type { LiveEventRow, Viewer } from './live.store.ts'
import { type LiveEvent, toLiveEvent } from './live-event.ts'

/** Where the bytes go. It disconnects a client that reads too slowly. */
export type StreamSink = {
  write(bytes: Buffer): void
  /** Writes a last comment and ends the stream. */
  end(bytes: Buffer): void
  /** Resolves when the client has read everything written so far, or has disconnected. */
  drained(): Promise<void>
  readonly isOpen: boolean
}

export type StreamEnding =
  | 'left'
  | 'lifetime'
  | 'replaced'
  | 'access'
  | 'token'
  | 'slow'
  | 'restored'
  | 'trouble'
  | 'stopping'

export type LiveStream = {
  /** In `open_streams`. */
  id: string
  viewer: Viewer
  outlet: StreamSink
  epoch: string
  /** Every visible event up to here was written. */
  position: Position
  /** Rows from the tail, buffered while the stream catches up. */
  held: LiveEventRow[] | undefined
  /** Expiry of the access token. */
  expiresAtSeconds: number
  endsAt: number
  keepaliveAt: number
}

/** The same rule as in the statements of `live.store.ts`. */
export const maySee = ({ seesAll, accountId }: Viewer, row: LiveEventRow): boolean =>
  seesAll || row.kind === 'service.changed' || row.accountId === accountId

type Key = { cursorKey: Uint8Array }

export const frameOf = (secrets: Key, row: LiveEventRow, { viewer, epoch }: LiveStream): Buffer =>
  eventFrame(toLiveEvent(secrets, row, { epoch, scope: viewer.scope }))

/** Takes rows in order, already filtered for this viewer, and skips those written before. */
export function writeRows(secrets: Key, stream: LiveStream, rows: readonly LiveEventRow[]): number {
  const fresh = rows.filter((row) => isBefore(stream.position, row))
  const last = fresh.at(-1)
  if (!last) return 0
  stream.outlet.write(Buffer.concat(fresh.map((row) => frameOf(secrets, row, stream))))
  stream.position = { transactionId: last.transactionId, seq: last.seq }
  return fresh.length
}

const cursorOf = ({ cursorKey }: Key, { viewer, epoch, position }: LiveStream): string =>
  encodeCursor(cursorKey, { epoch, scope: viewer.scope, position })

/** Lets a client that is disconnected before its first event resume. */
export const writeCursor = (secrets: Key, stream: LiveStream): void =>
  stream.outlet.write(cursorFrame(cursorOf(secrets, stream)))

export type ResetCode = 'cursor_unknown' | 'cursor_expired' | 'role_changed'

/** Tells the client to read the snapshot again. The stream itself may stay open. */
export function writeReset(
  secrets: Key,
  stream: LiveStream,
  { id, code, occurredAt }: { id: string; code: ResetCode; occurredAt: string },
): void {
  const { realm, organizationId } = stream.viewer.scope
  const event: LiveEvent = {
    id,
    cursor: cursorOf(secrets, stream),
    organizationId,
    audience: realm,
    kind: 'stream.reset',
    aggregateType: 'service',
    aggregateId: 'live',
    targetState: null,
    severity: 'healthy',
    code,
    occurredAt,
  }
  stream.outlet.write(eventFrame(event))
}
