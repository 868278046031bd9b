/**
 * Checks whether the callers of open streams may still see them, and how much, and whether another
 * process has replaced one. Two queries, whatever the number of streams.
 */
import { isManager } from '#access/permissions.ts'
import type { Context } from '#context.ts'
import { type LiveStream, writeReset } from './live-stream.ts'
import type { StreamRegistry } from './stream-registry.ts'
import { listReplacedStreams, listStandings, type Standing } from './streams.store.ts'

export type AccessCheck = { isDue(): boolean; run(): Promise<void> }

/** Undefined for a caller who may no longer see the stream. */
function seesAllNow(standing: Standing | undefined, { viewer }: LiveStream): boolean | undefined {
  if (standing?.account !== 'active') return undefined
  if (viewer.scope.realm === 'admin') return standing.operator === 'active' ? true : undefined
  const { role } = standing
  return role === null ? undefined : isManager({ role })
}

export function createAccessCheck(
  ctx: Pick<Context, 'config' | 'tailDb' | 'clock' | 'ids' | 'secrets'>,
  registry: StreamRegistry,
): AccessCheck {
  let checkedAt = performance.now()
  let running: Promise<void> | undefined

  const judge = (stream: LiveStream, standing: Standing | undefined) => {
    const seesAll = seesAllNow(standing, stream)
    if (seesAll === undefined) return registry.leave(stream, 'access')
    if (seesAll === stream.viewer.seesAll) return
    // The client's data does not match its new role, so it must read the snapshot again.
    stream.viewer = { ...stream.viewer, seesAll }
    const occurredAt = ctx.clock.now().toISOString()
    writeReset(ctx.secrets, stream, { id: ctx.ids.next(), code: 'role_changed', occurredAt })
  }

  const check = async () => {
    const askedAt = performance.now()
    const streams = [...registry.all()]
    const viewers = streams.map(({ viewer: { accountId, scope } }) => ({
      accountId,
      organizationId: scope.organizationId,
    }))
    if (streams.length > 0) {
      const [standings, replaced] = await Promise.all([
        listStandings(ctx.tailDb, viewers),
        listReplacedStreams(
          ctx.tailDb,
          streams.map(({ id }) => id),
        ),
      ])
      const gone = new Set(replaced)
      for (const [n, stream] of streams.entries()) {
        if (gone.has(stream.id)) registry.leave(stream, 'replaced')
        else judge(stream, standings[n])
      }
    }
    checkedAt = askedAt
  }

  return {
    isDue: () => performance.now() - checkedAt >= ctx.config.streams.checkMs,
    run() {
      running ??= check().finally(() => {
        running = undefined
      })
      return running
    },
  }
}
