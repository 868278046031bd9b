/** Sign-in, sign-out and what the page may know of its session. No answer contains a token. */
import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '#platform/errors.ts'
import type { Cookies } from './cookies.ts'
import { requireOwnNavigation } from './cross-site.ts'
import { cutEndedStreams } from './open-streams.ts'
import type { Pages } from './pages.ts'
import { endSession, hashOfCookie, readSession } from './sessions.ts'
import { finishSignIn, SignInProblem } from './sign-in.ts'
import { makeState, type SignInState, safePath, sealState } from './sign-in-state.ts'
import { REQUEST_ID } from './step-up.ts'
import type { Upstream } from './upstream.ts'
import type { WebContext } from './web-context.ts'

export type GatewayParts = {
  ctx: WebContext
  cookies: Cookies
  upstream: Upstream
  pages: Pages
  isDevelopment: boolean
  countSignIn(request: FastifyRequest): Promise<void>
}

type Query = { return_to?: unknown; request?: unknown }

export const sessionRoutes =
  (parts: GatewayParts): FastifyPluginAsync =>
  async (app) => {
    const { ctx, cookies } = parts
    app.addHook('onSend', async (_request, reply) => {
      reply.header('cache-control', 'no-store')
    })

    app.get('/session', async (request) => {
      const session = await readSession(ctx, cookies.session(request))
      return session
        ? { state: 'signed_in', accountId: session.accountId }
        : { state: 'signed_out' }
    })

    app.get('/config.json', async () => ({
      realm: ctx.config.realm,
      isDevelopment: parts.isDevelopment,
      buildHash: parts.pages.buildHash() ?? null,
    }))

    signInRoutes(app, parts)
    signOutRoute(app, parts)
  }

function signInRoutes(app: FastifyInstance, parts: GatewayParts): void {
  const { ctx, cookies, upstream, countSignIn } = parts

  const toProvider = async (reply: FastifyReply, state: SignInState) => {
    const url = await ctx.provider.signInUrl(state)
    cookies.setState(reply, sealState(ctx, state))
    return reply.redirect(url.href, 302)
  }

  app.get<{ Querystring: Query }>('/session/sign-in', async (request, reply) => {
    const { return_to: returnTo } = request.query
    const replaces = hashOfCookie(cookies.session(request))?.toString('hex')
    try {
      await countSignIn(request)
      return await toProvider(reply, makeState(ctx, { returnTo: safePath(returnTo), replaces }))
    } catch (error) {
      return explain(parts, reply, error)
    }
  })

  app.get<{ Querystring: Query }>('/session/step-up', async (request, reply) => {
    requireOwnNavigation(request)
    const { return_to: returnTo, request: requestId } = request.query
    if (typeof requestId !== 'string' || !REQUEST_ID.test(requestId)) {
      throw new AppError('validation_failed', { message: '`request` must be an export request.' })
    }
    try {
      await countSignIn(request)
      const session = await readSession(ctx, cookies.session(request))
      if (!session) throw new SignInProblem('signed_out')
      const stepUp = { idHash: session.idHash.toString('hex'), requestId }
      return await toProvider(reply, makeState(ctx, { returnTo: safePath(returnTo), stepUp }))
    } catch (error) {
      return explain(parts, reply, error)
    }
  })

  app.get('/session/callback', async (request, reply) => {
    const returned = new URL(request.raw.url ?? '/', 'http://gateway.invalid').searchParams
    const [cookie, session] = [cookies.state(request), cookies.session(request)]
    try {
      await countSignIn(request)
      cookies.clearState(reply)
      const brought = { returned, cookie, session }
      const { returnTo, sessionId } = await finishSignIn(ctx, upstream, brought)
      if (sessionId !== undefined) cookies.setSession(reply, sessionId)
      return reply.redirect(returnTo, 303)
    } catch (error) {
      return explain(parts, reply, error)
    }
  })
}

function problemCodeOf(error: SignInProblem | AppError): string {
  if (error instanceof SignInProblem) return error.code
  return error.code === 'rate_limited' ? 'too_many' : 'unavailable'
}

/** Sends the person to a page that says what to do, instead of a page of JSON. */
function explain({ ctx }: GatewayParts, reply: FastifyReply, error: unknown): FastifyReply {
  const isKnown = error instanceof SignInProblem || error instanceof AppError
  if (!isKnown) throw error
  const code = problemCodeOf(error)
  ctx.log.info({ code, err: error.cause ?? error }, 'sign-in failed')
  return reply.redirect(`/sign-in?problem=${code}`, 303)
}

/**
 * Without "cookies", which would clear those of other applications on the same domain. Development
 * keeps the storage, which holds the key of the wallet for trying things out.
 */
const clearedData = ({ isDevelopment }: GatewayParts): string =>
  isDevelopment ? '"cache"' : '"cache", "storage"'

function signOutRoute(app: FastifyInstance, parts: GatewayParts): void {
  const { ctx, cookies } = parts
  app.post<{ Body: { everywhere?: unknown } | undefined }>(
    '/session/sign-out',
    async (request, reply) => {
      const everywhere = request.body?.everywhere ?? false
      if (typeof everywhere !== 'boolean') {
        throw new AppError('validation_failed', { message: '`everywhere` must be true or false.' })
      }
      const session = await readSession(ctx, cookies.session(request))
      if (session) await endSession(ctx, session, { everywhere })
      await cutEndedStreams(ctx)
      cookies.clearSession(reply)
      cookies.clearState(reply)
      reply.header('clear-site-data', clearedData(parts))
      return reply.code(204).send()
    },
  )
}
