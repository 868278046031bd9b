/** What the limits that hold for all processes together cost: of requests, and of streams. */
import type { Context } from '#context.ts'
import { deleteOpenStreams, insertOpenStream } from '#live/streams.store.ts'
import { createRateCounter } from '#platform/rate-leases.ts'
import type { Figure } from './figures.ts'
import { median, rounded } from './turns.ts'

const ROUNDS = 500

/** What the shared limit of requests adds to a request, within the limit and beyond it. */
export async function measureLimits(ctx: Context): Promise<Figure[]> {
  const figures: Figure[] = []
  const run = async (what: string, { max, requests }: { max: number; requests: number }) => {
    let statements = 0
    const db = {
      query: ((statement) => {
        statements += 1
        return ctx.db.query(statement)
      }) as Context['db']['query'],
    }
    const limit = { name: what, max, windowMs: 60_000 }
    const counter = createRateCounter({ db, clock: ctx.clock }, limit)
    await counter.count('warm-up')
    const began = performance.now()
    for (let n = 0; n < requests; n += 1) await counter.count('somebody')
    const micros = ((performance.now() - began) * 1_000) / requests
    const more = { requests, statements: statements - 1 }
    figures.push({ what, value: rounded(micros), unit: 'µs', more })
  }
  await run('shared rate limit, for each of 600 requests a minute', { max: 600, requests: 600 })
  await run('shared rate limit, for the first request of a minute', { max: 600, requests: 1 })
  await run('shared rate limit, for requests beyond it', { max: 600, requests: 20_000 })
  return figures
}

/** What counting the streams of an account across processes adds to opening and closing one. */
export async function measureStreamLimit(ctx: Context, accountId: string): Promise<Figure[]> {
  const { lifetimeMs, perAccount } = ctx.config.streams
  const opened: string[] = []
  const open = async () => {
    const id = ctx.ids.next()
    opened.push(id)
    await ctx.db.transaction({ accountId }, (tx) =>
      insertOpenStream(tx, { id, accountId, lifetimeMs, perAccount }),
    )
  }
  const close = () => deleteOpenStreams(ctx.db, opened.splice(0, 1))
  const micros = async (work: () => Promise<void>) => {
    const began = performance.now()
    await work()
    return (performance.now() - began) * 1_000
  }
  while (opened.length < perAccount - 1) await open()
  const opening: number[] = []
  const closing: number[] = []
  for (let n = 0; n < ROUNDS; n += 1) {
    opening.push(await micros(open))
    closing.push(await micros(close))
  }
  while (opened.length > 0) await close()
  const figureOf = (what: string, values: number[]): Figure => {
    return { what, value: rounded(median(values), 0), unit: 'µs' }
  }
  return [
    figureOf(`shared stream limit, opening the last of ${perAccount}`, opening),
    figureOf('shared stream limit, closing one', closing),
  ]
}
