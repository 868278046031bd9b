/**
 * HPKE (RFC 9180) with the cipher suite of wallet exports, which webhook secrets use too: base
 * mode, DHKEM(P-256, HKDF-SHA256), HKDF-SHA256, ChaCha20-Poly1305, one message.
 */
import type { webcrypto } from 'node:crypto'
import type { SenderContextParams } from '@hpke/core'

/** Loaded when it is first needed: most processes seal nothing, and it has fifty modules. */
async function loadSuite() {
  const [{ CipherSuite, DhkemP256HkdfSha256, HkdfSha256 }, { Chacha20Poly1305 }] =
    await Promise.all([import('@hpke/core'), import('@hpke/chacha20poly1305')])
  return new CipherSuite({
    kem: new DhkemP256HkdfSha256(),
    kdf: new HkdfSha256(),
    aead: new Chacha20Poly1305(),
  })
}

let loading: ReturnType<typeof loadSuite> | undefined
const suiteOf = () => {
  loading ??= loadSuite()
  return loading
}

export type SealInput = {
  /** The recipient's uncompressed point, 65 bytes. */
  recipient: Uint8Array
  plain: Uint8Array
}

/** Inputs of the published test vectors. Exports do not set them. */
export type VectorParts = Pick<SenderContextParams, 'ekm' | 'info'> & { additional?: Uint8Array }

/** Rejects a point that is not on the curve. */
export async function sealToRecipient(
  { recipient, plain }: SealInput,
  { additional, ...parts }: VectorParts = {},
): Promise<{ encapsulated: Buffer; ciphertext: Buffer }> {
  const suite = await suiteOf()
  const recipientPublicKey = await suite.kem.deserializePublicKey(recipient)
  const { enc, ct } = await suite.seal({ recipientPublicKey, ...parts }, plain, additional)
  return { encapsulated: Buffer.from(enc), ciphertext: Buffer.from(ct) }
}

export type RecipientKeyPair = { publicKey: Buffer; privateKey: webcrypto.CryptoKey }

/** The same pair for the same key material (RFC 9180, DeriveKeyPair). */
export async function deriveRecipient(keyMaterial: Uint8Array): Promise<RecipientKeyPair> {
  const suite = await suiteOf()
  const { publicKey, privateKey } = await suite.kem.deriveKeyPair(new Uint8Array(keyMaterial))
  return { publicKey: Buffer.from(await suite.kem.serializePublicKey(publicKey)), privateKey }
}

/** Throws if it was sealed to another key, or with other additional data. */
export async function openFromSender(
  { privateKey }: RecipientKeyPair,
  {
    encapsulated,
    ciphertext,
    additional,
  }: { encapsulated: Uint8Array; ciphertext: Uint8Array; additional: Uint8Array },
): Promise<Buffer> {
  const suite = await suiteOf()
  const recipient = { recipientKey: privateKey, enc: new Uint8Array(encapsulated) }
  const plain = await suite.open(recipient, new Uint8Array(ciphertext), new Uint8Array(additional))
  return Buffer.from(plain)
}
