/**
 * Secrets of webhooks at rest. API processes seal each secret to a public key of the workers, whose
 * private key derives from KEYSTORE_SECRET: they can store secrets but not read them.
 */
import {
  deriveRecipient,
  openFromSender,
  type RecipientKeyPair,
  sealToRecipient,
} from '#adapters/local/seal-to-recipient.ts'
import { sha256 } from '#platform/digest.ts'
import { keyedHash } from '#platform/secrets.ts'
import type { SealedWebhookSecret, WebhookSealingKey } from '#ports/webhook-sender.ts'

const POINT_BYTES = 65
const PURPOSE = 'webhook-secrets.v1'

export async function sealSecret(
  publicKey: Uint8Array,
  { name, secret }: { name: string; secret: Uint8Array },
): Promise<Buffer> {
  const { encapsulated, ciphertext } = await sealToRecipient(
    { recipient: publicKey, plain: secret },
    { additional: new Uint8Array(Buffer.from(name)) },
  )
  return Buffer.concat([encapsulated, ciphertext])
}

const openWith = (pair: RecipientKeyPair, { name, sealed }: SealedWebhookSecret) =>
  openFromSender(pair, {
    encapsulated: sealed.subarray(0, POINT_BYTES),
    ciphertext: sealed.subarray(POINT_BYTES),
    additional: Buffer.from(name),
  })

export type SecretOpener = {
  sealingKey(): Promise<WebhookSealingKey>
  /** A box does not name its key, so the current and the previous one are tried. */
  open(secret: SealedWebhookSecret): Promise<{ secret: Buffer; isCurrent: boolean }>
}

/** `keys`: the master keys of the keystore. Pairs are derived on first use. */
export function createSecretOpener(keys: {
  current: Uint8Array
  previous: Uint8Array | undefined
}): SecretOpener {
  let current: Promise<RecipientKeyPair> | undefined
  let previous: Promise<RecipientKeyPair> | undefined
  const derive = (key: Uint8Array) => deriveRecipient(keyedHash(key, [PURPOSE]))
  const currentPair = () => {
    current ??= derive(keys.current)
    return current
  }
  return {
    async sealingKey() {
      const { publicKey } = await currentPair()
      return { keyId: sha256(publicKey).subarray(0, 8).toString('hex'), publicKey }
    },
    async open(sealed) {
      try {
        return { secret: await openWith(await currentPair(), sealed), isCurrent: true }
      } catch (error) {
        if (!keys.previous) throw error
        previous ??= derive(keys.previous)
        return { secret: await openWith(await previous, sealed), isCurrent: false }
      }
    },
  }
}
