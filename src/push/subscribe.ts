/** Subscribes and unsubscribes a device of an account. */
import { secondsToTimestamp } from '@countersign/proof/values.ts'
import type { Context } from '#context.ts'
import type { Actor } from '#journal/actor.ts'
import { type AuditAction, recordChange } from '#journal/journal.ts'
import type { Tx } from '#platform/database/database.ts'
import { AppError } from '#platform/errors.ts'
import { isVisible } from '#platform/values.ts'
import {
  deleteSubscription,
  findOwnSubscription,
  keepNewest,
  lockDevices,
  type NewSubscription,
  releaseEndpoint,
  saveSubscription,
} from './push.store.ts'
import { readKeys } from './subscription-keys.ts'

/** One more replaces the device that was renewed least recently. */
export const DEVICES_MAX = 10

type DeviceContext = Pick<Context, 'db' | 'clock' | 'ids'>

export type Subscribe = {
  accountId: string
  requestId: string
  endpoint: string
  /** Milliseconds since the epoch, as browsers report it. */
  expirationTime: number | null
  keys: { p256dh: string; auth: string }
  deviceLabel: string
}

export type SubscriptionRecord = { id: string; deviceLabel: string; active: boolean }

const invalid = (message: string) => new AppError('validation_failed', { message })

export async function subscribe(
  ctx: DeviceContext & Pick<Context, 'push'>,
  { accountId, requestId, endpoint, expirationTime, keys, deviceLabel }: Subscribe,
): Promise<SubscriptionRecord> {
  if (!ctx.push) {
    throw new AppError('dependency_unavailable', {
      message: 'Push is not configured: the deployment has no VAPID keys. Ask the operator.',
    })
  }
  if (!isVisible(deviceLabel)) throw invalid('`deviceLabel` must have a visible character.')
  const read = readKeys(keys)
  if (typeof read === 'string')
    throw invalid(`\`keys.${read}\` must be a Web Push key in base64url.`)
  const expiresAt = expirationTime === null ? null : secondsToTimestamp(expirationTime / 1000)
  const at = ctx.clock.now()
  if (expiresAt !== null && expiresAt <= at.toISOString()) {
    throw invalid('`expirationTime` must be in the future.')
  }
  const verdict = await ctx.push.checkEndpoint(endpoint)
  if (verdict !== 'allowed') throw invalid(`\`endpoint\` ${verdict.refused}.`)
  const device = { accountId, endpoint: normalized(endpoint), ...read, deviceLabel, expiresAt, at }
  const actor: Actor = { realm: 'consumer', accountId, requestId }
  return ctx.db.transaction({ accountId }, (tx) => save(ctx, tx, { device, actor }))
}

/** Normalises an endpoint, so that equal URLs compare equal. */
const normalized = (endpoint: string): string => URL.parse(endpoint)?.href ?? endpoint

async function save(
  ctx: DeviceContext,
  tx: Tx,
  { device, actor }: { device: Omit<NewSubscription, 'id'>; actor: Actor },
): Promise<SubscriptionRecord> {
  const { accountId, at, deviceLabel } = device
  lockDevices(tx, device)
  const moved = await releaseEndpoint(tx, device)
  const known = await findOwnSubscription(tx, device)
  const id = known?.id ?? ctx.ids.next()
  saveSubscription(tx, { ...device, id })
  const displaced = await keepNewest(tx, { accountId, keep: DEVICES_MAX, at })
  if (!known?.isActive || !known.isSame) {
    await record(ctx, tx, { action: 'push.subscribed', id, actor, data: { accountId } })
  }
  for (const { id: old, accountId: before } of moved) {
    const data = { accountId: before, reason: 'moved' }
    await record(ctx, tx, { action: 'push.deactivated', id: old, actor, data })
  }
  for (const { id: old } of displaced) {
    const data = { accountId, reason: 'crowded_out' }
    await record(ctx, tx, { action: 'push.deactivated', id: old, actor, data })
  }
  return { id, deviceLabel, active: true }
}

export type Unsubscribe = {
  accountId: string
  requestId: string
  device: { endpoint: string } | { id: string }
}

/** Removing a device that is not subscribed succeeds. */
export async function unsubscribe(
  ctx: DeviceContext,
  { accountId, requestId, device }: Unsubscribe,
): Promise<void> {
  if ('endpoint' in device && !URL.canParse(device.endpoint)) {
    throw invalid('`endpoint` must be a URL.')
  }
  const which = 'id' in device ? device : { endpoint: normalized(device.endpoint) }
  const actor: Actor = { realm: 'consumer', accountId, requestId }
  await ctx.db.transaction({ accountId }, async (tx) => {
    const deleted = await deleteSubscription(tx, { accountId, ...which })
    if (!deleted) return
    const data = { accountId }
    await record(ctx, tx, { action: 'push.unsubscribed', id: deleted.id, actor, data })
  })
}

const record = (
  ctx: DeviceContext,
  tx: Tx,
  {
    action,
    id,
    actor,
    data,
  }: { action: AuditAction; id: string; actor: Actor; data: Record<string, unknown> },
): Promise<void> =>
  recordChange(ctx, tx, {
    organizationId: null,
    actor,
    action,
    aggregateType: 'push_subscription',
    aggregateId: id,
    data,
  })
