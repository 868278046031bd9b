/**
 * A provider's key set (JWKS). jose caches the set and fetches it again for an unknown key; this
 * module limits how often. A background refresh notices removed keys. No request waits for it, so
 * cached keys keep working while the provider is down.
 */
import {
  createRemoteJWKSet,
  customFetch,
  errors,
  type FetchImplementation,
  importJWK,
  type JWTVerifyGetKey,
} from 'jose'
import { ANSWER_BYTES_MAX, readBody, tryParseJson } from '#platform/http-client/read-body.ts'
import { fits, type Static, Type } from '#platform/schema.ts'
import type { KeySetState } from '#ports/identity-provider.ts'

const REFRESH_EVERY_MS = 10 * 60_000
const FETCH_TIMEOUT_MS = 5_000

export type RemoteKeys = {
  find: JWTVerifyGetKey
  /**
   * A number that changes with every fetch; undefined while a fetch is in progress. Verifications
   * are valid only for the generation they were made in. The call also starts a refresh if one is
   * due, so a set that is served from caches alone does not go stale.
   */
  generation(): number | undefined
}

export function createRemoteKeys(url: string, refreshAtMostEveryMs: number): RemoteKeys {
  let fetchedAt = Number.NEGATIVE_INFINITY
  let lastFailed = false
  let generation = 0
  let set: ReturnType<typeof createRemoteJWKSet> | undefined
  const hasKeys = () => set?.jwks() !== undefined
  const boundedFetch: FetchImplementation = async (input, init) => {
    if (hasKeys() && performance.now() - fetchedAt < refreshAtMostEveryMs) {
      // After a failed fetch, an unknown key may be new: report an outage instead of a bad token.
      throw lastFailed ? new errors.JWKSTimeout() : new errors.JWKSNoMatchingKey()
    }
    fetchedAt = performance.now()
    generation += 1
    lastFailed = true
    const { ok, status, body } = await fetch(input, init)
    const text = await readBody(body, ANSWER_BYTES_MAX)
    lastFailed = !ok
    // `Response` rejects even an empty body for a status such as 204.
    return new Response(text || null, { status })
  }
  // With the first token: it loads what `fetch` consists of, and a start should be fast.
  const createSet = () =>
    createRemoteJWKSet(new URL(url), {
      cooldownDuration: refreshAtMostEveryMs,
      cacheMaxAge: Number.POSITIVE_INFINITY,
      timeoutDuration: FETCH_TIMEOUT_MS,
      [customFetch]: boundedFetch,
    })
  const refreshIfDue = () => {
    const isDue = performance.now() - fetchedAt > REFRESH_EVERY_MS
    if (isDue && hasKeys()) set?.reload().catch(() => {})
  }
  return {
    find(header, token) {
      refreshIfDue()
      set ??= createSet()
      return set(header, token)
    },
    generation() {
      refreshIfDue()
      return set?.reloading ? undefined : generation
    },
  }
}

const KeySet = Type.Object({
  keys: Type.Array(Type.Object({ kty: Type.String(), alg: Type.Optional(Type.String()) })),
})

/** Fetches the key set without a cache, for health checks. */
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
  return fits(KeySet, set) && (await hasUsableKey(set)) ? 'usable' : 'unusable'
}

async function hasUsableKey({ keys }: Static<typeof KeySet>): Promise<boolean> {
  const imported = await Promise.allSettled(keys.map((key) => importJWK(key, key.alg ?? 'ES256')))
  return imported.some(({ status }) => status === 'fulfilled')
}
