/**
 * Tells a device of something through the push service that its browser has chosen. The endpoint
 * is a stranger's word: it is checked before it is stored, and again before it is used. Types only.
 */

export type PushMessage = {
  endpoint: string
  /** The device's public key (an uncompressed P-256 point) and its secret of 16 bytes. */
  p256dh: Uint8Array
  auth: Uint8Array
  /** Encrypted on the way: only the device can read it. */
  body: string
  /** How long the push service keeps it for a device that is away. */
  ttlSeconds: number
  urgency: 'normal' | 'high'
  /** A message replaces an undelivered one of the same topic: at most 32 base64url characters. */
  topic: string
}

/** `gone`: the subscription is no more. `rejected`: this message is not taken, now or later. */
export type PushOutcome =
  | 'delivered'
  | 'gone'
  | { retryAfterSeconds: number | null; reason: string }
  | { rejected: string }

export type PushService = {
  /** What browsers subscribe with: 65 bytes in base64url. */
  publicKey: string
  /** Throws `dependency_unavailable` when the name cannot be looked up now. */
  checkEndpoint(endpoint: string): Promise<'allowed' | { refused: string }>
  send(message: PushMessage): Promise<PushOutcome>
}
