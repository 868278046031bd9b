/**
 * The cryptography of a wallet export (docs/WALLETS.md), over Web Crypto. One P-256 pair serves twice:
 * it signs the request (ECDSA), and what comes back is sealed to it (HPKE over ECDH). The private half
 * is kept as two keys that cannot be read out, not even by this page.
 */
import { canonicalJson } from '@countersign/proof/digest.ts'
import { loadSealing } from './load-sealing.ts'

const ECDH = { name: 'ECDH', namedCurve: 'P-256' }
const ECDSA = { name: 'ECDSA', namedCurve: 'P-256' }

export type ExportKeys = {
  /** SPKI in base64, as the service takes it. */
  recipientPublicKey: string
  publicKey: CryptoKey
  opens: CryptoKey
  signs: CryptoKey
}

export const toBase64 = (bytes: Uint8Array): string =>
  btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))

export const fromBase64 = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text), (character) => character.charCodeAt(0))

export async function makeExportKeys(): Promise<ExportKeys> {
  const { subtle } = crypto
  const pair = await subtle.generateKey(ECDSA, true, ['sign', 'verify'])
  const spki = new Uint8Array(await subtle.exportKey('spki', pair.publicKey))
  // The only moment in which the private half can be read. It is not kept.
  const { kty, crv, x, y, d } = await subtle.exportKey('jwk', pair.privateKey)
  const secret: JsonWebKey = { kty, crv, x, y, d }
  const [opens, signs, publicKey] = await Promise.all([
    subtle.importKey('jwk', secret, ECDH, false, ['deriveBits']),
    subtle.importKey('jwk', secret, ECDSA, false, ['sign']),
    subtle.importKey('jwk', { kty, crv, x, y }, ECDH, true, []),
  ])
  return { recipientPublicKey: toBase64(spki), publicKey, opens, signs }
}

const INTEGER = 0x02
const SEQUENCE = 0x30

/** A positive integer without needless zeros; a leading zero where the first bit is set. */
function derInteger(bytes: Uint8Array): number[] {
  const first = bytes.findIndex((byte) => byte !== 0)
  const digits = first < 0 ? [0] : [...bytes.slice(first)]
  const value = (digits[0] ?? 0) >= 0x80 ? [0, ...digits] : digits
  return [INTEGER, value.length, ...value]
}

/** Web Crypto answers r and s side by side; the service wants DER. */
export function derOf(signature: Uint8Array): Uint8Array {
  if (signature.length !== 64) throw new Error('A P-256 signature has 64 bytes.')
  const body = [...derInteger(signature.slice(0, 32)), ...derInteger(signature.slice(32))]
  return Uint8Array.from([SEQUENCE, body.length, ...body])
}

/** The payload's canonical JSON, signed. */
export async function signPayload(signs: CryptoKey, payload: unknown): Promise<string> {
  const text = new TextEncoder().encode(canonicalJson(payload))
  const raw = await crypto.subtle.sign({ name: 'ECDSA', hash: 'SHA-256' }, signs, text)
  return toBase64(derOf(new Uint8Array(raw)))
}

type Payload = {
  method: string
  requestId: string
  body: { encryption_type: string; recipient_public_key: string }
}

/** Whether the payload asks for what this page asked for: this request, sealed to this key. */
export const isOwnPayload = (
  payload: Payload,
  expected: { requestId: string; recipientPublicKey: string },
): boolean =>
  payload.method === 'POST' &&
  payload.requestId === expected.requestId &&
  payload.body.encryption_type === 'HPKE' &&
  payload.body.recipient_public_key === expected.recipientPublicKey

export type Sealed = { encapsulatedKey: string; ciphertext: string }

/** The wallet's private key as text. Throws if it was sealed to another key. */
export async function openSealed(
  { opens, publicKey }: Pick<ExportKeys, 'opens' | 'publicKey'>,
  { encapsulatedKey, ciphertext }: Sealed,
): Promise<string> {
  const { sealingSuite } = await loadSealing()
  const context = await sealingSuite().createRecipientContext({
    // With the pair, the library does not try to derive the public half from a key it cannot read.
    recipientKey: { privateKey: opens, publicKey },
    enc: fromBase64(encapsulatedKey),
  })
  return new TextDecoder().decode(await context.open(fromBase64(ciphertext)))
}
