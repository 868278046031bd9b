/** What `npm start` adds to the gateway: a wallet for trying the application out, and its chain. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { type Environment, readDevConfig } from '#platform/config/config.ts'
import { readWebConfig } from '#platform/config/web.ts'
import { AppError } from '#platform/errors.ts'
import type { Service } from '#platform/service.ts'
import { createUpstream, readBytes } from '#web/upstream.ts'
import { composeWeb, type DevelopmentParts, startWeb } from '#web.ts'
import { keepWebSecret } from './defaults.ts'
import type { DemoHost } from './demo-host.ts'
import { demoRoutes } from './demo-routes.ts'
import { pickPort } from './free-ports.ts'
import type { About } from './helper-server.ts'

const LOOPBACK = '127.0.0.1'
const ROOT = join(import.meta.dirname, '..', '..')
const WALLET = join(ROOT, 'apps', 'dev-wallet', 'dist', 'wallet.js')

/** Passes a JSON body on, and the answer back. */
function forwarder(app: FastifyInstance, { url, path }: { url: string; path: string }) {
  const upstream = createUpstream(url)
  app.addHook('onClose', async () => upstream.close())
  return async (value: unknown): Promise<{ status: number; bytes: Buffer }> => {
    const body = Buffer.from(JSON.stringify(value ?? {}))
    const headers = { 'content-type': 'application/json', 'content-length': String(body.length) }
    const answer = await upstream.send({ method: 'POST', path, headers, body })
    return { status: answer.statusCode ?? 502, bytes: await readBytes(answer) }
  }
}

const walletParts = (options: {
  helper: string
  rpc: string
  demo: DemoHost | undefined
}): DevelopmentParts => ({
  script: '/dev/wallet.js',
  routes(app, session) {
    const { helper, rpc, demo } = options
    demoRoutes(app, { session, demo })
    const targets = {
      '/dev/faucet': forwarder(app, { url: helper, path: '/faucet' }),
      '/dev/rpc': forwarder(app, { url: rpc, path: '/' }),
    }
    for (const [path, forward] of Object.entries(targets)) {
      app.post(path, async (request, reply) => {
        const { status, bytes } = await forward(request.body)
        return reply.code(status).type('application/json').send(bytes)
      })
    }
    app.get('/dev/wallet.js', async (_request, reply) => {
      const script = await readFile(WALLET).catch(() => undefined)
      if (!script) throw new AppError('not_found', { message: 'Run npm run build:web first.' })
      reply.header('cache-control', 'no-cache')
      return reply.type('text/javascript; charset=utf-8').send(script)
    })
  },
})

/** With another chain there is neither wallet nor faucet. */
const NO_WALLET: DevelopmentParts = { routes() {} }

type Place = { port: number; origin: string }

/** A provider that is configured without a client cannot sign anybody in for an application. */
const servesPages = (env: Environment): boolean =>
  !env.CONSUMER_ISSUER || Boolean(env.CONSUMER_CLIENT_ID)

/** The port of the consumer application, and what browsers call it. */
export async function findPlace(env: Environment): Promise<Place | undefined> {
  const { webPort } = readDevConfig(env)
  if (webPort === undefined || !servesPages(env)) return undefined
  const port = webPort === 0 ? await pickPort(LOOPBACK) : webPort
  return { port, origin: env.WEB_ORIGIN || `http://${LOOPBACK}:${port}` }
}

/** Serves the consumer application. `address` also says what is wrong with its pages. */
export async function startWebPart(options: {
  env: Environment
  /** The variables of the whole service, with their defaults. */
  complete: Environment
  folder: string
  place: Place
  about: About
  devPort: number
  building: Promise<string | undefined> | undefined
  demo: DemoHost | undefined
}): Promise<Service & { address: string }> {
  const { env, complete, folder, place, about, devPort, building, demo } = options
  const problem = await building
  const helper = `http://${LOOPBACK}:${devPort}`
  const config = readWebConfig({
    ...complete,
    WEB_REALM: 'consumer',
    WEB_SECRET: env.WEB_SECRET || (await keepWebSecret(folder)),
    WEB_PORT: String(place.port),
    API_URL: about.api,
    ...(!env.CONSUMER_ISSUER && {
      CONSUMER_CLIENT_ID: about.consumer.audience,
      CONSUMER_DISCOVERY_URL: `${helper}/consumer/.well-known/openid-configuration`,
    }),
  })
  const isOurChain = !env.RPC_URLS && !env.TOKEN_ADDRESS
  const parts = isOurChain ? walletParts({ helper, rpc: about.rpc, demo }) : NO_WALLET
  const { stop } = await startWeb(composeWeb(config), parts)
  const address = problem === undefined ? config.origin : `${config.origin}   (${problem})`
  return { address, stop }
}
