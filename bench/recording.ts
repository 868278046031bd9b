/**
 * The statements that the service sends for a request, taken from the service itself, so that a
 * baseline that runs "the same statements" cannot fall behind the code.
 */
import type { FastifyInstance, InjectOptions } from 'fastify'
import pg from 'pg'

export type Statement = { text: string; values: unknown[] }
/** What travels together: one message to the database and one answer. */
export type RoundTrip = Statement[]

type Sent = string | { text: string; values?: unknown[] } | { statements: readonly Statement[] }

const statementsOf = (sent: Sent): Statement[] => {
  if (typeof sent === 'string') return [{ text: sent, values: [] }]
  if ('statements' in sent) return sent.statements.map(({ text, values }) => ({ text, values }))
  return [{ text: sent.text, values: sent.values ?? [] }]
}

/** For many requests at once, after their commits: no part of a request. */
const isWaking = (trip: RoundTrip): boolean => trip.some(({ text }) => text.includes('pg_notify'))

/** One request to an application of this process, and all that it said to the database. */
export async function record(
  app: FastifyInstance,
  request: InjectOptions,
  status: number,
): Promise<RoundTrip[]> {
  const prototype = pg.Client.prototype as unknown as { query(sent: Sent): unknown }
  const { query } = prototype
  const seen: RoundTrip[] = []
  prototype.query = function (this: unknown, sent, ...rest: []) {
    seen.push(statementsOf(sent))
    return query.call(this, sent, ...rest)
  }
  try {
    const answer = await app.inject(request)
    if (answer.statusCode !== status) throw new Error(`${answer.statusCode}: ${answer.body}`)
  } finally {
    prototype.query = query
  }
  return seen.filter((trip) => !isWaking(trip))
}

/** For a client that waits for each answer: a tenant's scope ends with its transaction. */
export const oneByOne = (trips: readonly RoundTrip[]): Statement[] => {
  let isOpen = false
  return trips.flatMap((trip) => {
    const isWhole = !isOpen && trip.length > 1 && !/^\s*begin/i.test(trip[0]?.text ?? '')
    for (const { text } of trip) {
      if (/^\s*begin/i.test(text)) isOpen = true
      if (/^\s*(commit|rollback)/i.test(text)) isOpen = false
    }
    const frame = (text: string): Statement => ({ text, values: [] })
    return isWhole ? [frame('begin'), ...trip, frame('commit')] : trip
  })
}
