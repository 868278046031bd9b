/** Readers that constantly disconnect and resume, and writers that commit slowly. */
import { setTimeout as wait } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { AppError } from '#platform/errors.ts'
import type { Random } from '#test/fuzz/random.ts'
import type { Organization, TestApp } from '#test/support/app.ts'
import { insertEvent, insertEvents, type LiveMessage, openLive } from '#test/support/live.ts'

export type Reader = {
  organizationId: string | null
  received: LiveMessage[]
  connections: number
  /** The database was too busy; the client resumes from its cursor. */
  refused: number
}

type ReaderOptions = {
  /** Hubs of several processes: a resuming reader may reach another one. */
  apps: FastifyInstance[]
  path: string
  token: string
  organizationId: string | null
  random: Random
  /** Whether that many events are all of them. */
  isDone(count: number): boolean
}

/** Starts at `from` and only ever asks for what its last message says. */
export async function read(
  { apps, path, token, organizationId, random, isDone }: ReaderOptions,
  from: string,
): Promise<Reader> {
  const reader: Reader = { organizationId, received: [], connections: 0, refused: 0 }
  let lastEventId = from
  while (!isDone(reader.received.length)) {
    const app = random.pick(apps)
    const client = await openLive({ app }, path, { token, lastEventId })
    if (client.status === 503) {
      reader.refused += 1
      client.close()
      await wait(1_000)
      continue
    }
    if (client.status !== 200) throw new Error(`${client.status}: ${client.text}`)
    reader.connections += 1
    const seenBefore = reader.received.length
    const patience = random.integer(1, 400)
    const breakOffAt = performance.now() + random.integer(0, 300)
    while (!client.isEnded && performance.now() < breakOffAt) {
      if (client.messages.length >= patience) break
      if (isDone(seenBefore + client.messages.length)) break
      await wait(2)
    }
    client.close()
    // Counts what has arrived by now, whatever was still in transit.
    reader.received.push(...client.messages)
    if (client.lastId) lastEventId = client.lastId
    if (reader.received.length === seenBefore) await wait(random.integer(0, 5))
  }
  return reader
}

export type Books = {
  /** Ids in the order in which their transactions returned. */
  committed: string[]
  transactions: number
  rolledBack: number
  /** Unknown whether they committed: the connection was lost or too slow. */
  unknown: number
}

class RolledBack extends Error {}

/** Writes `count` events in small transactions, most of which delay their commit. */
export async function write(
  service: Pick<TestApp, 'ctx'>,
  {
    organizations,
    random,
    books,
    count,
  }: { organizations: Organization[]; random: Random; books: Books; count: number },
): Promise<void> {
  while (books.committed.length < count) {
    const { id: organizationId } = random.pick(organizations)
    const size = random.integer(1, count > 10_000 ? 60 : 4)
    const delayMs = random.integer(0, 9) === 0 ? random.integer(20, 120) : random.integer(0, 8)
    const isGivenUp = random.integer(0, 19) === 0
    try {
      const ids = await service.ctx.db.transaction({ organizationId }, async (tx) => {
        const first = await insertEvent(tx, service, organizationId)
        await wait(delayMs)
        const others = await insertEvents(tx, organizationId, size - 1)
        if (isGivenUp) throw new RolledBack()
        return [first, ...others]
      })
      books.committed.push(...ids)
      books.transactions += 1
    } catch (error) {
      if (error instanceof RolledBack) books.rolledBack += 1
      else if (error instanceof AppError && error.code === 'dependency_unavailable') {
        books.unknown += 1
      } else throw error
    }
  }
}
