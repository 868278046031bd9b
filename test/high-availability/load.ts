/** People who write and follow while the database fails over, and what was acknowledged to them. */
import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { ask as request } from '#test/processes/service.ts'
import type { TestDatabase } from '#test/support/database.ts'
import { type ExpenseHouse, termsOf } from '#test/support/expenses.ts'
import { openLiveAt } from '#test/support/live.ts'

export type Written = {
  /** Ids of acknowledged expenses by their purpose, which is unique. */
  created: Map<string, string>
  /** When writes were begun and acknowledged, in order of acknowledgement. */
  times: { begun: number; acknowledged: number }[]
  repeated: number
  surprises: string[]
}

export const openWritten = (): Written => ({
  created: new Map(),
  times: [],
  repeated: 0,
  surprises: [],
})

/** The longest time without an acknowledged write, from the fault to the recovery. */
export function longestSilence(
  { times }: Written,
  { at, healthyAt }: { at: number; healthyAt: number },
): number {
  const moments = times.map(({ acknowledged }) => acknowledged)
  const during = moments.filter((moment) => moment > at && moment < healthyAt)
  const next = moments.find((moment) => moment >= healthyAt) ?? performance.now()
  const bounds = [at, ...during, next]
  return Math.max(...bounds.slice(1).map((moment, n) => moment - (bounds[n] ?? at)))
}

/** How many acknowledged writes the database lacks, and how many it has twice. */
export async function compareWrites({ asOwner }: TestDatabase, written: Written) {
  const rows = await asOwner<{ id: string; purpose: string }>(
    `select e.id, r.purpose from expenses e join expense_revisions r on r.expense_id = e.id
     where r.purpose like 'Invoice ________-____-____%'`,
  )
  const ids = new Set(rows.map(({ id }) => id))
  const lost = [...written.created.values()].filter((id) => !ids.has(id)).length
  return { lost, twice: rows.length - new Set(rows.map(({ purpose }) => purpose)).size }
}

const TIMEOUT_MS = 30_000

/** Creates one expense after the other; repeats a request under its key until it is answered. */
export async function write(
  url: string,
  house: ExpenseHouse,
  written: Written,
  isDone: () => boolean,
): Promise<void> {
  const { token } = house.employee
  while (!isDone()) {
    const purpose = `Invoice ${randomUUID()} for the translation of the user manual`
    const options = {
      token,
      body: termsOf(house, { purpose }),
      headers: { 'idempotency-key': randomUUID(), connection: 'close' },
      timeoutMs: TIMEOUT_MS,
    }
    for (;;) {
      const begun = performance.now()
      const path = `${url}${house.organization.path}/expenses`
      const reply = await request('POST', path, options).catch(() => undefined)
      if (reply?.status === 201) {
        written.created.set(purpose, reply.body.id)
        written.times.push({ begun, acknowledged: performance.now() })
        break
      }
      const code = reply?.body?.error?.code
      const isTemporary = !reply || reply.status === 503 || code === 'idempotency_in_progress'
      if (!isTemporary) {
        written.surprises.push(`${reply.status} ${JSON.stringify(reply.body)}`)
        break
      }
      written.repeated += 1
      await wait(200)
    }
    await wait(250)
  }
}

export type Followed = {
  /** Ids of events, in the order in which they came. */
  events: string[]
  /** Expenses that events or snapshots have shown. */
  expenses: Set<string>
  connections: number
  resets: number
  ended: Promise<void>
}

/**
 * Follows an organization as an application does: resumes after its last id, and reads everything
 * again after a reset.
 */
export function followHouse(url: string, house: ExpenseHouse, isDone: () => boolean): Followed {
  const { path, owner } = house.organization
  const { token } = owner
  const followed: Followed = {
    events: [],
    expenses: new Set(),
    connections: 0,
    resets: 0,
    ended: Promise.resolve(),
  }
  let lastEventId: string | undefined

  const readAll = async () => {
    let cursor: string | undefined
    do {
      const query = new URLSearchParams({ limit: '100', ...(cursor && { cursor }) })
      const page = await request('GET', `${url}${path}/expenses?${query}`, { token }).catch(
        () => undefined,
      )
      if (page?.status !== 200) {
        await wait(200)
        continue
      }
      for (const { id } of page.body.expenses ?? page.body.items) followed.expenses.add(id)
      cursor = page.body.nextCursor ?? undefined
      if (!cursor) return
    } while (!isDone())
  }
  const once = async () => {
    const options = { token, ...(lastEventId !== undefined && { lastEventId }) }
    const client = await openLiveAt(`${url}${path}/live/stream`, options).catch(() => undefined)
    if (client?.status !== 200) {
      client?.close()
      await wait(200)
      return
    }
    followed.connections += 1
    let seen = 0
    const take = async () => {
      for (; seen < client.messages.length; seen += 1) {
        const message = client.messages[seen]
        if (message?.event === 'stream.reset') {
          followed.resets += 1
          await readAll()
        } else if (message) {
          followed.events.push(String(message.data.id))
          followed.expenses.add(String(message.data.aggregateId))
        }
      }
    }
    while (!client.isEnded && !isDone()) {
      await take()
      await wait(20)
    }
    await take()
    client.close()
    if (client.lastId) lastEventId = client.lastId
  }
  const run = async () => {
    while (!isDone()) await once()
  }
  followed.ended = run()
  return followed
}
