import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Context } from '#context.ts'
import { Type } from '#platform/schema.ts'
import { described, oneOf } from '#platform/values.ts'
import { isDatabaseReady } from './readiness.ts'

const Live = Type.Object(
  {
    status: oneOf(['ok'], { description: 'Always `ok`: the process answers' }),
    service: oneOf(['api'], { description: 'The kind of process' }),
    version: Type.String({ minLength: 1, description: 'The version that runs' }),
  },
  { title: 'Liveness', additionalProperties: false },
)

const Checks = Type.Object(
  {
    database: oneOf(['ok', 'error'], { description: '`ok` if a statement was answered in time' }),
  },
  { title: 'ReadinessChecks', description: 'What the service needs to answer requests' },
)

const Ready = Type.Object(
  {
    status: oneOf(['ok', 'error'], {
      description: '`error` if a check failed, or while the process drains before it stops',
    }),
    checks: Checks,
  },
  { title: 'Readiness' },
)

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
          description:
            'Without a token. Answers 200 while the process runs, whatever the state of the ' +
            'database: restart the process if it does not answer.',
          tags: ['health'],
          response: { 200: described(Live, 'The process runs.') },
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
          description:
            'Without a token. Answers 503 while the database is unreachable or the process is ' +
            'draining: send it no requests until it answers 200.',
          tags: ['health'],
          response: {
            200: described(Ready, 'The process can answer requests.'),
            503: described(Ready, 'A check failed, or the process is draining.'),
          },
        },
      },
      async (_request, reply) => {
        const database = (await isDatabaseReady(ctx)) ? 'ok' : 'error'
        const status = life.isDraining() ? 'error' : database
        return reply.code(status === 'ok' ? 200 : 503).send({ status, checks: { database } })
      },
    )
  }
