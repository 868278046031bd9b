/**
 * The identity provider of `npm start`: `oidc-provider`, a certified implementation, with a sign-in
 * page of ours. Applications sign people in here exactly as at any other provider. It signs with
 * the same keys as the helper's `/token`, so the API accepts the tokens of both.
 */
import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import type { FastifyInstance } from 'fastify'
import type { Details, Provider } from 'oidc-provider'
import type { Realm, RealmConfig } from '#platform/config/config.ts'
import type { DevIdentity } from './identity.ts'
import { createMemoryStore } from './openid-store.ts'
import { type DevPeople, type DevPerson, openPeople } from './people.ts'
import { choosePage, confirmPage, signInHeaders } from './sign-in-page.ts'

const ACCESS_SECONDS = 15 * 60
const HOUR = 60 * 60
const WEEK = 7 * 24 * HOUR
const FORM_MAX_BYTES = 10_000
/** The provider drops a `max_age` of 0, which asks for a fresh sign-in; it keeps this hint. */
const FRESH = 'fresh'

export type DevProviderOptions = {
  folder: string
  identity: DevIdentity
  realms: Record<Realm, RealmConfig>
  /** Origins of the applications that people are sent back to. */
  applications: Partial<Record<Realm, string>>
  /** The people of the demo organization, for the consumer realm's page. */
  demoPeople?: (() => readonly DevPerson[]) | undefined
}

type RealmProvider = { provider: Provider; people: DevPeople; realm: Realm; origin: string }

const cookieKey = (options: DevProviderOptions, realm: Realm): string =>
  createHash('sha256')
    .update(JSON.stringify(options.identity.signingKey(realm)))
    .digest('hex')

type Named = { clientId: string }

const features = (realm: Realm, audience: string) => ({
  devInteractions: { enabled: false },
  revocation: {
    enabled: true,
    allowedPolicy: (_context: unknown, client: Named, token: Named) =>
      client.clientId === token.clientId,
  },
  rpInitiatedLogout: { enabled: false },
  userinfo: { enabled: false },
  resourceIndicators: {
    enabled: true,
    defaultResource: () => `urn:countersign:${realm}`,
    useGrantedResource: () => true,
    getResourceServerInfo: () => ({
      scope: '',
      audience,
      accessTokenFormat: 'jwt',
      accessTokenTTL: ACCESS_SECONDS,
      jwt: { sign: { alg: 'ES256' } },
    }),
  },
})

function configuration(options: DevProviderOptions, realm: Realm, people: DevPeople) {
  const { identity, realms, applications } = options
  const { audience } = realms[realm]
  const path = `/${realm}`
  return {
    adapter: createMemoryStore(),
    clients: [
      {
        client_id: audience,
        token_endpoint_auth_method: 'none',
        redirect_uris: [`${applications[realm]}/session/callback`],
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        id_token_signed_response_alg: 'ES256',
        require_auth_time: true,
      },
    ],
    jwks: { keys: [identity.signingKey(realm)] },
    routes: { jwks: '/jwks' },
    cookies: {
      keys: [cookieKey(options, realm)],
      names: {
        session: `dev-${realm}-session`,
        interaction: `dev-${realm}-interaction`,
        resume: `dev-${realm}-resume`,
      },
      long: { path, httpOnly: true, sameSite: 'lax' },
      short: { path, httpOnly: true, sameSite: 'lax' },
    },
    claims: {
      openid: ['sub', 'amr', 'auth_time'],
      profile: ['name'],
      email: ['email', 'email_verified'],
    },
    conformIdTokenClaims: false,
    scopes: ['openid', 'offline_access', 'profile', 'email'],
    features: features(realm, audience),
    pkce: { required: () => true },
    issueRefreshToken: () => true,
    rotateRefreshToken: true,
    loadExistingGrant: firstParty(realm),
    findAccount: (_context: unknown, accountId: string) => ({
      accountId,
      claims: () => claimsOf(people, accountId),
    }),
    interactions: {
      url: (_context: unknown, { uid }: { uid: string }) => `${path}/interaction/${uid}`,
    },
    ttl: {
      AccessToken: ACCESS_SECONDS,
      AuthorizationCode: 60,
      IdToken: HOUR,
      Grant: WEEK,
      Interaction: HOUR,
      RefreshToken: WEEK,
      Session: WEEK,
    },
  }
}

function claimsOf(people: DevPeople, subject: string) {
  const { name, email } = people.find(subject) ?? {}
  return {
    sub: subject,
    ...(name && { name }),
    ...(email && { email, email_verified: true }),
  }
}

type GrantContext = {
  oidc: {
    client: { clientId: string }
    session: { accountId: string }
    provider: Provider
  }
}

/** The application is ours, so nobody is asked for consent. */
const firstParty = (realm: Realm) => async (context: GrantContext) => {
  const { client, session, provider } = context.oidc
  const { accountId } = session
  const grant = new provider.Grant({ clientId: client.clientId, accountId })
  grant.addOIDCScope('openid offline_access profile email')
  grant.addResourceScope(`urn:countersign:${realm}`, 'openid')
  await grant.save()
  return grant
}

