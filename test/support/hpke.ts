/**
 * An independent HPKE for tests, both directions, written from RFC 9180 over Web Crypto; it shares
 * no code with the service's. Suite 0x0010 / 0x0001 / 0x0003, base mode, one message.
 */
import { createCipheriv, createDecipheriv, webcrypto } from 'node:crypto'

const { subtle } = webcrypto
const EC = { name: 'ECDH', namedCurve: 'P-256' }

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)
const join = (...parts: Uint8Array[]): Uint8Array => new Uint8Array(Buffer.concat(parts))
const KEM = join(utf8('KEM'), new Uint8Array([0x00, 0x10]))
const HPKE = join(utf8('HPKE'), new Uint8Array([0x00, 0x10, 0x00, 0x01, 0x00, 0x03]))

async function mac(key: Uint8Array, data: Uint8Array): Promise<Uint8Array> {
  // An empty salt is a block of zeros, and an empty key cannot be imported.
  const raw = key.length > 0 ? key : new Uint8Array(32)
  const hmac = { name: 'HMAC', hash: 'SHA-256' }
  const imported = await subtle.importKey('raw', new Uint8Array(raw), hmac, false, ['sign'])
  return new Uint8Array(await subtle.sign('HMAC', imported, new Uint8Array(data)))
}

const labeledExtract = (suite: Uint8Array, salt: Uint8Array, label: string, ikm: Uint8Array) =>
  mac(salt, join(utf8('HPKE-v1'), suite, utf8(label), ikm))

async function labeledExpand(
  suite: Uint8Array,
  secret: Uint8Array,
  label: string,
  info: Uint8Array,
  length: number,
): Promise<Uint8Array> {
  const labeled = join(new Uint8Array([0, length]), utf8('HPKE-v1'), suite, utf8(label), info)
  return (await mac(secret, join(labeled, new Uint8Array([1])))).slice(0, length)
}

async function keyAndNonce(shared: Uint8Array, kemContext: Uint8Array, info: Uint8Array) {
  const none = new Uint8Array()
  const eaePrk = await labeledExtract(KEM, none, 'eae_prk', shared)
  const secret = await labeledExpand(KEM, eaePrk, 'shared_secret', kemContext, 32)
  const context = join(
    new Uint8Array([0]),
    await labeledExtract(HPKE, none, 'psk_id_hash', none),
    await labeledExtract(HPKE, none, 'info_hash', info),
  )
  const prk = await labeledExtract(HPKE, secret, 'secret', none)
  return {
    key: await labeledExpand(HPKE, prk, 'key', context, 32),
    nonce: await labeledExpand(HPKE, prk, 'base_nonce', context, 12),
  }
}

export type RecipientPair = { publicKey: webcrypto.CryptoKey; privateKey: webcrypto.CryptoKey }

export const makeRecipient = async (): Promise<RecipientPair> =>
  (await subtle.generateKey(EC, true, ['deriveBits'])) as webcrypto.CryptoKeyPair

export const importRecipient = async (jwk: webcrypto.JsonWebKey): Promise<RecipientPair> => {
  const { d: _private, ...open } = jwk
  return {
    privateKey: await subtle.importKey('jwk', jwk, EC, true, ['deriveBits']),
    publicKey: await subtle.importKey('jwk', open, EC, true, []),
  }
}

const pointOf = async (key: webcrypto.CryptoKey) =>
  new Uint8Array(await subtle.exportKey('raw', key))

const importPoint = (point: Uint8Array) =>
  subtle.importKey('raw', new Uint8Array(point), EC, true, [])

const agree = async (privateKey: webcrypto.CryptoKey, publicKey: webcrypto.CryptoKey) =>
  new Uint8Array(await subtle.deriveBits({ name: 'ECDH', public: publicKey }, privateKey, 256))

export type Box = { encapsulated: Uint8Array; ciphertext: Uint8Array }
export type Extras = { info?: Uint8Array; aad?: Uint8Array }

/** Rejects an incomplete box or one for another recipient. */
export async function openBox(
  { publicKey, privateKey }: RecipientPair,
  { encapsulated, ciphertext }: Box,
  { info = new Uint8Array(), aad = new Uint8Array() }: Extras = {},
): Promise<string> {
  const shared = await agree(privateKey, await importPoint(encapsulated))
  const { key, nonce } = await keyAndNonce(
    shared,
    join(encapsulated, await pointOf(publicKey)),
    info,
  )
  const decipher = createDecipheriv('chacha20-poly1305', key, nonce, { authTagLength: 16 })
  const body = ciphertext.slice(0, -16)
  decipher.setAAD(aad, { plaintextLength: body.length })
  decipher.setAuthTag(ciphertext.slice(-16))
  return Buffer.concat([decipher.update(body), decipher.final()]).toString()
}

/** The recipient as base64 SPKI; answers in base64, as a provider does. */
export async function sealTo(
  spki: string,
  plain: string,
): Promise<{ encapsulated: string; ciphertext: string }> {
  const der = new Uint8Array(Buffer.from(spki, 'base64'))
  const recipient = await subtle.importKey('spki', der, EC, true, [])
  const ephemeral = await makeRecipient()
  const encapsulated = await pointOf(ephemeral.publicKey)
  const shared = await agree(ephemeral.privateKey, recipient)
  const context = join(encapsulated, await pointOf(recipient))
  const { key, nonce } = await keyAndNonce(shared, context, new Uint8Array())
  const cipher = createCipheriv('chacha20-poly1305', key, nonce, { authTagLength: 16 })
  const sealed = Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()])
  return {
    encapsulated: Buffer.from(encapsulated).toString('base64'),
    ciphertext: sealed.toString('base64'),
  }
}
