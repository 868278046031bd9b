/** One secret of the deployment, one derived key per purpose: no key serves two ends. */
import { createHmac, hkdfSync } from 'node:crypto'
import { isKeyless, type ProcessKind } from './config-process.ts'

export type Secrets = {
  invitationKey: Uint8Array
  /** Opens executors' and server wallets' keys. Workers have it, API processes do not. */
  keystoreKey?: Uint8Array | undefined
  cursorKey: Uint8Array
  /** Seals what API processes and workers tell each other through the database. */
  exchangeKey: Uint8Array
  /** Opens what was sealed before the last change of key. */
  keystorePreviousKey?: Uint8Array | undefined
}

export type SecretSources = {
  serverSecret: string
  keystore?: { secret: string | undefined; previousSecret: string | undefined }
  process?: ProcessKind
}

export function deriveSecrets({
  serverSecret,
  keystore,
  process = 'both',
}: SecretSources): Secrets {
  const derive = (purpose: string, from = serverSecret) =>
    new Uint8Array(hkdfSync('sha256', from, 'countersign', purpose, 32))
  const previous = keystore?.previousSecret
  return {
    invitationKey: derive('invitation-token.v1'),
    cursorKey: derive('live-cursor.v1'),
    exchangeKey: derive('exchange.v1'),
    // In development the keystore's key comes from SERVER_SECRET, which API processes have.
    ...(!isKeyless(process) && { keystoreKey: derive('keystore.v1', keystore?.secret) }),
    ...(previous && { keystorePreviousKey: derive('keystore.v1', previous) }),
  }
}

/** Throws in a process that holds no keys. */
export function masterKeysOf({ keystoreKey: current, keystorePreviousKey: previous }: Secrets): {
  current: Uint8Array
  previous: Uint8Array | undefined
} {
  if (!current) throw new Error('This process has no key of the keystore')
  return { current, previous }
}

export const keyedHash = (key: Uint8Array, parts: readonly (string | Uint8Array)[]): Buffer => {
  const hmac = createHmac('sha256', key)
  for (const part of parts) hmac.update(part)
  return hmac.digest()
}
