/** Clients as they should be: what was not answered is asked again, of whoever answers. */
import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { Random } from '#test/fuzz/random.ts'
import { type ExpenseHouse, termsOf } from '#test/support/expenses.ts'
import { type LiveMessage, openLiveAt } from '#test/support/live.ts'
import { ask, type Reply } from './service.ts'

type Request = { method?: string; path: string; token: string; body?: unknown; key?: string }

/** Tries whose outcome nobody knows, and how those ended that somebody had taken. */
type Answered = Reply & { unanswered: number; dropped: string[] }

const isRefusedForNow = ({ status, body }: Reply): boolean =>
  status === 503 || body?.error?.code === 'idempotency_in_progress'

/** Its own doing: it did not wait. */
const IMPATIENT = 'impatient'
const notDropped = ['ECONNREFUSED', IMPATIENT]

/** Why there was no answer; `ECONNREFUSED` when nobody had taken the request. */
const reasonOf = (error: { name: string; cause?: { code?: string } }): string =>
  error.cause?.code ?? error.name

const tryOnce = (
  url: string,
  { method = 'POST', path, token, body, key }: Request,
  patienceMs?: number,
): Promise<Reply | string> =>
  ask(method, `${url}${path}`, {
    token,
    ...(patienceMs !== undefined && { patienceMs }),
    ...(body !== undefined && { body }),
    // A connection each: whoever reuses one that is just being closed is nobody's loss.
    headers: { connection: 'close', ...(key !== undefined && { 'idempotency-key': key }) },
  }).catch((error) => (patienceMs === undefined ? reasonOf(error) : IMPATIENT))

async function untilAnswered(
  urls: readonly string[],
  random: Random,
  request: Request,
): Promise<Answered> {
  const dropped: string[] = []
  for (let unanswered = 0; ; ) {
    // Some do not wait for the answer: what they have asked for may be done all the same.
    const patience = random.chance(0.15) ? random.integer(1, 40) : undefined
    const reply = await tryOnce(random.pick(urls), request, patience)
    const isAnswered = typeof reply !== 'string'
    if (isAnswered && !isRefusedForNow(reply)) return { ...reply, unanswered, dropped }
    if (!isAnswered && !notDropped.includes(reply)) dropped.push(reply)
    // What was refused for now may have been done before the answer was lost.
    unanswered += 1
    await wait(random.integer(20, 200))
  }
}

/** What the service has said is done. */
export type Ledger = {
  /** Every expense that was asked for, by its purpose, which is unlike any other. */
  created: Map<string, string>
  submitted: Set<string>
  comments: Set<string>
  unanswered: number
  /** Taken by somebody and not answered: why. */
  dropped: string[]
  /** Refusals that a good client does not expect. */
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

/** Creates expenses, submits them and comments on them, one after the other. */
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
    const isSubmitted = submitted.status === 202 || submitted.unanswered > 0
    if (isSubmitted) ledger.submitted.add(id)
    else ledger.surprises.push(`submit: ${submitted.status} ${JSON.stringify(submitted.body)}`)
    const text = `Comment ${randomUUID()}`
    // Once: a comment takes no key, and asked for again it would be another.
    const request = { path: `${expense}/comments`, token, body: { body: text } }
    const commented = await tryOnce(random.pick(urls), request)
    if (typeof commented !== 'string' && commented.status === 201) ledger.comments.add(text)
    await wait(pauseMs)
  }
}

export type Follower = {
  messages: LiveMessage[]
  connections: number
  /** Streams that ended without saying why, although nobody was killed. */
  wordless: number
  /** Resolves when it has been told `isDone`. */
  ended: Promise<void>
}

/** Follows an organization, and comes back with its last id whenever the stream has ended. */
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