async function createRealm(options: DevProviderOptions, realm: Realm): Promise<RealmProvider> {
  const { Provider: OpenIdProvider } = await import('oidc-provider')
  const { folder, demoPeople: demo } = options
  const people = await openPeople({ folder, realm, ...(realm === 'consumer' && demo && { demo }) })
  const { issuer } = options.realms[realm]
  const provider = new OpenIdProvider(issuer, configuration(options, realm, people))
  return { provider, people, realm, origin: options.applications[realm] ?? '' }
}

async function formOf(request: IncomingMessage): Promise<URLSearchParams> {
  if (Number(request.headers['content-length'] ?? Number.NaN) > FORM_MAX_BYTES) {
    return new URLSearchParams()
  }
  return new URLSearchParams(await text(request))
}

type Exchange = { request: IncomingMessage; response: ServerResponse }

/** The page, or what follows from the form that was sent from it. */
async function interact(found: RealmProvider, { request, response }: Exchange): Promise<void> {
  const { provider, people, realm, origin } = found
  const details = await provider.interactionDetails(request, response)
  const { prompt, params, session } = details
  const show = (html: string, status = 200) =>
    void response.writeHead(status, signInHeaders([origin])).end(html)
  const finish = (result: Record<string, unknown>) =>
    provider.interactionFinished(request, response, result)
  if (prompt.name !== 'login') return finish({ consent: {} })
  // An application asks for a fresh sign-in when it needs a second factor.
  const isFresh = params.login_hint === FRESH
  const known = isFresh ? people.find(session?.accountId ?? '') : undefined
  const form = request.method === 'POST' ? await formOf(request) : undefined
  if (known) {
    if (!form) return show(confirmPage(known))
    if (form.get('confirm') !== 'yes') return finish({ error: 'access_denied' })
    const amr = ['mfa', 'pwd', 'otp']
    return finish({ login: { accountId: known.subject, amr } })
  }
  if (!form) return show(choosePage({ realm, people: people.list() }))
  const person = await personOf(form, people)
  if (!person) {
    return show(choosePage({ realm, people: people.list(), problem: 'Enter a name.' }), 400)
  }
  const amr = isFresh ? ['mfa', 'pwd', 'otp'] : ['pwd']
  await forgetOther(provider, details, person.subject)
  return finish({ login: { accountId: person.subject, amr } })
}

/** The provider would ask whoever signed in before to sign out first, by a page with a script. */
async function forgetOther(provider: Provider, details: Details, subject: string): Promise<void> {
  const { session } = details
  if (!session || session.accountId === subject) return
  const other = await provider.Session.findByUid(session.uid)
  await other?.destroy()
  delete details.session
  await details.save(HOUR)
}

async function personOf(form: URLSearchParams, people: DevPeople) {
  const subject = form.get('subject')
  if (subject !== null) return people.meetAgain(subject)
  const name = form.get('name') ?? ''
  if (!/[\p{L}\p{N}]/u.test(name)) return undefined
  return people.meet({ name, email: form.get('email') ?? '' })
}

/** People choose who to be at every sign-in, even if the browser still has a session here. */
function withPrompt(url: string): string {
  if (!/^\/\w+\/auth\?/.test(url)) return url
  if (/[?&]max_age=0(?:&|$)/.test(url)) return `${url}&login_hint=${FRESH}`
  return /[?&]prompt=/.test(url) ? url : `${url}&prompt=login`
}

async function answer(found: RealmProvider, { request, response }: Exchange): Promise<void> {
  const url = withPrompt(request.url ?? '/')
  const inner = url.slice(`/${found.realm}`.length)
  // The provider derives its own addresses from the difference.
  Object.assign(request, { originalUrl: url, url: inner })
  if (inner.startsWith('/interaction/')) {
    await interact(found, { request, response })
  } else {
    await found.provider.callback()(request, response)
  }
}

/** Returns what adds the providers of both realms to the helper. */
export async function createDevProvider(
  options: DevProviderOptions,
): Promise<(app: FastifyInstance) => void> {
  const wanted = (['consumer', 'admin'] as const).filter((realm) => options.applications[realm])
  const realms = await Promise.all(wanted.map((realm) => createRealm(options, realm)))
  return (app) =>
    void app.register(async (own) => {
      own.removeAllContentTypeParsers()
      own.addContentTypeParser('*', (_request, _payload, done) => done(null))
      for (const found of realms) {
        own.all(`/${found.realm}/*`, { config: { takesBytes: true } }, (request, reply) => {
          reply.hijack()
          answer(found, { request: request.raw, response: reply.raw }).catch(() => {
            if (!reply.raw.headersSent) reply.raw.writeHead(400, signInHeaders([]))
            reply.raw.end('This sign-in is over. Go back to the application and start again.')
          })
        })
      }
    })
}
