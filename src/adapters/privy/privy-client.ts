/**
 * A thin client of Privy's REST API. Every request carries the app's credentials; requests that
 * need authorisation are also signed. The caller parses the body of an answer.
 */
import { createPrivateKey, sign } from 'node:crypto'
import { canonicalJson } from '@countersign/proof/digest.ts'
import type { PrivyConfig } from '#platform/config/wallets.ts'
import {
  createProviderClient,
  type ProviderAnswer,
  unavailableBy,
} from '#platform/http-client/provider-client.ts'

const TIMEOUT_MS = 8_000

export type PrivyAnswer = ProviderAnswer

const provider = {
  name: 'Privy',
  message: 'The wallet provider gave no usable answer. Retry shortly.',
}

export const privyUnavailable = unavailableBy(provider)

export type PrivyRequest = {
  path: string
  body: Record<string, unknown>
  idempotencyKey?: string
  /** Unix milliseconds after which Privy must refuse the request. */
  expiryMs?: number
  /** Whether to sign the request with the authorization key. */
  isAuthorized?: boolean
}

export type PrivyClient = {
  url: string
  get(path: string): Promise<PrivyAnswer>
  post(request: PrivyRequest): Promise<PrivyAnswer>
  patch(request: PrivyRequest): Promise<PrivyAnswer>
}

/** The headers that a signature covers. */
export const signedHeaders = (
  appId: string,
  { idempotencyKey, expiryMs }: Pick<PrivyRequest, 'idempotencyKey' | 'expiryMs'>,
): Record<string, string> => ({
  'privy-app-id': appId,
  ...(idempotencyKey !== undefined && { 'privy-idempotency-key': idempotencyKey }),
  ...(expiryMs !== undefined && { 'privy-request-expiry': String(expiryMs) }),
})

export type PrivyClientOptions = Omit<PrivyConfig, 'ownerId' | 'funding'> & { timeoutMs?: number }

export function createPrivyClient(options: PrivyClientOptions): PrivyClient {
  const { url, appId, appSecret, authorizationKey, timeoutMs = TIMEOUT_MS } = options
  const credentials = {
    authorization: `Basic ${Buffer.from(`${appId}:${appSecret}`).toString('base64')}`,
    'privy-app-id': appId,
  }
  const der = Buffer.from(authorizationKey, 'base64')
  const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })

  const client = createProviderClient({ ...provider, codeOf: ({ code }) => code, timeoutMs })

  const write = (
    method: 'POST' | 'PATCH',
    { path, body, isAuthorized = false, ...options }: PrivyRequest,
  ) => {
    const headers = signedHeaders(appId, options)
    const payload = { version: 1, method, url: `${url}${path}`, body, headers }
    const signature = () => sign('sha256', Buffer.from(canonicalJson(payload)), key)
    return client.request(`${url}${path}`, {
      method,
      headers: {
        ...credentials,
        ...headers,
        'content-type': 'application/json',
        ...(isAuthorized && { 'privy-authorization-signature': signature().toString('base64') }),
      },
      body: JSON.stringify(body),
    })
  }

  return {
    url,
    get: (path) => client.request(`${url}${path}`, { headers: credentials }),
    post: (request) => write('POST', request),
    patch: (request) => write('PATCH', request),
  }
}
