/**
 * A thin client of Circle's developer-controlled wallets. Whatever changes something carries the
 * entity secret, sealed anew for every request to the key that Circle publishes for us: the same
 * ciphertext twice is refused. Answers are parsed by the caller.
 */
import { constants, createPublicKey, type KeyObject, publicEncrypt } from 'node:crypto'
import type { CircleConfig } from '#platform/config/executor.ts'
import {
  createHearing,
  isObject,
  type ProviderAnswer,
} from '#platform/http-client/provider-answers.ts'

const TIMEOUT_MS = 8_000
const MODULUS_BITS_MIN = 2_048

const { hear, unavailable } = createHearing({
  name: 'Circle',
  message: 'The provider of the executor gave no usable answer. Retry shortly.',
  codeOf: ({ code }) => `circle_${code}`,
})

export { unavailable }

export type CircleClient = {
  get(path: string): Promise<ProviderAnswer>
  /** The data of an answer that is done, whatever is in it. */
  post(
    path: string,
    body: { idempotencyKey: string } & Record<string, unknown>,
    options?: { signal?: AbortSignal },
  ): Promise<ProviderAnswer>
}

export type CircleClientOptions = Pick<CircleConfig, 'url' | 'apiKey' | 'entitySecret'> & {
  timeoutMs?: number
}

export const PUBLIC_KEY_PATH = '/v1/w3s/config/entity/publicKey'

export function createCircleClient(options: CircleClientOptions): CircleClient {
  const { url, apiKey, entitySecret, timeoutMs = TIMEOUT_MS } = options
  const headers = { authorization: `Bearer ${apiKey}` }
  const ask = async (path: string, { signal, ...init }: RequestInit = {}) => {
    const inTime = AbortSignal.timeout(timeoutMs)
    const signals = signal ? [signal, inTime] : [inTime]
    const answer = await hear(() =>
      fetch(`${url}${path}`, {
        headers,
        ...init,
        redirect: 'error',
        signal: AbortSignal.any(signals),
      }),
    )
    return answer.outcome === 'done' ? { ...answer, body: dataIn(answer.body) } : answer
  }

  let known: Promise<KeyObject> | undefined
  const publicKey = () => {
    known ??= ask(PUBLIC_KEY_PATH).then(keyIn)
    known.catch(forget)
    return known
  }
  const forget = () => {
    known = undefined
  }

  return {
    get: (path) => ask(path),
    async post(path, body, { signal } = {}) {
      const entitySecretCiphertext = sealed(await publicKey(), entitySecret)
      const answer = await ask(path, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify({ ...body, entitySecretCiphertext }),
        ...(signal && { signal }),
      })
      // It may be that Circle has another key for us by now.
      if (answer.outcome === 'refused') forget()
      return answer
    },
  }
}

function dataIn({ data }: Record<string, unknown>): Record<string, unknown> {
  if (!isObject(data)) throw unavailable('answered in a form that is not its own')
  return data
}

function keyIn(answer: ProviderAnswer): KeyObject {
  if (answer.outcome === 'refused') throw unavailable(`refused its public key, ${answer.status}`)
  try {
    const key = createPublicKey(String(answer.body.publicKey))
    const { modulusLength = 0 } = key.asymmetricKeyDetails ?? {}
    if (key.asymmetricKeyType === 'rsa' && modulusLength >= MODULUS_BITS_MIN) return key
  } catch {}
  throw unavailable('has a public key that is none')
}

/** Padded with fresh random bytes, so that no two are alike. */
const sealed = (key: KeyObject, secret: Uint8Array): string =>
  publicEncrypt(
    { key, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' },
    secret,
  ).toString('base64')
