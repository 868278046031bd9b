/** Configuration of push messages. Used by `config.ts`. */
import { createECDH } from 'node:crypto'
import { StartupError } from '#platform/errors.ts'
import type { Environment } from './values.ts'

const CURVE = 'prime256v1'
const PRIVATE_KEY_BYTES = 32

/** The key pair that identifies this deployment to push services (RFC 8292): P-256, base64url. */
type Vapid = { publicKey: string; privateKey: string; subject: string }

export type PushConfig = {
  /** The key that browsers subscribe with; undefined disables push. */
  publicKey: string | undefined
  /** Signs messages. Undefined in API processes, which do not send. */
  vapid: Vapid | undefined
  /** Development only: allows endpoints on loopback. */
  allowsLoopback: boolean
  /** Allowed hosts of endpoints; undefined allows every public host. */
  hosts: readonly string[] | undefined
}

/** Push services of Chrome, Firefox, Safari and Edge. */
const PUSH_HOSTS =
  'fcm.googleapis.com,*.push.services.mozilla.com,*.push.apple.com,*.notify.windows.com'

export function readPush(
  env: Environment,
  {
    production,
    allowsLoopback,
    isKeyless = false,
  }: { production: boolean; allowsLoopback: boolean; isKeyless?: boolean },
): PushConfig {
  const hosts = env.PUSH_HOSTS || (production ? PUSH_HOSTS : '*')
  if (hosts !== '*' && !/^(\*\.)?[a-z0-9.-]+(,(\*\.)?[a-z0-9.-]+)*$/.test(hosts)) {
    throw new StartupError(
      'PUSH_HOSTS must be * or host names such as push.example,*.push.example.',
    )
  }
  if (allowsLoopback && production) {
    throw new StartupError('PUSH_LOOPBACK is for development. Remove it with NODE_ENV=production.')
  }
  const vapid = isKeyless ? undefined : readVapid(env)
  return {
    publicKey: isKeyless ? readPublicKey(env) : vapid?.publicKey,
    vapid,
    allowsLoopback,
    hosts: hosts === '*' ? undefined : hosts.split(','),
  }
}

/** Workers check that it matches the private key. */
function readPublicKey({ VAPID_PUBLIC_KEY: key }: Environment): string | undefined {
  if (!key) return undefined
  if (/^B[A-Za-z0-9_-]{86}$/.test(key)) return key
  throw new StartupError('VAPID_PUBLIC_KEY must be a P-256 point in base64url.')
}

/** Messages repeat no value, because a key may be in the wrong variable. */
function readVapid(env: Environment): Vapid | undefined {
  const [publicKey = '', privateKey = '', subject = ''] = [
    env.VAPID_PUBLIC_KEY,
    env.VAPID_PRIVATE_KEY,
    env.VAPID_SUBJECT,
  ]
  if (!publicKey && !privateKey && !subject) return undefined
  if (!publicKey || !privateKey || !subject) {
    throw new StartupError(
      'Set VAPID_PUBLIC_KEY, VAPID_PRIVATE_KEY and VAPID_SUBJECT, or none of them.',
    )
  }
  if (vapidPublicKey(privateKey) !== publicKey) {
    throw new StartupError(
      'VAPID_PUBLIC_KEY and VAPID_PRIVATE_KEY must be a P-256 key pair in base64url: ' +
        'try `npx web-push generate-vapid-keys`.',
    )
  }
  if (!isVapidSubject(subject)) {
    throw new StartupError('VAPID_SUBJECT must be a mailto: address or an https: URL.')
  }
  return { publicKey, privateKey, subject }
}

/** Undefined if it is not a private key of the curve. */
export function vapidPublicKey(privateKey: string): string | undefined {
  if (!/^[A-Za-z0-9_-]{43}$/.test(privateKey)) return undefined
  try {
    const pair = createECDH(CURVE)
    pair.setPrivateKey(Buffer.from(privateKey, 'base64url'))
    return pair.getPublicKey().toString('base64url')
  } catch {
    return undefined
  }
}

export function makeVapidPrivateKey(): string {
  const pair = createECDH(CURVE)
  pair.generateKeys()
  const key = pair.getPrivateKey()
  // Node omits leading zeros.
  return Buffer.concat([Buffer.alloc(PRIVATE_KEY_BYTES - key.length), key]).toString('base64url')
}

/** The contact that a push service uses in case of problems. */
const isVapidSubject = (subject: string): boolean =>
  subject.length <= 200 &&
  (/^mailto:[\x21-\x7e]+@[\x21-\x7e]+$/.test(subject) ||
    (/^https:[\x21-\x7e]+$/.test(subject) && URL.canParse(subject)))
