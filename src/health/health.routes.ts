import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import type { Context } from '#context.ts'
import { oneOf } from '#platform/values.ts'
import { isDatabaseReady } from './readiness.ts'

const Live = Type.Object(
  {
    status: oneOf(['ok']),
    service: oneOf(['api']),
    version: Type.String({ minLength: 1 }),
  },
  { additionalProperties: false },
)

const Ready = Type.Object({
  status: oneOf(['ok', 'error']),
  checks: Type.Object({ database: oneOf(['ok', 'error']) }),
})

export const healthRoutes =
  (
    ctx: Pick<Context, 'db' | 'config'>,
    life: { isDraining(): boolean },
  ): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.get(
      '/health/live',
      {
        schema: {
          operationId: 'getLiveness',
          summary: 'Check liveness',
          description: 'Answers 200 while the process runs.',
          tags: ['health'],
          response: { 200: Live },
        },
      },
      async () => ({ status: 'ok' as const, service: 'api' as const, version: ctx.config.version }),
    )

    app.get(
      '/health/ready',
      {
        schema: {
          operationId: 'getReadiness',
          summary: 'Check readiness',
          description: 'Answers 503 while the database is unreachable or the process is draining.',
          tags: ['health'],
          response: { 200: Ready, 503: Ready },
        },
      },
      async (_request, reply) => {
        const database = (await isDatabaseReady(ctx)) ? 'ok' : 'error'
        const status = life.isDraining() ? 'error' : database
        return reply.code(status === 'ok' ? 200 : 503).send({ status, checks: { database } })
      },
    )
  }
