/**
 * Tokens of any kind: key pairs, a key set served on loopback, and a signer for any header and
 * claims. It signs by hand, because a library would refuse the malformed tokens that tests need.
 */
import { createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { JWK } from 'jose'

export type Algorithm = 'ES256' | 'RS256' | 'EdDSA'

/** `published` is the public key, as a key set lists it. */
export type TokenKey = { kid: string; alg: Algorithm; privateKey: KeyObject; published: JWK }

const makePair = {
  ES256: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  RS256: () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
  EdDSA: () => generateKeyPairSync('ed25519'),
}

export function makeTokenKey({ kid, alg = 'ES256' }: { kid: string; alg?: Algorithm }): TokenKey {
  const { publicKey, privateKey } = makePair[alg]()
  const published = { ...(publicKey.export({ format: 'jwk' }) as JWK), kid, alg, use: 'sig' }
  return { kid, alg, privateKey, published }
}

export type TokenParts = {
  /** A key pair; a shared secret for HS256; nothing for an unsigned token. */
  key?: TokenKey | Uint8Array
  /** Merged over `{alg, kid, typ: 'JWT'}` of the key. */
  header?: Record<string, unknown>
  claims: Record<string, unknown>
}

const base64url = (value: unknown): string =>
  Buffer.from(JSON.stringify(value)).toString('base64url')

function signatureOf(input: string, key: TokenParts['key']): Buffer {
  if (key === undefined) return Buffer.alloc(0)
  if (key instanceof Uint8Array) return createHmac('sha256', key).update(input).digest()
  const digest = key.alg === 'EdDSA' ? null : 'sha256'
  return sign(digest, Buffer.from(input), { key: key.privateKey, dsaEncoding: 'ieee-p1363' })
}

function defaultHeader(key: TokenParts['key']): Record<string, unknown> {
  if (key === undefined) return { alg: 'none', typ: 'JWT' }
  if (key instanceof Uint8Array) return { alg: 'HS256', typ: 'JWT' }
  return { alg: key.alg, kid: key.kid, typ: 'JWT' }
}

export function signToken({ key, header = {}, claims }: TokenParts): string {
  const input = `${base64url({ ...defaultHeader(key), ...header })}.${base64url(claims)}`
  return `${input}.${signatureOf(input, key).toString('base64url')}`
}

export type KeyServer = {
  url: string
  /** How many times the key set was requested. */
  readonly requests: number
  addKey(published: JWK): void
  removeKey(kid: string): void
  /** While down, every request is answered 500. */
  setDown(isDown: boolean): void
  stop(): Promise<void>
}

/** Serves a key set on a port of its own; keys can change while it runs. */
export async function startKeyServer(keys: readonly JWK[] = []): Promise<KeyServer> {
  let published = [...keys]
  let requests = 0
  let down = false
  const server = createServer((_request, response) => {
    requests += 1
    response.writeHead(down ? 500 : 200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(down ? {} : { keys: published }))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/jwks.json`,
    get requests() {
      return requests
    },
    addKey(key) {
      published = [...published, key]
    },
    removeKey(kid) {
      published = published.filter((key) => key.kid !== kid)
    },
    setDown(isDown) {
      down = isDown
    },
    async stop() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
