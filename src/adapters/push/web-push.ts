/**
 * `PushService` over Web Push with VAPID (RFC 8030, 8291, 8292). The package encrypts and signs. We
 * send the request ourselves: it must connect to the checked address, follow no redirects and end
 * in time. The response body is not read.
 */
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { isIP } from 'node:net'
import { timestampToSeconds } from '@countersign/proof/values.ts'
import type { Clock } from '#platform/clock.ts'
import { AppError, isUnavailable } from '#platform/errors.ts'
import type { PushMessage, PushOutcome, PushService } from '#ports/push-service.ts'
import { type EndpointRules, hostOf, resolveEndpoint, type Target } from './push-endpoint.ts'

const TIMEOUT_MS = 5_000
const ANSWER_HEADERS_MAX_BYTES = 8 * 1024

type SigningVapid = { publicKey: string; privateKey: string; subject: string }

export type WebPushOptions = EndpointRules & {
  /** Without a private key it can check endpoints but not send. */
  vapid: { publicKey: string } | SigningVapid
  clock: Clock
  /** Covers DNS lookup, connection and response together. */
  timeoutMs?: number
}

type Answer = { status: number; retryAfter: string | undefined }

export function createWebPush(options: WebPushOptions): PushService {
  const { vapid, clock, timeoutMs = TIMEOUT_MS } = options
  return {
    publicKey: vapid.publicKey,
    async checkEndpoint(endpoint) {
      const target = await within(timeoutMs, () => resolveEndpoint(endpoint, options)).catch(
        (error) => {
          if (!(error instanceof TooSlow)) throw error
          throw new AppError('dependency_unavailable', { cause: error })
        },
      )
      return 'refused' in target ? target : 'allowed'
    },
    async send(message) {
      if (!('privateKey' in vapid))
        throw new Error('This process has no VAPID private key. Send from a worker.')
      // Loaded on first use, before the time-out starts.
      const { default: webPush } = await import('web-push')
      const endsAt = performance.now() + timeoutMs
      try {
        const target = await within(timeoutMs, () => resolveEndpoint(message.endpoint, options))
        if ('refused' in target) return { rejected: `endpoint ${target.refused}` }
        const encrypted = encryptMessage(message, target, { vapid, webPush })
        const leftMs = Math.max(1, Math.ceil(endsAt - performance.now()))
        return outcomeOf(await postToEndpoint(target, encrypted, leftMs), clock)
      } catch (error) {
        return { retryAfterSeconds: null, reason: reasonOf(error) }
      }
    },
  }
}

/** Stops waiting for a DNS lookup that hangs; its later result is ignored. */
async function within<T>(ms: number, work: () => Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new TooSlow()), ms)
  try {
    return await Promise.race([work(), promise])
  } finally {
    clearTimeout(timer)
  }
}

class TooSlow extends Error {
  override readonly name = 'TooSlow'
  override readonly message = 'did not answer in time'
}

type Encryption = { vapid: SigningVapid; webPush: typeof import('web-push') }

function encryptMessage(message: PushMessage, { url }: Target, { vapid, webPush }: Encryption) {
  const base64url = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url')
  const keys = { p256dh: base64url(message.p256dh), auth: base64url(message.auth) }
  return webPush.generateRequestDetails({ endpoint: url.href, keys }, message.body, {
    vapidDetails: vapid,
    TTL: message.ttlSeconds,
    urgency: message.urgency,
    topic: message.topic,
    contentEncoding: 'aes128gcm',
  })
}

/** Connects to the checked address; SNI, Host header and certificate check use the URL's host. */
export function postToEndpoint(
  { url, address, isLoopback }: Target,
  { headers, body }: ReturnType<typeof encryptMessage>,
  timeoutMs: number,
): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>()
  const host = hostOf(url)
  const sent = request({
    host: address,
    port: url.port === '' ? 443 : Number(url.port),
    // SNI does not allow IP addresses; the certificate must then name the address.
    servername: isIP(host) ? '' : host,
    path: url.pathname + url.search,
    method: 'POST',
    headers: { ...headers, Host: url.host, Connection: 'close' },
    agent: false,
    maxHeaderSize: ANSWER_HEADERS_MAX_BYTES,
    rejectUnauthorized: !isLoopback,
  })
  const timer = setTimeout(() => sent.destroy(new TooSlow()), timeoutMs)
  sent.on('response', (response: IncomingMessage) => {
    const { statusCode: status = 0, headers: answered } = response
    resolve({ status, retryAfter: answered['retry-after'] })
    sent.destroy()
  })
  sent.on('error', reject)
  sent.on('close', () => reject(new Error('ended without an answer')))
  sent.end(body)
  return promise.finally(() => clearTimeout(timer))
}

function outcomeOf({ status, retryAfter }: Answer, clock: Clock): PushOutcome {
  if (status >= 200 && status < 300) return 'delivered'
  if (status === 404 || status === 410) return 'gone'
  if (status === 429 || status >= 500) {
    return { retryAfterSeconds: secondsIn(retryAfter, clock), reason: `answered ${status}` }
  }
  return { rejected: `answered ${status}` }
}

/** Parses Retry-After: seconds or an HTTP date. */
function secondsIn(retryAfter: string | undefined, clock: Clock): number | null {
  if (retryAfter === undefined) return null
  if (/^[0-9]{1,9}$/.test(retryAfter)) return Number(retryAfter)
  const seconds = timestampToSeconds(retryAfter) - timestampToSeconds(clock.now().toISOString())
  return Number.isNaN(seconds) ? null : Math.max(0, seconds)
}

/** Our own text or a system error code. Nothing from the response or the endpoint is included. */
function reasonOf(error: unknown): string {
  if (error instanceof TooSlow) return error.message
  if (isUnavailable(error)) return 'could not be resolved'
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return code === '' ? 'gave no usable answer' : `failed with ${code}`
}
