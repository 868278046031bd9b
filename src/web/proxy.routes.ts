/** The API of this application's realm, under the same paths. */
import type { FastifyPluginAsync } from 'fastify'
import { requireOwnPage } from './cross-site.ts'
import { createProxy } from './proxy.ts'
import type { GatewayParts } from './session.routes.ts'

export const proxyRoutes =
  ({ ctx, cookies, upstream }: GatewayParts): FastifyPluginAsync =>
  async (app) => {
    const proxy = createProxy(ctx, upstream)
    // Bodies stay streams: the API reads and checks them.
    app.removeAllContentTypeParsers()
    app.addContentTypeParser('*', (_request, payload, done) => done(null, payload))
    app.addHook('onRequest', async (request) => requireOwnPage(ctx, request))
    app.route({
      method: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
      url: `/v1/${ctx.config.realm}/*`,
      exposeHeadRoute: false,
      handler: async (request, reply) => {
        await proxy({ request, reply, cookie: cookies.session(request) })
        return reply
      },
    })
  }
