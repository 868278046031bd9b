/** A bare Fastify server with pg: it runs the statements it is given and answers their rows. */
import fastify from 'fastify'
import pg from 'pg'
import { answerUsage } from './live-wire.ts'
import type { Statement } from './recording.ts'

export type BareRoute =
  | { statements: (Statement & { isAnswer: boolean })[] }
  /** Its one row has the whole response in `body`. */
  | { one: Statement }

type Settings = { url: string; role: string | undefined; poolSize: number } & {
  routes: Record<string, BareRoute>
}

const optionsOf = (role: string | undefined) =>
  ['-c search_path=countersign -c timezone=UTC', ...(role ? [`-c role=${role}`] : [])].join(' ')

async function serve({ url, role, poolSize, routes }: Settings): Promise<number> {
  const pool = new pg.Pool({ connectionString: url, max: poolSize, options: optionsOf(role) })
  const app = fastify()
  for (const [path, route] of Object.entries(routes)) {
    if ('one' in route) {
      app.get(path, async (_request, reply) => {
        const { rows } = await pool.query({ name: path, ...route.one })
        reply.code(rows[0] ? 200 : 403).type('application/json; charset=utf-8')
        return rows[0]?.body ?? '{}'
      })
      continue
    }
    const named = route.statements.map((statement, n) => ({ ...statement, name: `${path} ${n}` }))
    app.get(path, async () => {
      const client = await pool.connect()
      try {
        const answer: object[][] = []
        for (const { name, text, values, isAnswer } of named) {
          const query = values.length === 0 ? { text } : { name, text, values }
          const { rows } = await client.query(query)
          if (isAnswer) answer.push(rows)
        }
        return { answer }
      } finally {
        client.release()
      }
    })
  }
  return Number(new URL(await app.listen({ port: 0, host: '127.0.0.1' })).port)
}

answerUsage()
process.on('message', async (message: { told?: Settings }) => {
  if (message.told) process.send?.({ port: await serve(message.told) })
})
process.send?.({ isUp: true })
