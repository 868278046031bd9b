/**
 * The gateway of a web application: `npm run web`. It serves the built pages, signs people in at
 * the identity provider, keeps their tokens, and passes the page's requests on to the API.
 */
import { setTimeout as wait } from 'node:timers/promises'
import fastifyCookie from '@fastify/cookie'
import rateLimit, { normalizeIP } from '@fastify/rate-limit'
import fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyRequest,
  LogController,
} from 'fastify'
import { answerBadPath, registerErrorHandler } from '#http/error-handler.ts'
import { registerJsonBody } from '#http/json-body.ts'
import { registerRequestLog, requestIdOf } from '#http/requests.ts'
import { createIds, systemClock } from '#platform/clock.ts'
import { readEnvironment } from '#platform/config/config.ts'
import { isLoopback } from '#platform/config/values.ts'
import { PORT_OF, readWebConfig, type WebConfig } from '#platform/config/web.ts'
import { openDatabase } from '#platform/database/database.ts'
import { AppError, StartupError } from '#platform/errors.ts'
import { createLog } from '#platform/log.ts'
import { createMetrics, serveMetrics } from '#platform/metrics.ts'
import { runService, type Service } from '#platform/service.ts'
import { createCookies } from '#web/cookies.ts'
import { requireOwnPage } from '#web/cross-site.ts'
import { gatewayHealthRoutes } from '#web/health.routes.ts'
import { createSignInProvider } from '#web/oidc.ts'
import { startCuttingStreams } from '#web/open-streams.ts'
import { pageRoutes } from '#web/pages.routes.ts'
import { createPages } from '#web/pages.ts'
import { NO_CONTENT_POLICY, securityHeaders } from '#web/policy.ts'
import { proxyRoutes } from '#web/proxy.routes.ts'
import { type GatewayParts, sessionRoutes } from '#web/session.routes.ts'
import { currentSession, startSweeping } from '#web/sessions.ts'
import { unsubscribeRoutes } from '#web/unsubscribe.routes.ts'
import { createUpstream } from '#web/upstream.ts'
import { deriveWebKeys, type WebContext } from '#web/web-context.ts'

const CLOSE_WITHIN_MS = 5_000
const HEADERS_MAX_BYTES = 16 * 1024
const HEADERS_WITHIN_MS = 15_000
/** The API's own limit for an upload, and a little more. */
const REQUEST_WITHIN_MS = 150_000
const MINUTE_MS = 60_000

/** What only `npm start` adds. Nothing of it is part of this process in production. */
export type DevelopmentParts = {
  /** Path of a script that is added to the pages. */
  script?: string
  routes(app: FastifyInstance, session: DevelopmentSession): void
}

export type DevelopmentSession = {
  /** Throws unless one of our own scripts asks and somebody is signed in. */
  require(request: FastifyRequest): Promise<{ accountId: string; accessToken: string }>
}

/** The caller closes the context with `closeWeb`. */
export function composeWeb(config: WebConfig, replace: Partial<WebContext> = {}): WebContext {
  const { databaseUrl: url, databasePoolSize: poolSize, provider, origin, production } = config
  return {
    config,
    db: openDatabase({ url, poolSize, as: 'web' }),
    clock: systemClock,
    ids: createIds(),
    log: createLog({ level: config.logLevel }),
    metrics: createMetrics({ version: config.version, process: 'web' }),
    keys: deriveWebKeys(config.secret),
    provider: createSignInProvider({
      ...provider,
      redirectUri: `${origin}/session/callback`,
      allowsHttp: !production || isLoopback(new URL(provider.discoveryUrl)),
    }),
    ...replace,
  }
}

export async function buildGateway(
  ctx: WebContext,
  {
    isDraining = () => false,
    development,
  }: { isDraining?: () => boolean; development?: DevelopmentParts | undefined } = {},
): Promise<FastifyInstance> {
  const { config } = ctx
  const pages = createPages({
    root: config.root,
    production: config.production,
    script: development?.script,
  })
  const app = fastify({
    loggerInstance: ctx.log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    childLoggerFactory: (logger) => logger,
    genReqId: (request) => requestIdOf(request, ctx),
    requestTimeout: REQUEST_WITHIN_MS,
    http: { headersTimeout: HEADERS_WITHIN_MS, maxHeaderSize: HEADERS_MAX_BYTES },
    trustProxy: (_address, hop) => hop < config.trustedProxies,
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    routerOptions: { maxParamLength: HEADERS_MAX_BYTES },
    frameworkErrors: answerBadPath,
  })
  registerErrorHandler(app)
  registerRequestLog(app, ctx)
  registerSecurityHeaders(app, config.origin)
  await app.register(fastifyCookie)
  const countSignIn = await registerSignInLimit(app, config)
  const upstream = createUpstream(config.apiUrl)
  app.addHook('onClose', async () => upstream.close())
  const cookies = createCookies(ctx)
  const isDevelopment = development !== undefined
  const parts: GatewayParts = { ctx, cookies, upstream, pages, isDevelopment, countSignIn }
  // Its own scope, because bodies of the API must not be parsed here.
  await app.register(proxyRoutes(parts))
  if (config.realm === 'consumer') await app.register(unsubscribeRoutes(parts))
  await app.register(async (own) => {
    registerJsonBody(own)
    own.addHook('onRequest', async (request) => {
      if (request.method !== 'GET' && request.method !== 'HEAD') requireOwnPage(ctx, request)
    })
    await own.register(gatewayHealthRoutes(ctx, { isDraining }))
    await own.register(sessionRoutes(parts))
    development?.routes(own, developmentSession(parts))
    const elsewhere = isDevelopment ? ownAddress(config) : undefined
    await own.register(pageRoutes({ root: config.root, pages, elsewhere }))
  })
  return app
}

