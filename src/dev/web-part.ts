/**
 * The gateways of `npm start`. That of the consumer application gets a wallet for trying it out,
 * and its chain.
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { type Environment, type Realm, readDevConfig } from '#platform/config/config.ts'
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

/** For operators, and with another chain, there is neither wallet nor faucet. */
const NO_WALLET: DevelopmentParts = { routes() {} }

type Place = { port: number; origin: string }

/** A provider that is configured without a client cannot sign anybody in for an application. */
const servesPages = (env: Environment, realm: Realm): boolean => {
  const prefix = realm.toUpperCase()
  return !env[`${prefix}_ISSUER`] || Boolean(env[`${prefix}_CLIENT_ID`])
}

/** The port of an application, and what browsers call it. */
export async function findPlace(env: Environment, realm: Realm): Promise<Place | undefined> {
  const { webPort, adminWebPort } = readDevConfig(env)
  const wanted = realm === 'admin' ? adminWebPort : webPort
  if (wanted === undefined || !servesPages(env, realm)) return undefined
  const port = wanted === 0 ? await pickPort(LOOPBACK) : wanted
  const named = realm === 'admin' ? undefined : env.WEB_ORIGIN
  return { port, origin: named || `http://${LOOPBACK}:${port}` }
}

/** Variables that name one gateway. With two, they mean that of the consumer application. */
const ownVariables = (realm: Realm, { port, origin }: Place): Environment =>
  realm === 'admin'
    ? { ADMIN_WEB_PORT: String(port), WEB_ORIGIN: origin, WEB_ROOT: '' }
    : { WEB_PORT: String(port) }

/** Serves an application. `address` also says what is wrong with its pages. */
export async function startWebPart(options: {
  realm: Realm
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
  const { realm, env, complete, folder, place, about, devPort, building, demo } = options
  const problem = await building
  const helper = `http://${LOOPBACK}:${devPort}`
  const prefix = realm.toUpperCase()
  const config = readWebConfig({
    ...complete,
    ...ownVariables(realm, place),
    WEB_REALM: realm,
    WEB_SECRET: env.WEB_SECRET || (await keepWebSecret(folder)),
    API_URL: about.api,
    ...(!env[`${prefix}_ISSUER`] && {
      [`${prefix}_CLIENT_ID`]: about[realm].audience,
      [`${prefix}_DISCOVERY_URL`]: `${helper}/${realm}/.well-known/openid-configuration`,
    }),
  })
  const hasWallet = realm === 'consumer' && !env.RPC_URLS && !env.TOKEN_ADDRESS
  const parts = hasWallet ? walletParts({ helper, rpc: about.rpc, demo }) : NO_WALLET
  const { stop } = await startWeb(composeWeb(config), parts)
  const address = problem === undefined ? config.origin : `${config.origin}   (${problem})`
  return { address, stop }
}
