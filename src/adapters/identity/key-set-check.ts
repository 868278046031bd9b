/** Whether a realm's key set can be fetched now, without any cache: for probes, not for requests. */
import { importJWK } from 'jose'
import { type Static, Type } from 'typebox'
import { Check } from 'typebox/value'
import { ANSWER_BYTES_MAX, parseJson, readBody } from '#platform/http-client/read-body.ts'
import type { KeySetState } from '#ports/identity-provider.ts'

const FETCH_TIMEOUT_MS = 5_000

const KeySet = Type.Object({
  keys: Type.Array(Type.Object({ kty: Type.String(), alg: Type.Optional(Type.String()) })),
})

export async function checkKeySet(url: string): Promise<KeySetState> {
  const response = await fetch(url, { signal: AbortSignal.timeout(FETCH_TIMEOUT_MS) }).catch(
    () => undefined,
  )
  if (!response?.ok) {
    await response?.body?.cancel()
    return 'unreachable'
  }
  const text = await readBody(response.body, ANSWER_BYTES_MAX).catch(() => '')
  const set = parseJson(text)
  return Check(KeySet, set) && (await hasUsableKey(set)) ? 'usable' : 'unusable'
}

async function hasUsableKey({ keys }: Static<typeof KeySet>): Promise<boolean> {
  const imported = await Promise.allSettled(keys.map((key) => importJWK(key, key.alg ?? 'ES256')))
  return imported.some(({ status }) => status === 'fulfilled')
}
