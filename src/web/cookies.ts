/** The two cookies of an application: its session, and the state of a sign-in. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { LIFETIME_SECONDS } from './sessions.ts'
import { SIGN_IN_SECONDS } from './sign-in-state.ts'
import type { WebContext } from './web-context.ts'

/** Browsers keep a `__Host-` cookie to one host, path `/` and https. Cookies do not see ports. */
export function cookieNames({ config }: Pick<WebContext, 'config'>): {
  session: string
  state: string
  isSecure: boolean
} {
  const { protocol, port } = new URL(config.origin)
  const isSecure = protocol === 'https:'
  const prefix = isSecure ? '__Host-' : ''
  const suffix = isSecure || port === '' ? '' : `-${port}`
  const name = `${prefix}countersign-${config.realm}`
  return { session: `${name}${suffix}`, state: `${name}-sign-in${suffix}`, isSecure }
}

export function createCookies(ctx: WebContext) {
  const names = cookieNames(ctx)
  const common = { path: '/', httpOnly: true, secure: names.isSecure }
  /** A Strict cookie would not be sent when the provider redirects back. */
  const ofState = { ...common, sameSite: 'lax' as const }
  const ofSession = { ...common, sameSite: 'strict' as const }
  return {
    session: ({ cookies }: FastifyRequest) => cookies[names.session],
    state: ({ cookies }: FastifyRequest) => cookies[names.state],
    setSession: (reply: FastifyReply, id: string) =>
      reply.setCookie(names.session, id, { ...ofSession, maxAge: LIFETIME_SECONDS }),
    clearSession: (reply: FastifyReply) => reply.clearCookie(names.session, ofSession),
    setState: (reply: FastifyReply, sealed: string) =>
      reply.setCookie(names.state, sealed, { ...ofState, maxAge: SIGN_IN_SECONDS }),
    clearState: (reply: FastifyReply) => reply.clearCookie(names.state, ofState),
  }
}

export type Cookies = ReturnType<typeof createCookies>
