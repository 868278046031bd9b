/** One secret of the deployment, one derived key per purpose: no key serves two ends. */
import { createHmac, hkdfSync } from 'node:crypto'

export type Secrets = {
  invitationKey: Uint8Array
  keystoreKey: Uint8Array
  cursorKey: Uint8Array
  /** Opens what was sealed before the last change of key. */
  keystorePreviousKey?: Uint8Array | undefined
}

export type SecretSources = {
  serverSecret: string
  keystore?: { secret: string | undefined; previousSecret: string | undefined }
}

export function deriveSecrets({ serverSecret, keystore }: SecretSources): Secrets {
  const derive = (purpose: string, from = serverSecret) =>
    new Uint8Array(hkdfSync('sha256', from, 'countersign', purpose, 32))
  const previous = keystore?.previousSecret
  return {
    invitationKey: derive('invitation-token.v1'),
    cursorKey: derive('live-cursor.v1'),
    keystoreKey: derive('keystore.v1', keystore?.secret),
    ...(previous && { keystorePreviousKey: derive('keystore.v1', previous) }),
  }
}

export const keyedHash = (key: Uint8Array, parts: readonly (string | Uint8Array)[]): Buffer => {
  const hmac = createHmac('sha256', key)
  for (const part of parts) hmac.update(part)
  return hmac.digest()
}
