/** Well-behaved clients: they retry unanswered requests at any available process. */
import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { Random } from '#test/fuzz/random.ts'
import type { TestApp } from '#test/support/app.ts'
import { type ExpenseHouse, termsOf } from '#test/support/expenses.ts'
import { type LiveMessage, openLiveAt } from '#test/support/live.ts'
import { ask, type Reply } from './service.ts'

type Request = { method?: string; path: string; token: string; body?: unknown; key?: string }

/** Attempts with an unknown outcome, and how the ones that were accepted ended. */
type Answered = Reply & { unanswered: number; dropped: string[] }

const isRefusedForNow = ({ status, body }: Reply): boolean =>
  status === 503 || body?.error?.code === 'idempotency_in_progress'

/** The client's own doing: it did not wait. */
const IMPATIENT = 'impatient'
const notDropped = ['ECONNREFUSED', IMPATIENT]

/** Why there was no answer; `ECONNREFUSED` when no process had accepted the request. */
const reasonOf = (error: { name: string; cause?: { code?: string } }): string =>
  error.cause?.code ?? error.name

const tryOnce = (
  url: string,
  { method = 'POST', path, token, body, key }: Request,
  timeoutMs?: number,
): Promise<Reply | string> =>
  ask(method, `${url}${path}`, {
    token,
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(body !== undefined && { body }),
    // A connection for each request, so that none is sent on one that is being closed.
    headers: { connection: 'close', ...(key !== undefined && { 'idempotency-key': key }) },
  }).catch((error) => (timeoutMs === undefined ? reasonOf(error) : IMPATIENT))

async function untilAnswered(
  urls: readonly string[],
  random: Random,
  request: Request,
): Promise<Answered> {
  const dropped: string[] = []
  for (let unanswered = 0; ; ) {
    // Some do not wait for the answer; their requests may still take effect.
    const timeoutMs = random.chance(0.15) ? random.integer(1, 40) : undefined
    const reply = await tryOnce(random.pick(urls), request, timeoutMs)
    const isAnswered = typeof reply !== 'string'
    if (isAnswered && !isRefusedForNow(reply)) return { ...reply, unanswered, dropped }
    if (!isAnswered && !notDropped.includes(reply)) dropped.push(reply)
    // A request that is refused now may have been executed before, with its answer lost.
    unanswered += 1
    await wait(random.integer(20, 200))
  }
}

/** What the service has acknowledged. */
export type Ledger = {
  /** Every requested expense by its unique purpose. */
  created: Map<string, string>
  submitted: Set<string>
  comments: Set<string>
  unanswered: number
  /** Accepted but not answered, with the reason. */
  dropped: string[]
  /** Refusals that a well-behaved client does not expect. */
  surprises: string[]
}

export const openLedger = (): Ledger => ({
  created: new Map(),
  submitted: new Set(),
  comments: new Set(),
  unanswered: 0,
  dropped: [],
  surprises: [],
})

export const acknowledged = ({ created, submitted, comments }: Ledger): number =>
  created.size + submitted.size + comments.size

type Work = {
  urls: readonly string[]
  houses: readonly ExpenseHouse[]
  random: Random
  ledger: Ledger
  isDone(): boolean
  pauseMs: number
}

