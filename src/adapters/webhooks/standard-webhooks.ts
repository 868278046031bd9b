/**
 * `WebhookSender` according to the Standard Webhooks specification
 * (https://github.com/standard-webhooks/standard-webhooks): three headers, HMAC-SHA-256, one
 * signature for each valid secret.
 */
import { createHmac, randomBytes } from 'node:crypto'
import {
  postToEndpoint,
  reasonOf,
  secondsIn,
  TooSlow,
  within,
} from '#adapters/push/endpoint-request.ts'
import { type EndpointRules, resolveEndpoint } from '#adapters/push/push-endpoint.ts'
import type { Clock } from '#platform/clock.ts'
import { AppError } from '#platform/errors.ts'
import type { WebhookMessage, WebhookOutcome, WebhookSender } from '#ports/webhook-sender.ts'
import { createSecretOpener, type SecretOpener, sealSecret } from './sealed-secrets.ts'

const TIMEOUT_MS = 5_000
const SECRET_BYTES = 32
const PREFIX = 'whsec_'
const GONE = 410

export type StandardWebhooksOptions = Pick<EndpointRules, 'allowsLoopback' | 'resolve'> & {
  clock: Clock
  /** Master keys of the keystore; undefined in API processes, which do not send. */
  keys: { current: Uint8Array; previous: Uint8Array | undefined } | undefined
  /** Covers DNS lookup, connection and response together. */
  timeoutMs?: number
}

export function createStandardWebhooks({
  clock,
  keys,
  timeoutMs = TIMEOUT_MS,
  ...rules
}: StandardWebhooksOptions): WebhookSender {
  const endpointRules: EndpointRules = { ...rules, allowsHttp: true, hosts: undefined }
  const opener = keys && createSecretOpener(keys)
  const workerOnly = (): SecretOpener => {
    if (!opener) throw new Error('This process has no keystore key. Send webhooks from a worker.')
    return opener
  }

  async function post(message: WebhookMessage, signed: Signed): Promise<WebhookOutcome> {
    const endsAt = performance.now() + timeoutMs
    const target = await within(timeoutMs, () => resolveEndpoint(message.url, endpointRules))
    if ('refused' in target) return failed(null, `the URL ${target.refused}`)
    const leftMs = Math.max(1, Math.ceil(endsAt - performance.now()))
    const headers = {
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(message.body),
      'User-Agent': 'Countersign-Webhooks/1',
      'webhook-id': message.id,
      'webhook-timestamp': signed.timestamp,
      'webhook-signature': signed.signatures.join(' '),
    }
    const { status, retryAfter } = await postToEndpoint(
      target,
      { headers, body: message.body },
      leftMs,
    )
    if (status >= 200 && status < 300) return { outcome: 'delivered', statusCode: status }
    if (status === GONE) return { outcome: 'gone', statusCode: status }
    return failed(status, `answered ${status}`, secondsIn(retryAfter, clock))
  }

  return {
    async checkEndpoint(url) {
      const target = await within(timeoutMs, () => resolveEndpoint(url, endpointRules)).catch(
        (error) => {
          if (!(error instanceof TooSlow)) throw error
          throw new AppError('dependency_unavailable', { cause: error })
        },
      )
      return 'refused' in target ? target : 'allowed'
    },
    async createSecret({ name, publicKey }) {
      const bytes = randomBytes(SECRET_BYTES)
      const sealed = await sealSecret(publicKey, { name, secret: bytes })
      return { secret: `${PREFIX}${bytes.toString('base64')}`, sealed }
    },
    sealingKey: async () => workerOnly().sealingKey(),
    async reseal(sealed) {
      const { secret, isCurrent } = await workerOnly().open(sealed)
      if (isCurrent) return undefined
      const { publicKey } = await workerOnly().sealingKey()
      return sealSecret(publicKey, { name: sealed.name, secret })
    },
    async send(message) {
      const signed = await sign(workerOnly(), message, clock)
      return post(message, signed).catch((error) => failed(null, reasonOf(error)))
    },
  }
}

const failed = (
  statusCode: number | null,
  reason: string,
  retryAfterSeconds: number | null = null,
): WebhookOutcome => ({ outcome: 'failed', statusCode, reason, retryAfterSeconds })

type Signed = { timestamp: string; signatures: string[] }

/** One signature for each secret. */
async function sign(
  { open }: SecretOpener,
  { id, body, secrets }: WebhookMessage,
  clock: Clock,
): Promise<Signed> {
  const timestamp = String(Math.floor(clock.now().getTime() / 1_000))
  const opened = await Promise.all(secrets.map(open))
  const signatures = opened.map(({ secret }) => {
    const mac = createHmac('sha256', secret).update(`${id}.${timestamp}.${body}`)
    secret.fill(0)
    return `v1,${mac.digest('base64')}`
  })
  return { timestamp, signatures }
}
