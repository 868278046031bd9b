/** One POST to a checked endpoint: to the checked address, without redirects, in limited time. */
import type { IncomingMessage } from 'node:http'
import { request as requestHttps } from 'node:https'
import { isIP } from 'node:net'
import { timestampToSeconds } from '@countersign/proof/values.ts'
import type { Clock } from '#platform/clock.ts'
import { isUnavailable } from '#platform/errors.ts'
import { http } from '#platform/node-http.ts'
import { hostOf, type Target } from './push-endpoint.ts'

const ANSWER_HEADERS_MAX_BYTES = 8 * 1024

export type EndpointAnswer = { status: number; retryAfter: string | undefined }
type EndpointPost = { headers: Record<string, string | number>; body: Buffer | string | null }

export class TooSlow extends Error {
  override readonly name = 'TooSlow'
  override readonly message = 'did not answer in time'
}

/** Stops waiting for a DNS lookup that hangs; its later result is ignored. */
export async function within<T>(ms: number, work: () => Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new TooSlow()), ms)
  try {
    return await Promise.race([work(), promise])
  } finally {
    clearTimeout(timer)
  }
}

/**
 * Connects to the checked address; SNI, Host header and certificate check use the URL's host. The
 * response body is not read.
 */
export function postToEndpoint(
  { url, address, isLoopback }: Target,
  { headers, body }: EndpointPost,
  timeoutMs: number,
): Promise<EndpointAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<EndpointAnswer>()
  const host = hostOf(url)
  const isHttps = url.protocol === 'https:'
  const send = isHttps ? requestHttps : http.request
  const sent = send({
    host: address,
    port: url.port === '' ? (isHttps ? 443 : 80) : Number(url.port),
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

/** Parses Retry-After: seconds or an HTTP date. */
export function secondsIn(retryAfter: string | undefined, clock: Clock): number | null {
  if (retryAfter === undefined) return null
  if (/^[0-9]{1,9}$/.test(retryAfter)) return Number(retryAfter)
  const seconds = timestampToSeconds(retryAfter) - timestampToSeconds(clock.now().toISOString())
  return Number.isNaN(seconds) ? null : Math.max(0, seconds)
}

/** Our own text or a system error code. Nothing from the response or the endpoint is included. */
export function reasonOf(error: unknown): string {
  if (error instanceof TooSlow) return error.message
  if (isUnavailable(error)) return 'could not be resolved'
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return code === '' ? 'gave no usable answer' : `failed with ${code}`
}