function registerSecurityHeaders(app: FastifyInstance, origin: string): void {
  const headers = { ...securityHeaders(origin), 'content-security-policy': NO_CONTENT_POLICY }
  app.addHook('onRequest', async (_request, reply) => {
    reply.headers(headers)
  })
}

async function registerSignInLimit(app: FastifyInstance, { signInsPerMinute: max }: WebConfig) {
  await app.register(rateLimit, { global: false, cache: 50_000 })
  const count = app.createRateLimit({
    max,
    timeWindow: MINUTE_MS,
    keyGenerator: (request) => normalizeIP(request.ip),
  })
  return async (request: FastifyRequest): Promise<void> => {
    const result = await count(request)
    if (result.isAllowed || !result.isExceeded) return
    throw new AppError('rate_limited', { retryAfterSeconds: Math.max(1, result.ttlInSeconds) })
  }
}

const developmentSession = ({ ctx, cookies }: GatewayParts): DevelopmentSession => ({
  async require(request) {
    requireOwnPage(ctx, request)
    const session = await currentSession(ctx, cookies.session(request))
    if (!session) throw new AppError('unauthenticated', { message: 'Sign in first.' })
    return { accountId: session.accountId, accessToken: session.tokens.accessToken }
  },
})

/** `localhost` and `127.0.0.1` are two sites: sign-in would lose its cookie between them. */
const ownAddress =
  ({ origin }: WebConfig) =>
  ({ host, raw }: FastifyRequest): string | undefined => {
    const isOther = URL.parse(`http://${host}`)?.port === new URL(origin).port
    return isOther && host !== new URL(origin).host ? `${origin}${raw.url ?? '/'}` : undefined
  }

async function listen(app: FastifyInstance, { host, port, realm }: WebConfig): Promise<string> {
  const { name } = PORT_OF[realm]
  try {
    return await app.listen({ host, port })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EADDRINUSE') {
      throw new StartupError(
        `${name} ${port} is in use. Stop the process that uses it, or set ${name} to another port.`,
      )
    }
    throw new StartupError(`Cannot listen on ${host}:${port} (${code}). Check HOST and ${name}.`)
  }
}

export async function startWeb(
  ctx: WebContext,
  development?: DevelopmentParts,
): Promise<Service & { url: string }> {
  let isDraining = false
  const app = await buildGateway(ctx, { isDraining: () => isDraining, development })
  const url = await listen(app, ctx.config).catch(async (error: unknown) => {
    await app.close()
    throw error
  })
  const stopSweeping = startSweeping(ctx)
  const stopCutting = startCuttingStreams(ctx)
  ctx.log.info({ url, realm: ctx.config.realm }, 'gateway listening')
  return {
    url,
    async stop() {
      isDraining = true
      stopSweeping()
      stopCutting()
      await wait(ctx.config.drainMs)
      // Live streams never end by themselves; their pages reconnect elsewhere.
      const timer = setTimeout(() => app.server.closeAllConnections(), CLOSE_WITHIN_MS)
      await app.close()
      clearTimeout(timer)
      await ctx.db.close()
    },
  }
}

async function start(): Promise<Service> {
  const config = readWebConfig(readEnvironment())
  const ctx = composeWeb(config)
  try {
    const metrics = await serveMetrics({
      registry: ctx.metrics.registry,
      host: config.metricsHost,
      port: config.metricsPort,
    })
    ctx.log.info({ url: metrics.url }, 'metrics listening')
    const gateway = await startWeb(ctx)
    return {
      async stop() {
        await gateway.stop()
        await metrics.close()
      },
    }
  } catch (error) {
    await ctx.db.close()
    throw error
  }
}

if (import.meta.main) await runService(start)
