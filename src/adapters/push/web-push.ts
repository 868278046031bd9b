/**
 * `PushService` over Web Push with VAPID (RFC 8030, 8291, 8292). The package encrypts and signs. We
 * send the request ourselves: it must connect to the checked address, follow no redirects and end
 * in time. The response body is not read.
 */
import type { Clock } from '#platform/clock.ts'
import { AppError } from '#platform/errors.ts'
import type { PushMessage, PushOutcome, PushService } from '#ports/push-service.ts'
import {
  type EndpointAnswer,
  postToEndpoint,
  reasonOf,
  secondsIn,
  TooSlow,
  within,
} from './endpoint-request.ts'
import { type EndpointRules, resolveEndpoint, type Target } from './push-endpoint.ts'

const TIMEOUT_MS = 5_000

type SigningVapid = { publicKey: string; privateKey: string; subject: string }

export type WebPushOptions = EndpointRules & {
  /** Without a private key it can check endpoints but not send. */
  vapid: { publicKey: string } | SigningVapid
  clock: Clock
  /** Covers DNS lookup, connection and response together. */
  timeoutMs?: number
}

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

function outcomeOf({ status, retryAfter }: EndpointAnswer, clock: Clock): PushOutcome {
  if (status >= 200 && status < 300) return 'delivered'
  if (status === 404 || status === 410) return 'gone'
  if (status === 429 || status >= 500) {
    return { retryAfterSeconds: secondsIn(retryAfter, clock), reason: `answered ${status}` }
  }
  return { rejected: `answered ${status}` }
}
