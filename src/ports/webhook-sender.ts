/**
 * Signs and sends messages to the endpoints of webhooks. Owners choose the URL, so it is untrusted:
 * it is checked before it is stored and again before each use. Types only.
 */

/** `name` is authenticated: a secret that is moved to another row cannot be opened. */
export type SealedWebhookSecret = { name: string; sealed: Uint8Array }

export type WebhookMessage = {
  url: string
  /** The same for every attempt, so that receivers can drop duplicates. */
  id: string
  body: string
  /** The current secret, and during a rotation the previous one. */
  secrets: readonly SealedWebhookSecret[]
}

/** `gone`: the receiver wants no more messages. `statusCode` is null without an answer. */
export type WebhookOutcome =
  | { outcome: 'delivered' | 'gone'; statusCode: number }
  | {
      outcome: 'failed'
      statusCode: number | null
      reason: string
      retryAfterSeconds: number | null
    }

/** An uncompressed P-256 point that secrets are sealed to. */
export type WebhookSealingKey = { keyId: string; publicKey: Uint8Array }

export type WebhookSender = {
  /** Throws `dependency_unavailable` if the host name cannot be resolved now. */
  checkEndpoint(url: string): Promise<'allowed' | { refused: string }>
  /** Needs no key of its own: the result opens only in workers. */
  createSecret(input: {
    name: string
    publicKey: Uint8Array
  }): Promise<{ secret: string; sealed: Uint8Array }>
  /** Workers only. */
  sealingKey(): Promise<WebhookSealingKey>
  /** Workers only. Seals to the current key; undefined if it already is. */
  reseal(secret: SealedWebhookSecret): Promise<Uint8Array | undefined>
  /** Workers only. */
  send(message: WebhookMessage): Promise<WebhookOutcome>
}
