/**
 * Sends messages to devices through the push service of their browser. Callers choose the endpoint,
 * so it is untrusted: it is checked before it is stored and again before each use. Types only.
 */

export type PushMessage = {
  endpoint: string
  /** The device's public key (an uncompressed P-256 point); `auth` is its 16-byte secret. */
  p256dh: Uint8Array
  auth: Uint8Array
  /** Encrypted end to end; only the device can read it. */
  body: string
  /** How long the push service keeps it for an offline device. */
  ttlSeconds: number
  urgency: 'normal' | 'high'
  /** At most 32 base64url characters. Replaces an undelivered message of the same topic. */
  topic: string
}

/** `gone`: the subscription has ended. `rejected`: permanent, do not retry. */
export type PushOutcome =
  | 'delivered'
  | 'gone'
  | { retryAfterSeconds: number | null; reason: string }
  | { rejected: string }

export type PushService = {
  /** The VAPID key that browsers subscribe with: 65 bytes in base64url. */
  publicKey: string
  /** Throws `dependency_unavailable` if the host name cannot be resolved now. */
  checkEndpoint(endpoint: string): Promise<'allowed' | { refused: string }>
  send(message: PushMessage): Promise<PushOutcome>
}
