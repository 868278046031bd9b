/** A real OpenID provider (`oidc-provider`) on loopback over https. */
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { exportJWK, generateKeyPair } from 'jose'
import { Provider } from 'oidc-provider'
import { createMemoryStore } from '#dev/openid-store.ts'

export const REDIRECT_URI = 'https://application.example/callback'

const fixtures = join(import.meta.dirname, '..', 'push', 'fixtures')

/** Self-signed, for 127.0.0.1. */
export const CERTIFICATE_FILE = join(fixtures, 'test-only-push-service.cert.pem')
export const CERTIFICATE = readFileSync(CERTIFICATE_FILE, 'utf8')
const KEY = readFileSync(join(fixtures, 'test-only-push-service.key.pem'), 'utf8')

export type OpenIdProvider = {
  issuer: string
  jwksUrl: string
  /** Wallets in ID tokens, by subject; for applications that request the claim. */
  wallets: Map<string, { address: string; kind: 'embedded' | 'external' }[]>
  stop(): Promise<void>
}

type Options = {
  /** Public clients with PKCE. */
  clientIds: readonly string[]
  /** Audiences of access tokens, which clients request by `resource`. */
  apis: readonly string[]
}

async function configuration(
  { clientIds, apis }: Options,
  wallets: OpenIdProvider['wallets'],
): Promise<Record<string, unknown>> {
  const { privateKey } = await generateKeyPair('ES256', { extractable: true })
  const key = { ...(await exportJWK(privateKey)), kid: randomUUID(), alg: 'ES256', use: 'sig' }
  return {
    adapter: createMemoryStore(),
    clients: clientIds.map((client_id) => ({
      client_id,
      token_endpoint_auth_method: 'none',
      redirect_uris: [REDIRECT_URI],
      grant_types: ['authorization_code'],
      response_types: ['code'],
      id_token_signed_response_alg: 'ES256',
    })),
    jwks: { keys: [key] },
    cookies: { keys: [randomUUID()] },
    claims: {
      acr: null,
      amr: null,
      auth_time: null,
      iss: null,
      sid: null,
      openid: ['sub'],
      wallets: ['wallets'],
    },
    features: {
      devInteractions: { enabled: false },
      claimsParameter: { enabled: true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_context: unknown, audience: string) => {
          if (!apis.includes(audience)) throw new Error(`No such API: ${audience}`)
          const jwt = { sign: { alg: 'ES256' } }
          return { scope: 'api', audience, accessTokenFormat: 'jwt', accessTokenTTL: 600, jwt }
        },
      },
    },
    findAccount: (_context: unknown, accountId: string) => ({
      accountId,
      claims: () => ({ sub: accountId, wallets: wallets.get(accountId) ?? [] }),
    }),
    interactions: { url: (_context: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    ttl: {
      AccessToken: 600,
      AuthorizationCode: 60,
      IdToken: 600,
      Grant: 600,
      Interaction: 600,
      Session: 600,
    },
  }
}

/** Instead of a login page: signs in the subject of `login_hint` by the methods after it. */
async function interact(
  provider: Provider,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { prompt, params, session } = await provider.interactionDetails(request, response)
  const [accountId = '', ...amr] = (params.login_hint ?? '').split(' ')
  if (prompt.name === 'login') {
    const result = { login: { accountId, amr } }
    return provider.interactionFinished(request, response, result)
  }
  const grant = new provider.Grant({
    accountId: session?.accountId ?? accountId,
    clientId: params.client_id ?? '',
  })
  grant.addOIDCScope('openid wallets')
  grant.addOIDCClaims(['wallets'])
  grant.addResourceScope(params.resource ?? '', 'api')
  const result = { consent: { grantId: await grant.save() } }
  return provider.interactionFinished(request, response, result, { mergeWithLastSubmission: true })
}

export async function startOpenIdProvider(options: Options): Promise<OpenIdProvider> {
  const server = createServer({ key: KEY, cert: CERTIFICATE })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const issuer = `https://127.0.0.1:${port}`
  const wallets: OpenIdProvider['wallets'] = new Map()
  const provider = new Provider(issuer, await configuration(options, wallets))
  const answer = provider.callback()
  server.on('request', (request, response) => {
    if (!request.url?.startsWith('/interaction/')) return void answer(request, response)
    interact(provider, request, response).catch((error) => {
      response.writeHead(500).end(String(error))
    })
  })
  return {
    issuer,
    jwksUrl: `${issuer}/jwks`,
    wallets,
    async stop() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
