/**
 * A thin client of Circle's API for developer-controlled wallets. Every write carries the entity
 * secret, encrypted with our entity's public key. Circle rejects a repeated ciphertext, so each
 * request encrypts it again. The caller parses the body of an answer.
 */
import { constants, createPublicKey, type KeyObject, publicEncrypt } from 'node:crypto'
import type { CircleConfig } from '#platform/config/executor.ts'
import {
  createProviderClient,
  type ProviderAnswer,
  unavailableBy,
} from '#platform/http-client/provider-client.ts'
import { fits, Type } from '#platform/schema.ts'

const TIMEOUT_MS = 8_000
const MODULUS_BITS_MIN = 2_048

const provider = {
  name: 'Circle',
  message: 'The executor provider gave no usable answer. Retry shortly.',
}

export const circleUnavailable = unavailableBy(provider)

/** Every answer of Circle has this envelope. */
const Wrapped = Type.Object({ data: Type.Record(Type.String(), Type.Unknown()) })
const EntityKey = Type.Object({ publicKey: Type.String() })

export type CircleClient = {
  get(path: string): Promise<ProviderAnswer>
  /** Returns `data` of the envelope. */
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
  const codeOf = ({ code }: { code?: unknown }) => `circle_${code}`
  const client = createProviderClient({ ...provider, codeOf, timeoutMs })
  const ask = async (path: string, init: RequestInit = {}): Promise<ProviderAnswer> => {
    const answer = await client.request(`${url}${path}`, { headers, ...init })
    if (answer.outcome === 'refused') return answer
    if (!fits(Wrapped, answer.body)) throw circleUnavailable('answered in an unknown format')
    return { outcome: 'done', body: answer.body.data }
  }

  let cachedKey: Promise<KeyObject> | undefined
  const publicKey = () => {
    cachedKey ??= ask(PUBLIC_KEY_PATH).then(keyIn)
    cachedKey.catch(forget)
    return cachedKey
  }
  const forget = () => {
    cachedKey = undefined
  }

  return {
    get: (path) => ask(path),
    async post(path, body, { signal } = {}) {
      const entitySecretCiphertext = encrypted(await publicKey(), entitySecret)
      const answer = await ask(path, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify({ ...body, entitySecretCiphertext }),
        ...(signal && { signal }),
      })
      // Circle may have rotated the key: fetch it again before the next request.
      if (answer.outcome === 'refused') forget()
      return answer
    },
  }
}

function keyIn(answer: ProviderAnswer): KeyObject {
  if (answer.outcome === 'refused')
    throw circleUnavailable(`refused to return its public key, ${answer.status}`)
  try {
    const { publicKey } = fits(EntityKey, answer.body) ? answer.body : { publicKey: '' }
    const key = createPublicKey(publicKey)
    const { modulusLength = 0 } = key.asymmetricKeyDetails ?? {}
    if (key.asymmetricKeyType === 'rsa' && modulusLength >= MODULUS_BITS_MIN) return key
  } catch {}
  throw circleUnavailable('returned an invalid public key')
}

/** OAEP padding is random, so no two ciphertexts are equal. */
const encrypted = (key: KeyObject, secret: Uint8Array): string =>
  publicEncrypt(
    { key, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' },
    secret,
  ).toString('base64')