/** Creates expenses, submits them and comments on them, in sequence. */
export async function work({ urls, houses, random, ledger, isDone, pauseMs }: Work): Promise<void> {
  while (!isDone()) {
    const house = random.pick(houses)
    const { path } = house.organization
    const { token } = house.employee
    const purpose = `Invoice ${randomUUID()} for the translation of the user manual`
    const send = async (request: Omit<Request, 'token'>) => {
      const answer = await untilAnswered(urls, random, { token, ...request })
      ledger.unanswered += answer.unanswered
      ledger.dropped.push(...answer.dropped)
      return answer
    }
    const body = termsOf(house, { purpose })
    const made = await send({ path: `${path}/expenses`, body, key: randomUUID() })
    if (made.status !== 201) {
      ledger.surprises.push(`create: ${made.status} ${JSON.stringify(made.body)}`)
      continue
    }
    const { id } = made.body
    ledger.created.set(purpose, id)
    const expense = `${path}/expenses/${id}`
    const version = { expectedVersion: 1 }
    const submitted = await send({ path: `${expense}/submit`, body: version })
    // A conflict: it was submitted, and the answer was lost.
    const isRepeated = submitted.status === 409 && submitted.unanswered > 0
    if (submitted.status === 202 || isRepeated) ledger.submitted.add(id)
    else ledger.surprises.push(`submit: ${submitted.status} ${JSON.stringify(submitted.body)}`)
    const text = `Comment ${randomUUID()}`
    // Once: a comment takes no key, so a retry would add another.
    const request = { path: `${expense}/comments`, token, body: { body: text } }
    const commented = await tryOnce(random.pick(urls), request)
    if (typeof commented !== 'string' && commented.status === 201) ledger.comments.add(text)
    await wait(pauseMs)
  }
}

/**
 * Waits two minutes at most. An expense whose analysis was cut off three times is blocked, and its
 * submitter submits it again. Returns how often that was, and how many are not analysed.
 */
export async function untilAnalysed(
  { call, database }: Pick<TestApp, 'call' | 'database'>,
  houses: readonly ExpenseHouse[],
): Promise<{ unfinished: number; resubmitted: number }> {
  const unanalysed = (organizationId: string) =>
    database.asOwner<{ id: string; state: string }>(
      `select id, state from expenses where organization_id = $1
         and (state in ('analysis_queued', 'analyzing') or block_code = 'analysis_failed')`,
      [organizationId],
    )
  const end = performance.now() + 120_000
  for (let resubmitted = 0; ; ) {
    let unfinished = 0
    for (const { organization, employee } of houses) {
      const waiting = await unanalysed(organization.id)
      unfinished += waiting.length
      for (const { id } of waiting.filter(({ state }) => state === 'blocked')) {
        const request = { token: employee.token, body: { expectedVersion: 1 } }
        const { status } = await call('POST', `${organization.path}/expenses/${id}/submit`, request)
        if (status === 202) resubmitted += 1
      }
    }
    if (unfinished === 0 || performance.now() > end) return { unfinished, resubmitted }
    await wait(200)
  }
}

export type Follower = {
  messages: LiveMessage[]
  connections: number
  /** Streams that ended without a reason, although no process was killed. */
  wordless: number
  /** Resolves when it has received `isDone`. */
  ended: Promise<void>
}

/** Follows an organization and reconnects with its last id whenever the stream ends. */
export function follow(
  urls: readonly string[],
  random: Random,
  house: ExpenseHouse,
  isDone: (count: number) => boolean,
): Follower {
  const { path, owner } = house.organization
  const follower: Follower = { messages: [], connections: 0, wordless: 0, ended: Promise.resolve() }
  let lastEventId: string | undefined
  const once = async () => {
    const options = { token: owner.token, ...(lastEventId !== undefined && { lastEventId }) }
    const url = `${random.pick(urls)}${path}/live/stream`
    const client = await openLiveAt(url, options).catch(() => undefined)
    if (client?.status !== 200) {
      client?.close()
      await wait(random.integer(20, 200))
      return
    }
    follower.connections += 1
    const before = follower.messages.length
    while (!client.isEnded && !isDone(before + client.messages.length)) await wait(10)
    if (client.isEnded && !client.comments.at(-1)?.startsWith('end: ')) follower.wordless += 1
    client.close()
    follower.messages.push(...client.messages)
    if (client.lastId) lastEventId = client.lastId
  }
  const run = async () => {
    while (!isDone(follower.messages.length)) await once()
  }
  follower.ended = run()
  return follower
}
