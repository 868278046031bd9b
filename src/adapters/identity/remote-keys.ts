/**
 * The keys that a provider publishes. jose keeps the set and asks again for an unknown key; this
 * bounds how often it may ask. Keys the provider took away are noticed by a look in the background,
 * which no request waits for: while the provider is down, the keys we know go on working.
 */
import {
  createRemoteJWKSet,
  customFetch,
  errors,
  type FetchImplementation,
  importJWK,
  type JWTVerifyGetKey,
} from 'jose'
import { type Static, Type } from 'typebox'
import { Check } from 'typebox/value'
import { ANSWER_BYTES_MAX, tryParseJson, readBody } from '#platform/http-client/read-body.ts'
import type { KeySetState } from '#ports/identity-provider.ts'

const LOOK_EVERY_MS = 10 * 60_000
const FETCH_TIMEOUT_MS = 5_000

export type RemoteKeys = {
  find: JWTVerifyGetKey
  /**
   * Another number for every set, and undefined while the next one may just be taking its place:
   * what was verified under one number holds no longer than that number. Asking is a use of the
   * keys, so that a set nobody looks keys up in grows no older than any other.
   */
  generation(): number | undefined
}

export function createRemoteKeys(url: string, refreshAtMostEveryMs: number): RemoteKeys {
  let askedAt = Number.NEGATIVE_INFINITY
  let lastFailed = false
  let generation = 0
  const hasKeys = () => keys.jwks() !== undefined
  const boundedFetch: FetchImplementation = async (input, init) => {
    if (hasKeys() && performance.now() - askedAt < refreshAtMostEveryMs) {
      // After a failed look nobody knows whether the key is new or made up.
      throw lastFailed ? new errors.JWKSTimeout() : new errors.JWKSNoMatchingKey()
    }
    askedAt = performance.now()
    generation += 1
    lastFailed = true
    const { ok, status, body } = await fetch(input, init)
    const text = await readBody(body, ANSWER_BYTES_MAX)
    lastFailed = !ok
    // A status such as 204 allows no body, not even an empty one.
    return new Response(text || null, { status })
  }
  const keys = createRemoteJWKSet(new URL(url), {
    cooldownDuration: refreshAtMostEveryMs,
    cacheMaxAge: Number.POSITIVE_INFINITY,
    timeoutDuration: FETCH_TIMEOUT_MS,
    [customFetch]: boundedFetch,
  })
  const lookIfDue = () => {
    if (performance.now() - askedAt > LOOK_EVERY_MS && hasKeys()) keys.reload().catch(() => {})
  }
  return {
    find(header, token) {
      lookIfDue()
      return keys(header, token)
    },
    generation() {
      lookIfDue()
      return keys.reloading ? undefined : generation
    },
  }
}

const KeySet = Type.Object({
  keys: Type.Array(Type.Object({ kty: Type.String(), alg: Type.Optional(Type.String()) })),
})

/** Whether a key set can be fetched now, past any cache: for probes, not for requests. */
export async function checkKeySet(url: string): Promise<KeySetState> {
  const response = await fetch(url, { signal: AbortSignal.timeout(FETCH_TIMEOUT_MS) }).catch(
    () => undefined,
  )
  if (!response?.ok) {
    await response?.body?.cancel()
    return 'unreachable'
  }
  const text = await readBody(response.body, ANSWER_BYTES_MAX).catch(() => '')
  const set = tryParseJson(text)
  return Check(KeySet, set) && (await hasUsableKey(set)) ? 'usable' : 'unusable'
}

async function hasUsableKey({ keys }: Static<typeof KeySet>): Promise<boolean> {
  const imported = await Promise.allSettled(keys.map((key) => importJWK(key, key.alg ?? 'ES256')))
  return imported.some(({ status }) => status === 'fulfilled')
}
