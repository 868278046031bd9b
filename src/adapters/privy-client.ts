/**
 * A thin client of Privy's REST API. Every request carries the app's credentials; one that Privy
 * wants authorised is signed over exactly what is sent. Answers are bounded and parsed by the
 * caller; nothing of a body, ours or theirs, ever stands in an error: it can be a key.
 */
import { createPrivateKey, sign } from 'node:crypto'
import type { PrivyConfig } from '#platform/config-wallets.ts'
import { canonicalJson } from '#platform/digest.ts'
import { AppError } from '#platform/errors.ts'

const TIMEOUT_MS = 8_000
const ANSWER_BYTES_MAX = 256 * 1024

export type PrivyAnswer =
  | { outcome: 'done'; body: Record<string, unknown> }
  | { outcome: 'refused'; status: number; code: string }

export type PrivyRequest = {
  path: string
  body: Record<string, unknown>
  idempotencyKey?: string
  /** Unix milliseconds after which Privy must refuse the request. */
  expiryMs?: number
  /** Whether a signature by the authorization key goes with it. */
  isAuthorized?: boolean
}

export type PrivyClient = {
  url: string
  get(path: string): Promise<PrivyAnswer>
  post(request: PrivyRequest): Promise<PrivyAnswer>
  patch(request: PrivyRequest): Promise<PrivyAnswer>
  /** Pure: the headers that a signature covers. */
  signedHeaders(request: Pick<PrivyRequest, 'idempotencyKey' | 'expiryMs'>): Record<string, string>
}

export type PrivyClientOptions = Omit<PrivyConfig, 'ownerId' | 'funding'> & { timeoutMs?: number }

export function createPrivyClient(options: PrivyClientOptions): PrivyClient {
  const { url, appId, appSecret, authorizationKey, timeoutMs = TIMEOUT_MS } = options
  const credentials = {
    authorization: `Basic ${Buffer.from(`${appId}:${appSecret}`).toString('base64')}`,
    'privy-app-id': appId,
  }
  const der = Buffer.from(authorizationKey, 'base64')
  const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })

  const signedHeaders: PrivyClient['signedHeaders'] = ({ idempotencyKey, expiryMs }) => ({
    'privy-app-id': appId,
    ...(idempotencyKey !== undefined && { 'privy-idempotency-key': idempotencyKey }),
    ...(expiryMs !== undefined && { 'privy-request-expiry': String(expiryMs) }),
  })
  const ask = (path: string, init: RequestInit) =>
    answerOf(() =>
      fetch(`${url}${path}`, {
        ...init,
        redirect: 'error',
        signal: AbortSignal.timeout(timeoutMs),
      }),
    )

  const write = (
    method: 'POST' | 'PATCH',
    { path, body, isAuthorized = false, ...timing }: PrivyRequest,
  ) => {
    const headers = signedHeaders(timing)
    const payload = { version: 1, method, url: `${url}${path}`, body, headers }
    const signature = () => sign('sha256', Buffer.from(canonicalJson(payload)), key)
    return ask(path, {
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
    signedHeaders,
    get: (path) => ask(path, { headers: credentials }),
    post: (request) => write('POST', request),
    patch: (request) => write('PATCH', request),
  }
}

/** Statuses after which the same request may succeed, or may have. */
const isUnsure = (status: number): boolean =>
  status >= 500 || status < 200 || [408, 409, 425, 429].includes(status)

async function answerOf(request: () => Promise<Response>): Promise<PrivyAnswer> {
  const { status, text, retryAfter } = await heard(request)
  if (isUnsure(status)) throw unavailable(`answered ${status}`, retryAfter)
  const body = parsed(text)
  if (status < 300 && body) return { outcome: 'done', body }
  if (status < 400) throw unavailable(`answered ${status} in a form that is not its own`)
  const code = String(body?.code ?? 'unknown')
  return { outcome: 'refused', status, code: /^[a-z0-9_]{1,60}$/.test(code) ? code : 'unknown' }
}

async function heard(request: () => Promise<Response>) {
  try {
    const response = await request()
    const text = await readBounded(response)
    return { status: response.status, text, retryAfter: response.headers.get('retry-after') }
  } catch {
    throw unavailable('gave no answer')
  }
}

async function readBounded({ body }: Response): Promise<string> {
  const parts: Uint8Array[] = []
  let length = 0
  for await (const part of body ?? []) {
    length += part.length
    if (length > ANSWER_BYTES_MAX) throw new Error('too long')
    parts.push(part)
  }
  return Buffer.concat(parts).toString()
}

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}

const RETRY_AFTER_DEFAULT_SECONDS = 5
const RETRY_AFTER_MAX_SECONDS = 3_600

/** What is said of a failure is ours, word for word. */
export function unavailable(reason: string, retryAfter: string | null = null): AppError {
  const asked = /^[0-9]{1,6}$/.test(retryAfter ?? '') ? Number(retryAfter) : 0
  return new AppError('dependency_unavailable', {
    message: 'The wallet provider gave no usable answer. Retry shortly.',
    retryAfterSeconds: Math.min(asked || RETRY_AFTER_DEFAULT_SECONDS, RETRY_AFTER_MAX_SECONDS),
    cause: new Error(`Privy ${reason}`),
  })
}
