/**
 * HPKE (RFC 9180), the one form that exports take: base mode, DHKEM(P-256, HKDF-SHA256),
 * HKDF-SHA256, ChaCha20-Poly1305, one message. Sealing only: nobody is sealed to us.
 */
import { createCipheriv, createECDH, createHmac, type ECDH } from 'node:crypto'

const CURVE = 'prime256v1'
const KEM_ID = 0x0010
const KDF_ID = 0x0001
const AEAD_ID = 0x0003
const HASH_BYTES = 32
const KEY_BYTES = 32
const NONCE_BYTES = 12
const TAG_BYTES = 16
const MODE_BASE = 0

const uint16 = (value: number): Buffer => Buffer.from([value >> 8, value & 0xff])

const KEM_SUITE = Buffer.concat([Buffer.from('KEM'), uint16(KEM_ID)])
const HPKE_SUITE = Buffer.concat([
  ...[Buffer.from('HPKE'), uint16(KEM_ID), uint16(KDF_ID), uint16(AEAD_ID)],
])
const VERSION = Buffer.from('HPKE-v1')
const NOTHING = Buffer.alloc(0)

const hmac = (key: Uint8Array, data: Uint8Array): Buffer =>
  createHmac('sha256', key).update(data).digest()

type Labeled = { suite: Buffer; label: string }

const extract = (salt: Uint8Array, { suite, label }: Labeled, keyMaterial: Uint8Array): Buffer =>
  hmac(
    salt.length === 0 ? Buffer.alloc(HASH_BYTES) : salt,
    Buffer.concat([VERSION, suite, Buffer.from(label), keyMaterial]),
  )

/** Up to one block of the hash, which is all that this suite asks for. */
const expand = (
  secret: Uint8Array,
  { suite, label }: Labeled,
  { info, bytes }: { info: Uint8Array; bytes: number },
): Buffer => {
  const labeled = [uint16(bytes), VERSION, suite, Buffer.from(label), info, Buffer.from([1])]
  return hmac(secret, Buffer.concat(labeled)).subarray(0, bytes)
}

function encapsulate(recipient: Uint8Array, ephemeral: ECDH) {
  const encapsulated = ephemeral.getPublicKey()
  // Throws for a point that is not on the curve.
  const shared = ephemeral.computeSecret(recipient)
  const extracted = extract(NOTHING, { suite: KEM_SUITE, label: 'eae_prk' }, shared)
  const secret = expand(
    extracted,
    { suite: KEM_SUITE, label: 'shared_secret' },
    { info: Buffer.concat([encapsulated, recipient]), bytes: HASH_BYTES },
  )
  shared.fill(0)
  extracted.fill(0)
  return { encapsulated, secret }
}

function schedule(sharedSecret: Uint8Array, info: Uint8Array) {
  const suite = HPKE_SUITE
  const context = Buffer.concat([
    Buffer.from([MODE_BASE]),
    extract(NOTHING, { suite, label: 'psk_id_hash' }, NOTHING),
    extract(NOTHING, { suite, label: 'info_hash' }, info),
  ])
  const secret = extract(sharedSecret, { suite, label: 'secret' }, NOTHING)
  return {
    key: expand(secret, { suite, label: 'key' }, { info: context, bytes: KEY_BYTES }),
    nonce: expand(secret, { suite, label: 'base_nonce' }, { info: context, bytes: NONCE_BYTES }),
  }
}

export type Seal = {
  /** The recipient's uncompressed point, 65 bytes. */
  recipient: Uint8Array
  plain: Uint8Array
  info?: Uint8Array
  additional?: Uint8Array
}

export type Sealed = { encapsulated: Buffer; ciphertext: Buffer }

const freshKey = (): ECDH => {
  const key = createECDH(CURVE)
  key.generateKeys()
  return key
}

/** `ephemeral` is a new key but for the published test vectors. */
export function seal(
  { recipient, plain, info = NOTHING, additional = NOTHING }: Seal,
  ephemeral: ECDH = freshKey(),
): Sealed {
  const { encapsulated, secret } = encapsulate(recipient, ephemeral)
  const { key, nonce } = schedule(secret, info)
  const cipher = createCipheriv('chacha20-poly1305', key, nonce, { authTagLength: TAG_BYTES })
  cipher.setAAD(additional, { plaintextLength: plain.length })
  const ciphertext = Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()])
  secret.fill(0)
  key.fill(0)
  return { encapsulated, ciphertext }
}
