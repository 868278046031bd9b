/** The API process: `npm run api`. */
import { setTimeout as wait } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { buildApp } from '#app.ts'
import { closeContext, compose } from '#compose.ts'
import type { Context } from '#context.ts'
import { grantFirstOperator } from '#identity/operators.ts'
import { settleEpoch } from '#live/settle-epoch.ts'
import { readConfig, readEnvironment } from '#platform/config/config.ts'
import { checkDatabase } from '#platform/database/check.ts'
import { migrate } from '#platform/database/migrate.ts'
import { StartupError } from '#platform/errors.ts'
import { serveMetrics } from '#platform/metrics.ts'
import { runService, type Service } from '#platform/service.ts'
import { startTracing } from '#tracing.ts'

const CLOSE_WITHIN_MS = 5_000

async function listen(app: FastifyInstance, { host, port }: Context['config']): Promise<string> {
  try {
    return await app.listen({ host, port })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EADDRINUSE') {
      throw new StartupError(
        `PORT ${port} is in use. Stop the process that uses it, or set PORT to another port.`,
      )
    }
    if (code === 'EACCES' || code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
      throw new StartupError(`Cannot listen on ${host}:${port} (${code}). Check HOST and PORT.`)
    }
    throw error
  }
}

/** Finishes running requests; idle connections do not delay the stop. */
async function closeWithin(app: FastifyInstance, ms: number): Promise<void> {
  const timer = setTimeout(() => app.server.closeAllConnections(), ms)
  await app.close()
  clearTimeout(timer)
}

/**
 * Load balancers see the failing `/health/ready` and route elsewhere before the server closes: a
 * connection waiting to be accepted at that moment would be reset.
 */
async function drain(app: FastifyInstance, ms: number): Promise<void> {
  app.server.prependListener('request', (_request, response) => {
    response.shouldKeepAlive = false
  })
  await wait(ms)
}

/** Serves the API over a migrated database; the caller closes the context. */
export async function startApi(ctx: Context): Promise<Service & { url: string }> {
  let isDraining = false
  const app = await buildApp(ctx, { isDraining: () => isDraining })
  try {
    await grantFirstOperator(ctx)
    await settleEpoch(ctx)
    const url = await listen(app, ctx.config)
    ctx.log.info({ url }, 'api listening')
    return {
      url,
      async stop() {
        isDraining = true
        await drain(app, ctx.config.drainMs)
        await closeWithin(app, CLOSE_WITHIN_MS)
      },
    }
  } catch (error) {
    await app.close()
    throw error
  }
}

export async function start(env = readEnvironment()): Promise<Service> {
  const config = readConfig(env, { process: 'api' })
  await migrate({ url: config.directUrl })
  const tracing = await startTracing(config)
  const ctx = compose(config)
  try {
    await checkDatabase(ctx)
    const metrics = await serveMetrics({
      registry: ctx.metrics.registry,
      host: config.metricsHost,
      port: config.metricsPort,
    })
    ctx.log.info({ url: metrics.url }, 'metrics listening')
    const api = await startApi(ctx)
    return {
      async stop() {
        await api.stop()
        await metrics.close()
        await closeContext(ctx)
        await tracing.stop()
      },
    }
  } catch (error) {
    await closeContext(ctx)
    throw error
  }
}

if (import.meta.main) await runService(start)
