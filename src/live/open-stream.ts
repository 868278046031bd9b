/**
 * Runs a stream from its cursor to its end. Missed events are read in the caller's scope, then the
 * stream joins the tail. It joins while the last page is read, so that no event is lost, and skips
 * what it has written, so that none is sent twice.
 */
import type { Context } from '#context.ts'
import type { Actor } from '#journal/actor.ts'
import { recordPolledRead } from '#journal/record-read.ts'
import type { Tx } from '#platform/database/database.ts'
import { decodeCursor, isBefore, type Position } from './cursor.ts'
import type { Hub, HubContext } from './hub.ts'
import { findLiveEnd, type LiveEventRow, listEventsAfter, type Viewer } from './live.store.ts'
import {
  type LiveStream,
  maySee,
  type ResetCode,
  type StreamEnding,
  type StreamSink,
  writeCursor,
  writeReset,
  writeRows,
} from './live-stream.ts'
import { findLiveState } from './streams.store.ts'

export type StreamRequest = {
  viewer: Viewer
  cursor: string | undefined
  expiresAtSeconds: number
  /** Called once the request can no longer be rejected. */
  openOutlet: (onClose: (ending: StreamEnding) => void) => StreamSink
}

/**
 * Events in order. A page that is not full is complete for all transactions before `settledBelow`.
 */
type Page = { rows: LiveEventRow[]; settledBelow: bigint }
type StreamStart = { epoch: string; position: Position; page: Page; reset: ResetCode | undefined }

const PAGE_ROWS = 500

const readInScope = <T>(
  { db, observerDb }: Pick<Context, 'db' | 'observerDb'>,
  { scope, accountId }: Viewer,
  work: (tx: Tx) => Promise<T>,
): Promise<T> =>
  scope.realm === 'admin'
    ? observerDb.transaction({}, work)
    : db.transaction({ organizationId: scope.organizationId, accountId }, work)

/** Checks the horizon after reading, so that no event was pruned before it was read. */
async function readPage(
  tx: Tx,
  { viewer, epoch, position }: { viewer: Viewer; epoch: string; position: Position },
): Promise<Page | 'cursor_unknown' | 'cursor_expired'> {
  const { settledBelow } = await findLiveState(tx)
  const rows = await listEventsAfter(tx, viewer, { after: position, limit: PAGE_ROWS })
  const now = await findLiveState(tx)
  if (now.epoch !== epoch || position.transactionId >= settledBelow) return 'cursor_unknown'
  return isBefore(position, now.horizon) ? 'cursor_expired' : { rows, settledBelow }
}

async function startAtEnd(
  tx: Tx,
  { scope }: Viewer,
  reset: ResetCode | undefined,
): Promise<StreamStart> {
  const { settledBelow } = await findLiveState(tx)
  const { epoch, position } = await findLiveEnd(tx, scope)
  return { epoch, position, page: { rows: [], settledBelow }, reset }
}

const findStart = (
  ctx: Pick<Context, 'db' | 'observerDb' | 'secrets'>,
  { viewer, cursor }: Pick<StreamRequest, 'viewer' | 'cursor'>,
): Promise<StreamStart> =>
  readInScope(ctx, viewer, async (tx) => {
    if (cursor === undefined) return startAtEnd(tx, viewer, undefined)
    const { epoch } = await findLiveState(tx)
    const { scope } = viewer
    const position = decodeCursor(ctx.secrets.cursorKey, cursor, { epoch, scope })
    if (!position) return startAtEnd(tx, viewer, 'cursor_unknown')
    const page = await readPage(tx, { viewer, epoch, position })
    return typeof page === 'string'
      ? startAtEnd(tx, viewer, page)
      : { epoch, position, page, reset: undefined }
  })

/** Reads page by page, at the client's pace, until the tail covers the rest. */
async function catchUp(
  ctx: HubContext,
  hub: Hub,
  { stream, page }: { stream: LiveStream; page: Page },
): Promise<void> {
  const tail = await hub.start()
  let next = page
  let joinedAt: Position | undefined
  for (;;) {
    const sent = writeRows(ctx.secrets, stream, next.rows)
    ctx.metrics.eventsSent({ sent })
    if (!joinedAt && next.rows.length < PAGE_ROWS) {
      if (tail.epoch !== stream.epoch) return hub.leave(stream, 'restored')
      stream.held = []
      hub.join(stream)
      joinedAt = tail.position
    }
    const isLastPage = next.rows.length < PAGE_ROWS
    if (isLastPage && joinedAt && joinedAt.transactionId < next.settledBelow) break
    await stream.outlet.drained()
    if (!stream.outlet.isOpen) return
    const read = await readInScope(ctx, stream.viewer, (tx) => readPage(tx, stream))
    if (typeof read === 'string') return hub.leave(stream, 'restored')
    next = read
  }
  const held = (stream.held ?? []).filter((row) => maySee(stream.viewer, row))
  stream.held = undefined
  ctx.metrics.eventsSent({ sent: writeRows(ctx.secrets, stream, held) })
  if (isBefore(stream.position, joinedAt)) stream.position = joinedAt
  writeCursor(ctx.secrets, stream)
}

export async function openStream(
  ctx: HubContext,
  hub: Hub,
  { viewer, cursor, expiresAtSeconds, openOutlet }: StreamRequest,
): Promise<void> {
  await hub.start()
  const { epoch, position, page, reset } = await findStart(ctx, { viewer, cursor })
  const id = ctx.ids.next()
  await hub.claim({ id, accountId: viewer.accountId })
  const now = performance.now()
  const { lifetimeMs, keepaliveMs } = ctx.config.streams
  const stream: LiveStream = {
    id,
    viewer,
    outlet: openOutlet((ending) => hub.leave(stream, ending)),
    epoch,
    position,
    held: undefined,
    expiresAtSeconds,
    endsAt: now + lifetimeMs,
    keepaliveAt: now + keepaliveMs,
  }
  if (!stream.outlet.isOpen) return hub.release(id)
  hub.admit(stream)
  try {
    if (reset) {
      const occurredAt = ctx.clock.now().toISOString()
      writeReset(ctx.secrets, stream, { id: ctx.ids.next(), code: reset, occurredAt })
    }
    await catchUp(ctx, hub, { stream, page })
    if (performance.now() >= stream.endsAt) hub.leave(stream, 'lifetime')
  } catch (error) {
    ctx.log.warn({ err: error }, 'a live stream failed to catch up')
    hub.leave(stream, 'trouble')
  }
}

/** An operator's stream spans all organizations, so opening it is recorded. */
export async function openAdminStream(
  ctx: HubContext,
  hub: Hub,
  { operator, ...request }: StreamRequest & { operator: Actor },
): Promise<void> {
  await recordPolledRead(ctx, { operator, operation: 'streamAdminLive', organizationId: null })
  await openStream(ctx, hub, request)
}
