/** This browser as a device that gets push messages. */

import { client } from '@countersign/app-kit/data/api.ts'
import type { Failure } from '@countersign/client/errors.ts'
import { i18n } from '@lingui/core'
import { trustedWorkerUrl } from './trusted-worker.ts'

const KEPT_AS = 'countersign.device'

export const isPushSupported = (): boolean =>
  'serviceWorker' in navigator && 'PushManager' in globalThis && 'Notification' in globalThis

/** The service's id of this device, so that the list can say "this one". */
export const ownDeviceId = (): string | null => localStorage.getItem(KEPT_AS)

/** In the address, because a worker cannot read what the page keeps. */
const workerPath = (): string => `/sw.js?language=${i18n.locale === 'de' ? 'de' : 'en'}`

const registered = (): Promise<ServiceWorkerRegistration | undefined> =>
  navigator.serviceWorker.getRegistration('/')

export async function ownSubscription(): Promise<PushSubscription | null> {
  if (!isPushSupported()) return null
  return (await (await registered())?.pushManager.getSubscription()) ?? null
}

const SYSTEMS: readonly [RegExp, string][] = [
  [/iPhone|iPad/, 'iOS'],
  [/Android/, 'Android'],
  [/Windows/, 'Windows'],
  [/Mac OS X/, 'macOS'],
  [/CrOS/, 'ChromeOS'],
  [/Linux/, 'Linux'],
]
const BROWSERS: readonly [RegExp, string][] = [
  [/Edg\//, 'Edge'],
  [/Firefox\//, 'Firefox'],
  [/Chrome\/|CriOS\//, 'Chrome'],
  [/Safari\//, 'Safari'],
]

/** "Chrome, Linux": enough to tell the devices of one person apart. */
export function deviceLabelOf(userAgent: string): string {
  const nameIn = (list: typeof SYSTEMS) => list.find(([sign]) => sign.test(userAgent))?.[1]
  return [nameIn(BROWSERS), nameIn(SYSTEMS)].filter(Boolean).join(', ') || 'Browser'
}

/** Browsers give keys as bytes, the service as base64url. */
export function isSameKey(bytes: ArrayBuffer | null, base64url: string): boolean {
  if (!bytes) return false
  const text = btoa(Array.from(new Uint8Array(bytes), (byte) => String.fromCharCode(byte)).join(''))
  return text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '') === base64url
}

export type Turned =
  | { ok: true }
  | { ok: false; problem: 'denied' | 'dismissed' | 'browser' }
  | { ok: false; problem: 'service'; failure: Failure }

async function tellService(subscription: PushSubscription): Promise<Turned> {
  const { endpoint, keys = {} } = subscription.toJSON()
  const told = await client.call('subscribeToPush', {
    body: {
      endpoint: endpoint ?? '',
      expirationTime: subscription.expirationTime,
      keys: { p256dh: keys.p256dh ?? '', auth: keys.auth ?? '' },
      deviceLabel: deviceLabelOf(navigator.userAgent),
    },
  })
  if (!told.ok) return { ok: false, problem: 'service', failure: told.failure }
  localStorage.setItem(KEPT_AS, told.data.id)
  return { ok: true }
}

async function subscribe(publicKey: string): Promise<PushSubscription> {
  await navigator.serviceWorker.register(trustedWorkerUrl(workerPath()), { scope: '/' })
  const { pushManager } = await navigator.serviceWorker.ready
  const old = await pushManager.getSubscription()
  if (old && isSameKey(old.options.applicationServerKey, publicKey)) return old
  // A subscription to former keys of the deployment gets nothing any more.
  await old?.unsubscribe()
  return pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: publicKey })
}

/** Call it on a click: browsers ask for permission only then. */
export async function turnOn(publicKey: string): Promise<Turned> {
  const permission = await Notification.requestPermission()
  if (permission === 'denied') return { ok: false, problem: 'denied' }
  if (permission !== 'granted') return { ok: false, problem: 'dismissed' }
  try {
    return await tellService(await subscribe(publicKey))
  } catch {
    return { ok: false, problem: 'browser' }
  }
}

export async function turnOff(): Promise<void> {
  const subscription = await ownSubscription()
  if (!subscription) return
  const { endpoint } = subscription
  await subscription.unsubscribe()
  await client.call('unsubscribeFromPush', { body: { endpoint } })
  localStorage.removeItem(KEPT_AS)
}

/**
 * Renews the subscription of this browser, if the person still has it. Otherwise they removed this
 * device on another one, or somebody else turned it on: then it ends here too.
 */
export async function renew(): Promise<void> {
  const keptId = ownDeviceId()
  if (keptId === null) return
  const own = await client.call('listPushSubscriptions', {})
  // Turned on or off meanwhile.
  if (!own.ok || ownDeviceId() !== keptId) return
  const subscription = await ownSubscription()
  if (own.data.subscriptions.some(({ id }) => id === keptId)) {
    if (subscription) await tellService(subscription)
    return
  }
  await subscription?.unsubscribe()
  localStorage.removeItem(KEPT_AS)
}

let renewed: Promise<void> | null = null

/** Once a visit: the service drops devices that it has not heard of for long. */
export function renewOnce(): Promise<void> {
  renewed ??= renew()
  return renewed
}
