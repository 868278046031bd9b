/** One secret of the deployment, one derived key per purpose: no key serves two ends. */
import { createHmac, hkdfSync } from 'node:crypto'
import { isKeyless, type ProcessKind } from '#platform/config/process.ts'

/** A key for MACs, and the public id that rows name it by. */
export type MacKey = { id: string; key: Uint8Array }
export type MacKeys = { current: MacKey; previous?: MacKey }

export type Secrets = {
  invitationKey: Uint8Array
  /** Opens executors' and server wallets' keys. Workers have it, API processes do not. */
  keystoreKey?: Uint8Array | undefined
  cursorKey: Uint8Array
  /** Seals messages between API processes and workers. */
  exchangeKey: Uint8Array
  /** Opens what was sealed before the last change of key. */
  keystorePreviousKey?: Uint8Array | undefined
  /** Seals reports and automatic authorizations. Workers have it, API processes do not. */
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
    exchangeKey: derive('exchange.v1'),
    // In development the keystore's key comes from SERVER_SECRET, which API processes have.
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
  if (!current) throw new Error('This process has no keystore key')
  return { current, previous }
}

export const keyedHash = (key: Uint8Array, parts: readonly (string | Uint8Array)[]): Buffer => {
  const hmac = createHmac('sha256', key)
  for (const part of parts) hmac.update(part)
  return hmac.digest()
}
