/** One secret of the deployment, one derived key per purpose: no key serves two ends. */
import { createHmac, hkdfSync } from 'node:crypto'

export type Secrets = {
  invitationKey: Uint8Array
  keystoreKey: Uint8Array
  cursorKey: Uint8Array
}

export function deriveSecrets({ serverSecret }: { serverSecret: string }): Secrets {
  const derive = (purpose: string) =>
    new Uint8Array(hkdfSync('sha256', serverSecret, 'countersign', purpose, 32))
  return {
    invitationKey: derive('invitation-token.v1'),
    keystoreKey: derive('keystore.v1'),
    cursorKey: derive('live-cursor.v1'),
  }
}

export const keyedHash = (key: Uint8Array, parts: readonly (string | Uint8Array)[]): Buffer => {
  const hmac = createHmac('sha256', key)
  for (const part of parts) hmac.update(part)
  return hmac.digest()
}
