/** The application on a database that rolls everything back, to see how it would answer. */
import type { FastifyInstance } from 'fastify'
import { buildApp } from '#app.ts'
import type { Db } from '#platform/database/database.ts'
import type { Answer, TestApp } from '#test/support/app.ts'

class TakenBack extends Error {}

const takingBack = (db: Db): Db => ({
  ...db,
  transaction: async (scope, work) => {
    const done: { result?: Awaited<ReturnType<typeof work>> } = {}
    await db
      .transaction(scope, async (tx) => {
        done.result = await work(tx)
        throw new TakenBack()
      })
      .catch((error: unknown) => {
        if (!(error instanceof TakenBack)) throw error
      })
    return done.result as Awaited<ReturnType<typeof work>>
  },
})

export type DryRun = {
  post(url: string, options: { token: string; body: unknown }): Promise<Answer>
  stop(): Promise<void>
}

export async function startDryRun({ ctx }: Pick<TestApp, 'ctx'>): Promise<DryRun> {
  const app: FastifyInstance = await buildApp({ ...ctx, db: takingBack(ctx.db) })
  return {
    async post(url, { token, body }) {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
      const payload = JSON.stringify(body)
      const {
        statusCode,
        payload: text,
        ...rest
      } = await app.inject({
        method: 'POST',
        url,
        headers,
        payload,
      })
      return { status: statusCode, text, body: JSON.parse(text), headers: rest.headers }
    },
    stop: () => app.close(),
  }
}
