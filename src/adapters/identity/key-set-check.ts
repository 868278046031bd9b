/** Whether a realm's key set can be had now, past every cache: for probes, never for requests. */
import { importJWK, type JSONWebKeySet } from 'jose'
import type { KeySetState } from '#ports/identity-provider.ts'

const FETCH_TIMEOUT_MS = 5_000

export async function checkKeySet(url: string): Promise<KeySetState> {
  const response = await fetch(url, { signal: AbortSignal.timeout(FETCH_TIMEOUT_MS) }).catch(
    () => undefined,
  )
  if (!response?.ok) {
    await response?.body?.cancel()
    return 'unreachable'
  }
  const set: unknown = await response.json().catch(() => undefined)
  return (await hasUsableKey(set)) ? 'usable' : 'unusable'
}

async function hasUsableKey(set: unknown): Promise<boolean> {
  const { keys } = (set ?? {}) as Partial<JSONWebKeySet>
  if (!Array.isArray(keys)) return false
  const imported = await Promise.allSettled(keys.map((key) => importJWK(key, key.alg ?? 'ES256')))
  return imported.some(({ status }) => status === 'fulfilled')
}
