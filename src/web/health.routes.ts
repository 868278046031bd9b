/** For load balancers: whether the gateway runs, and whether it can serve sessions. */
import type { FastifyPluginAsync } from 'fastify'
import { isStoreReachable } from './sessions.store.ts'
import type { WebContext } from './web-context.ts'

export const gatewayHealthRoutes =
  (
    { db }: Pick<WebContext, 'db'>,
    { isDraining }: { isDraining: () => boolean },
  ): FastifyPluginAsync =>
  async (app) => {
    app.get('/health/live', async () => ({ status: 'ok', service: 'web' }))
    app.get('/health/ready', async (_request, reply) => {
      const database = (await isStoreReachable(db)) ? 'ok' : 'unavailable'
      const isReady = database === 'ok' && !isDraining()
      const status = isReady ? 'ok' : 'unavailable'
      return reply.code(isReady ? 200 : 503).send({ status, checks: { database } })
    })
  }
