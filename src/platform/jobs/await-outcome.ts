/**
 * How an API process waits for work that only a worker may do. The API commits a request together
 * with a job and waits; the worker notifies it when the job is done. `waitFor` polls the database,
 * and a notification only ends the pause between two polls. `receive` delivers a message that is
 * stored nowhere: if nobody listens at that moment, it is lost.
 */
import sql from 'sql-template-tag'
import type { Db } from '#platform/database/database.ts'
import { type Listener, startListener } from '#platform/database/listener.ts'
import { pollUntil } from '#platform/poll.ts'

const CHANNEL = 'countersign_outcomes'
const DEADLINE_MS = 2_000
/** PostgreSQL refuses payloads of 8,000 bytes or more. */
const PAYLOAD_BYTES_MAX = 7_999

type Deadline = { withinMs?: number }

type Expected<T> = Deadline & {
  begin: () => Promise<void>
  /** Undefined for a message that is not the answer. */
  open: (message: string) => T | undefined
}

export type Outcomes = {
  /** Calls `read` until it returns something; undefined at the deadline. */
  waitFor<T>(
    id: string,
    read: () => Promise<T | undefined>,
    deadline?: Deadline,
  ): Promise<T | undefined>
  /**
   * Calls `begin` once this process listens, then waits for a message that `open` accepts. Anybody
   * with a database login can send messages, so others are ignored. Undefined at the deadline.
   */
  receive<T>(id: string, expected: Expected<T>): Promise<T | undefined>
  close(): Promise<void>
}

type OnMessage = (message: string) => void

/** Called by workers, after the commit: NOTIFY inside a transaction serialises all commits. */
export async function announceOutcome(
  db: Pick<Db, 'query'>,
  id: string,
  message = '',
): Promise<void> {
  const payload = `${id} ${message}`
  if (Buffer.byteLength(payload) > PAYLOAD_BYTES_MAX) {
    throw new RangeError('The outcome is too long for a notification')
  }
  await db.query(sql`select pg_notify(${CHANNEL}, ${payload})`)
}

/** One connection for all waiters in this process, opened by the first. */
export function createOutcomes({ url }: { url: string }): Outcomes {
  const waiting = new Map<string, Set<OnMessage>>()
  let listener: Listener | undefined
  let connected: Promise<void> | undefined

  const deliver = (payload: string) => {
    const end = payload.indexOf(' ')
    for (const onMessage of waiting.get(payload.slice(0, end)) ?? []) {
      onMessage(payload.slice(end + 1))
    }
  }
  const listening = (): Promise<void> => {
    connected ??= new Promise((resolve) => {
      listener = startListener({ url, channel: CHANNEL, onNotice: deliver, onConnected: resolve })
    })
    return connected
  }
  const subscribe = (id: string, onMessage: OnMessage): (() => void) => {
    const others = waiting.get(id) ?? new Set()
    waiting.set(id, others.add(onMessage))
    return () => {
      others.delete(onMessage)
      if (others.size === 0 && waiting.get(id) === others) waiting.delete(id)
    }
  }

  return {
    async waitFor(id, read, { withinMs: timeoutMs = DEADLINE_MS } = {}) {
      void listening()
      let wake = () => {}
      const unsubscribe = subscribe(id, () => wake())
      const untilWoken = () =>
        new Promise<void>((resolve) => {
          wake = resolve
        })
      try {
        return await pollUntil(read, { timeoutMs, untilWoken })
      } finally {
        unsubscribe()
      }
    },
    async receive<T>(id: string, { begin, open, withinMs = DEADLINE_MS }: Expected<T>) {
      let timer: NodeJS.Timeout | undefined
      const deadline = new Promise<undefined>((resolve) => {
        timer = setTimeout(() => resolve(undefined), withinMs)
      })
      let unsubscribe = () => {}
      const answer = new Promise<T>((resolve) => {
        unsubscribe = subscribe(id, (message) => {
          const opened = open(message)
          if (opened !== undefined) resolve(opened)
        })
      })
      try {
        const isListening = await Promise.race([listening().then(() => true as const), deadline])
        if (!isListening) return undefined
        await begin()
        return await Promise.race([answer, deadline])
      } finally {
        clearTimeout(timer)
        unsubscribe()
      }
    },
    close: async () => listener?.stop(),
  }
}
