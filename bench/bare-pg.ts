/** The same statements over pg alone, one after the other, on some connections at once. */
import pg from 'pg'
import { createIds } from '#platform/clock.ts'
import { answerUsage } from './live-wire.ts'
import type { Statement } from './recording.ts'
import { freshIds, withIds } from './same-statements.ts'

type Told = { url: string; options: string; connections: number; known: string[] } & {
  scripts: Statement[][]
}

const ids = createIds()
let clients: pg.Client[] = []
let work: ((client: pg.Client, n: number) => Promise<void>) | undefined

async function prepare({ url, options, connections, scripts, known }: Told): Promise<void> {
  const fresh = scripts.map((script) => freshIds(script, known))
  clients = Array.from(
    { length: connections },
    () => new pg.Client({ connectionString: url, options }),
  )
  for (const client of clients) await client.connect()
  work = async (client, n) => {
    const which = n % scripts.length
    const made = new Map(fresh[which]?.map((id) => [id, ids.next()]))
    for (const [at, { text, values }] of withIds(scripts[which] ?? [], made).entries()) {
      await client.query(values.length === 0 ? { text } : { name: `${at}`, text, values })
    }
  }
}

async function run(ms: number): Promise<number> {
  const began = performance.now()
  let done = 0
  const one = async (client: pg.Client) => {
    while (performance.now() - began < ms) {
      await work?.(client, done)
      done += 1
    }
  }
  await Promise.all(clients.map(one))
  return done / ((performance.now() - began) / 1000)
}

answerUsage()
process.on('message', async (message: { asked?: number; told?: Told; ms?: number }) => {
  if (message.asked === undefined) return
  if (message.told) await prepare(reviveTold(message.told))
  const perSecond = message.ms === undefined ? 0 : await run(message.ms)
  process.send?.({ asked: message.asked, perSecond })
})
process.send?.({ isUp: true })

/** Dates and bytes do not travel between processes as what they are. */
function reviveTold(told: Told): Told {
  const revive = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(revive)
    const { date, bytes } = (value ?? {}) as { date?: string; bytes?: string }
    return date ?? (bytes === undefined ? value : Buffer.from(bytes, 'hex'))
  }
  const scripts = told.scripts.map((script) =>
    script.map(({ text, values }) => ({ text, values: values.map(revive) })),
  )
  return { ...told, scripts }
}
