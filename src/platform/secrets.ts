/** Derives one key per purpose from the deployment's secrets. */
import { createHmac, hkdfSync } from 'node:crypto'
import { isKeyless, type ProcessKind } from '#platform/config/process.ts'

/** A MAC key, and the public id that rows store with each MAC. */
export type MacKey = { id: string; key: Uint8Array }
export type MacKeys = { current: MacKey; previous?: MacKey }

export type Secrets = {
  invitationKey: Uint8Array
  /** Opens the keys of executors and server wallets. Workers only. */
  keystoreKey?: Uint8Array | undefined
  cursorKey: Uint8Array
  /** Authenticates the unsubscribe links in e-mails. */
  unsubscribeKey: Uint8Array
  /** Seals messages between API processes and workers. */
  exchangeKey: Uint8Array
  /** Opens boxes that were sealed before the last key rotation. */
  keystorePreviousKey?: Uint8Array | undefined
  /** MACs of reports and automatic authorizations. Workers only. */
  macKeys?: MacKeys | undefined
}

export type SecretSources = {
  serverSecret: string
  keystore?: { secret: string | undefined; previousSecret: string | undefined }
  worker?: { secret: string | undefined; previousSecret: string | undefined }
  process?: ProcessKind
}

export function deriveSecrets({
  serverSecret,
  keystore,
  worker,
  process = 'both',
}: SecretSources): Secrets {
  const derive = (purpose: string, from = serverSecret) =>
    new Uint8Array(hkdfSync('sha256', from, 'countersign', purpose, 32))
  const previous = keystore?.previousSecret
  const macKey = (secret: string): MacKey => ({
    id: Buffer.from(derive('worker-mac-id.v1', secret)).subarray(0, 8).toString('hex'),
    key: derive('worker-mac.v1', secret),
  })
  return {
    invitationKey: derive('invitation-token.v1'),
    cursorKey: derive('live-cursor.v1'),
    unsubscribeKey: derive('unsubscribe-token.v1'),
    exchangeKey: derive('exchange.v1'),
    // Skipped for API processes even in development, where it derives from SERVER_SECRET.
    ...(!isKeyless(process) && { keystoreKey: derive('keystore.v1', keystore?.secret) }),
    ...(previous && { keystorePreviousKey: derive('keystore.v1', previous) }),
    ...(worker?.secret && {
      macKeys: {
        current: macKey(worker.secret),
        ...(worker.previousSecret && { previous: macKey(worker.previousSecret) }),
      },
    }),
  }
}

/** Throws in a process that holds no keys. */
export function masterKeysOf({ keystoreKey: current, keystorePreviousKey: previous }: Secrets): {
  current: Uint8Array
  previous: Uint8Array | undefined
} {
  if (!current) throw new Error('This process has no keystore key. Run this in a worker.')
  return { current, previous }
}

export const keyedHash = (key: Uint8Array, parts: readonly (string | Uint8Array)[]): Buffer => {
  const hmac = createHmac('sha256', key)
  for (const part of parts) hmac.update(part)
  return hmac.digest()
}
