/** The push adapter configured for tests, and a message for a device. */
import { createWebPush, type WebPushOptions } from '#adapters/push/web-push.ts'
import { systemClock } from '#platform/clock.ts'
import { makeVapidPrivateKey, vapidPublicKey } from '#platform/config/push.ts'
import type { PushMessage, PushService } from '#ports/push-service.ts'
import { type Device, makeDevice } from '#test/push/device.ts'

const privateKey = makeVapidPrivateKey()
export const vapid = {
  privateKey,
  publicKey: vapidPublicKey(privateKey) ?? '',
  subject: 'mailto:push@countersign.example',
}

export const pushWith = (options: Partial<WebPushOptions> = {}): PushService =>
  createWebPush({ vapid, clock: systemClock, allowsLoopback: true, hosts: undefined, ...options })

export const messageFor = ({ keys }: Device, endpoint: string): PushMessage => ({
  endpoint,
  p256dh: Buffer.from(keys.p256dh, 'base64url'),
  auth: Buffer.from(keys.auth, 'base64url'),
  body: '{"eventId":"1","category":"review_needed"}',
  ttlSeconds: 3_600,
  urgency: 'high',
  topic: 'a-topic',
})

export const messageTo = (endpoint: string): PushMessage => messageFor(makeDevice(), endpoint)
