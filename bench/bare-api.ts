/** A bare Fastify server with pg: it runs the statements it was told and answers their rows. */
import fastify from 'fastify'
import pg from 'pg'
import { answerUsage } from './live-wire.ts'
import type { Statement } from './recording.ts'

export type BareRoute = { statements: (Statement & { isAnswer: boolean })[]; inOneSession: boolean }
type Told = { url: string; role: string | undefined; poolSize: number } & {
  routes: Record<string, BareRoute>
}

const settingsOf = (role: string | undefined) =>
  ['-c search_path=countersign -c timezone=UTC', ...(role ? [`-c role=${role}`] : [])].join(' ')

async function serve({ url, role, poolSize, routes }: Told): Promise<number> {
  const pool = new pg.Pool({ connectionString: url, max: poolSize, options: settingsOf(role) })
  const app = fastify()
  for (const [path, { statements, inOneSession }] of Object.entries(routes)) {
    const named = statements.map((statement, n) => ({ ...statement, name: `${path} ${n}` }))
    const runOn = async (client: pg.Pool | pg.PoolClient) => {
      const answer: object[][] = []
      for (const { name, text, values, isAnswer } of named) {
        const query = values.length === 0 ? { text } : { name, text, values }
        const { rows } = await client.query(query)
        if (isAnswer) answer.push(rows)
      }
      return { answer }
    }
    app.get(path, async () => {
      if (!inOneSession) return runOn(pool)
      const client = await pool.connect()
      try {
        return await runOn(client)
      } finally {
        client.release()
      }
    })
  }
  return Number(new URL(await app.listen({ port: 0, host: '127.0.0.1' })).port)
}

answerUsage()
process.on('message', async (message: { told?: Told }) => {
  if (message.told) process.send?.({ port: await serve(message.told) })
})
process.send?.({ isUp: true })
