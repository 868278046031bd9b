/** The demo organization for the application and the development wallet. Under `npm start` only. */
import type { FastifyInstance } from 'fastify'
import { AppError } from '#platform/errors.ts'
import type { DevelopmentSession } from '#web.ts'
import type { DemoHost } from './demo-host.ts'

type Options = {
  session: DevelopmentSession
  /** Undefined where people come from another identity provider. */
  demo: DemoHost | undefined
}

function required(demo: DemoHost | undefined): DemoHost {
  if (demo) return demo
  throw new AppError('not_found', { message: 'The demo needs the development sign-in.' })
}

export function demoRoutes(app: FastifyInstance, { session, demo }: Options): void {
  app.get('/dev/demo', async (request, reply) => {
    await session.require(request)
    reply.header('cache-control', 'no-store')
    return demo?.status() ?? { state: 'unavailable' }
  })

  app.post('/dev/demo', async (request, reply) => {
    await session.require(request)
    const host = required(demo)
    // The page asks for the status, which also says if it failed.
    host.furnish().catch((error: unknown) => request.log.error({ err: error }, 'no demo'))
    return reply.code(202).send(host.status())
  })

  app.post('/dev/demo/join', async (request) => required(demo).join(await session.require(request)))

  app.get('/dev/wallet-key', async (request, reply) => {
    const { accountId } = await session.require(request)
    reply.header('cache-control', 'no-store')
    return { privateKey: demo?.keyOf(accountId) ?? null }
  })
}
