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
          summary: 'The process is up',
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
          summary: 'The service can do its work',
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
