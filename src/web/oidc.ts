/**
 * The code flow with PKCE at any OpenID provider. Its metadata is read when it is first needed, so
 * that a gateway starts while the provider is down.
 */
import * as openid from 'openid-client'
import type { SignInConfig } from '#platform/config/web.ts'
import { AppError } from '#platform/errors.ts'

/** Shorter than the lock time-out of the database, because a refresh runs under a row lock. */
const TIMEOUT_SECONDS = 4
const METADATA_LIFETIME_MS = 60 * 60 * 1_000
/** The API's own limit for the assertion of a second factor. */
const FRESH_WITHIN_SECONDS = 300

export type Tokens = {
  accessToken: string
  refreshToken: string | undefined
  /** Undefined if the provider did not say. */
  expiresInSeconds: number | undefined
}

export type Authenticated = Tokens & { idToken: string; subject: string }

/** What must match when the person comes back from the provider. */
export type Checks = { state: string; nonce: string; verifier: string; isFresh: boolean }

export type SignInProvider = {
  /** The provider's page, with everything that the return is checked against. */
  signInUrl(checks: Checks): Promise<URL>
  /** Throws `ProviderRefusal`, or `dependency_unavailable` if the provider does not answer. */
  complete(returned: URLSearchParams, checks: Checks): Promise<Authenticated>
  /** Undefined: the provider refuses, and the session is over. */
  refresh(refreshToken: string): Promise<Tokens | undefined>
  /** Does nothing at a provider without such an endpoint. */
  revoke(token: string, kind: 'refresh_token' | 'access_token'): Promise<void>
}

/** `code`: the provider's own error code, such as access_denied. */
export class ProviderRefusal extends Error {
  override readonly name = 'ProviderRefusal'
  readonly code: string

  constructor(code: string, options?: ErrorOptions) {
    super(`The identity provider refused: ${code}`, options)
    this.code = code
  }
}

export const randomText = (): string => openid.randomState()

type ProviderOptions = SignInConfig & {
  redirectUri: string
  /** Development only: a provider on this machine. */
  allowsHttp: boolean
}

export function createSignInProvider(options: ProviderOptions): SignInProvider {
  const configured = cachedConfiguration(options)
  const { redirectUri, scope, parameters, stepUpParameters } = options
  // RFC 8707: a provider may want the resource again at its token endpoint.
  const atTokenEndpoint: Record<string, string> =
    parameters.resource === undefined ? {} : { resource: parameters.resource }

  return {
    async signInUrl({ state, nonce, verifier, isFresh }) {
      const challenge = await openid.calculatePKCECodeChallenge(verifier)
      return openid.buildAuthorizationUrl(await configured(), {
        ...parameters,
        ...(isFresh && { ...stepUpParameters, prompt: 'login', max_age: '0' }),
        scope,
        redirect_uri: redirectUri,
        state,
        nonce,
        code_challenge: challenge,
        code_challenge_method: 'S256',
      })
    },

    async complete(returned, { state, nonce, verifier, isFresh }) {
      const configuration = await configured()
      const url = new URL(`${redirectUri}?${returned}`)
      const checks = {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
        idTokenExpected: true,
        ...(isFresh && { maxAge: FRESH_WITHIN_SECONDS }),
      }
      const answer = await openid
        .authorizationCodeGrant(configuration, url, checks, atTokenEndpoint)
        .catch((error: unknown) => {
          throw isRefusal(error)
            ? new ProviderRefusal(refusalOf(error), { cause: error })
            : down(error)
        })
      const { id_token: idToken } = answer
      const subject = answer.claims()?.sub
      if (idToken === undefined || subject === undefined) throw new ProviderRefusal('no_id_token')
      return { ...tokensOf(answer), idToken, subject }
    },

    async refresh(refreshToken) {
      const configuration = await configured()
      try {
        const parameters = { ...atTokenEndpoint }
        const answer = await openid.refreshTokenGrant(configuration, refreshToken, parameters)
        const tokens = tokensOf(answer)
        return { ...tokens, refreshToken: tokens.refreshToken ?? refreshToken }
      } catch (error) {
        if (isRefusal(error)) return undefined
        throw down(error)
      }
    },

    async revoke(token, kind) {
      const configuration = await configured()
      if (!configuration.serverMetadata().revocation_endpoint) return
      await openid.tokenRevocation(configuration, token, { token_type_hint: kind })
    },
  }
}

/** Read again every hour; endpoints and keys of a provider do change. */
function cachedConfiguration(options: ProviderOptions): () => Promise<openid.Configuration> {
  let cached: { at: number; reading: Promise<openid.Configuration> } | undefined
  return () => {
    const now = performance.now()
    if (cached && now - cached.at < METADATA_LIFETIME_MS) return cached.reading
    const reading = discover(options)
    const entry = { at: now, reading }
    cached = entry
    reading.catch(() => {
      if (cached === entry) cached = undefined
    })
    return reading
  }
}

async function discover(options: ProviderOptions): Promise<openid.Configuration> {
  const { discoveryUrl, issuer, clientId, clientSecret, allowsHttp } = options
  const authentication = clientSecret ? openid.ClientSecretBasic(clientSecret) : openid.None()
  const configuration = await openid
    .discovery(new URL(discoveryUrl), clientId, {}, authentication, {
      timeout: TIMEOUT_SECONDS,
      execute: allowsHttp ? [openid.allowInsecureRequests] : [],
    })
    .catch((error: unknown) => {
      throw down(error)
    })
  const found = configuration.serverMetadata().issuer
  if (found !== issuer) {
    const cause = new Error(`${discoveryUrl} names the issuer ${found} instead of ${issuer}`)
    throw new AppError('dependency_unavailable', { retryAfterSeconds: 5, cause })
  }
  return configuration
}

const down = (cause: unknown) =>
  new AppError('dependency_unavailable', {
    message: 'The identity provider does not answer. Try again shortly.',
    retryAfterSeconds: 2,
    cause,
  })

/** Answers that arrived and failed a check. */
const FAILED_CHECKS = new Set([
  ...['OAUTH_INVALID_RESPONSE', 'OAUTH_JWT_TIMESTAMP_CHECK_FAILED', 'OAUTH_KEY_SELECTION_FAILED'],
  ...['OAUTH_JWT_CLAIM_COMPARISON_FAILED', 'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED'],
])

/** An error answer, or an answer that fails a check. Anything else is an outage. */
function isRefusal(error: unknown): boolean {
  if (error instanceof openid.AuthorizationResponseError) return true
  if (error instanceof openid.ResponseBodyError) return error.status < 500 && error.status !== 429
  return error instanceof openid.ClientError && FAILED_CHECKS.has(error.code ?? '')
}

const refusalOf = (error: unknown): string => {
  if (error instanceof openid.AuthorizationResponseError) return error.error
  if (error instanceof openid.ResponseBodyError) return error.error
  return 'invalid_response'
}

const tokensOf = (answer: openid.TokenEndpointResponse): Tokens => ({
  accessToken: answer.access_token,
  refreshToken: answer.refresh_token,
  expiresInSeconds: answer.expires_in,
})
