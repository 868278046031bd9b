/** One open stream: what it may see, how far it is, and writing to it. */
import { encodeCursor, isBefore, type Position } from './cursor.ts'
import { eventFrame, placeFrame } from './frames.ts'
import type { LiveEventRow, Viewer } from './live.store.ts'
import { type LiveEvent, toLiveEvent } from './live-event.ts'

/** Where the bytes go. It cuts itself off when the client takes too little of them. */
export type Outlet = {
  write(bytes: Buffer): void
  /** A last comment, and the end. */
  end(bytes: Buffer): void
  /** Resolves when the client has taken what was written, or is gone. */
  drained(): Promise<void>
  readonly isOpen: boolean
}

export type Ending =
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
  viewer: Viewer
  outlet: Outlet
  epoch: string
  /** Everything up to here that it may see was written. */
  position: Position
  /** While it catches up, what the tail has brought meanwhile. */
  held: LiveEventRow[] | undefined
  /** Of the token. */
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

/** Rows in order, already chosen for this viewer; what was written before is passed over. */
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

/** A client that is cut off before its first event knows where to go on. */
export const writePlace = (secrets: Key, stream: LiveStream): void =>
  stream.outlet.write(placeFrame(cursorOf(secrets, stream)))

export type ResetCode = 'cursor_unknown' | 'cursor_expired' | 'role_changed'

/** The client reads the snapshot again; it may go on from there, or just stay. */
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
