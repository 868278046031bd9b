/**
 * HPKE (RFC 9180) with the cipher suite of wallet exports: base mode, DHKEM(P-256, HKDF-SHA256),
 * HKDF-SHA256, ChaCha20-Poly1305, one message.
 */
import { Chacha20Poly1305 } from '@hpke/chacha20poly1305'
import { CipherSuite, DhkemP256HkdfSha256, HkdfSha256, type SenderContextParams } from '@hpke/core'

const suite = new CipherSuite({
  kem: new DhkemP256HkdfSha256(),
  kdf: new HkdfSha256(),
  aead: new Chacha20Poly1305(),
})

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
  const recipientPublicKey = await suite.kem.deserializePublicKey(recipient)
  const { enc, ct } = await suite.seal({ recipientPublicKey, ...parts }, plain, additional)
  return { encapsulated: Buffer.from(enc), ciphertext: Buffer.from(ct) }
}
