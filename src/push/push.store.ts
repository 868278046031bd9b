/** SQL for push subscriptions. Only this store and the push service see endpoints and keys. */
import sql from 'sql-template-tag'
import type { Reader, Tx } from '#platform/database/database.ts'

export type NewSubscription = {
  id: string
  accountId: string
  endpoint: string
  p256dh: Buffer
  auth: Buffer
  deviceLabel: string
  expiresAt: string | null
  at: Date
}

/** Serialises changes per browser endpoint and per account. */
export function lockDevices(
  tx: Tx,
  { accountId, endpoint }: { accountId: string; endpoint: string },
): void {
  tx.write(sql`select pg_advisory_xact_lock(hashtextextended(${`push:${endpoint}`}, 0))`)
  tx.write(sql`select pg_advisory_xact_lock(hashtextextended(${`push:${accountId}`}, 0))`)
}

/**
 * Deactivates the browser's subscription by another account. A database function does it, because
 * row-level security hides that row.
 */
export const releaseEndpoint = (
  tx: Tx,
  { endpoint, at }: { endpoint: string; at: Date },
): Promise<{ id: string; accountId: string }[]> =>
  tx.query(sql`
    select id, account_id as "accountId" from release_push_endpoint(${endpoint}, ${at})`)

export type KnownSubscription = { id: string; isActive: boolean; isSame: boolean }

/** `isSame`: with the same keys and label. */
export async function findOwnSubscription(
  tx: Tx,
  { accountId, endpoint, p256dh, auth, deviceLabel }: Omit<NewSubscription, 'id' | 'at'>,
): Promise<KnownSubscription | undefined> {
  const [row] = await tx.query<KnownSubscription>(sql`
    select id, deactivated_at is null as "isActive",
      p256dh = ${p256dh} and auth = ${auth} and device_label = ${deviceLabel} as "isSame"
    from push_subscriptions where account_id = ${accountId} and endpoint = ${endpoint}`)
  return row
}

/** A device that subscribes again keeps its id. */
export function saveSubscription(tx: Tx, row: NewSubscription): void {
  tx.write(sql`
    insert into push_subscriptions (id, account_id, endpoint, p256dh, auth, device_label,
      expires_at, created_at, renewed_at)
    values (${row.id}, ${row.accountId}, ${row.endpoint}, ${row.p256dh}, ${row.auth},
      ${row.deviceLabel}, ${row.expiresAt}, ${row.at}, ${row.at})
    on conflict on constraint push_subscriptions_own do update set p256dh = excluded.p256dh,
      auth = excluded.auth, device_label = excluded.device_label,
      expires_at = excluded.expires_at, renewed_at = excluded.renewed_at, deactivated_at = null`)
}

/** Keeps the most recently renewed active devices and deletes the oldest inactive ones. */
export async function keepNewest(
  tx: Tx,
  { accountId, keep, at }: { accountId: string; keep: number; at: Date },
): Promise<{ id: string }[]> {
  const ended = await tx.query<{ id: string }>(sql`
    update push_subscriptions set deactivated_at = ${at}
    where account_id = ${accountId} and id in (
      select id from push_subscriptions
      where account_id = ${accountId} and deactivated_at is null
      order by renewed_at desc, id desc offset ${keep})
    returning id`)
  tx.write(sql`
    delete from push_subscriptions where account_id = ${accountId} and id in (
      select id from push_subscriptions
      where account_id = ${accountId} and deactivated_at is not null
      order by deactivated_at desc, id desc offset ${keep})`)
  return ended
}

/** Deletes its endpoint and keys too. Undefined when there was none. */
export async function deleteSubscription(
  tx: Tx,
  { accountId, ...device }: { accountId: string } & ({ endpoint: string } | { id: string }),
): Promise<{ id: string } | undefined> {
  const which = 'id' in device ? sql`id = ${device.id}` : sql`endpoint = ${device.endpoint}`
  const [row] = await tx.query<{ id: string }>(sql`
    delete from push_subscriptions where account_id = ${accountId} and ${which} returning id`)
  return row
}

export type DeviceRow = {
  id: string
  deviceLabel: string
  endpoint: string
  active: boolean
  createdAt: string
  renewedAt: string
  expiresAt: string | null
}

/** Most recently renewed first. Keys are not read. */
export const listOwnDevices = (
  reader: Reader,
  { accountId, at }: { accountId: string; at: Date },
): Promise<DeviceRow[]> =>
  reader.query<DeviceRow>(sql`
    select id, device_label as "deviceLabel", endpoint,
      deactivated_at is null and (expires_at is null or expires_at > ${at}) as active,
      created_at as "createdAt", renewed_at as "renewedAt", expires_at as "expiresAt"
    from push_subscriptions where account_id = ${accountId}
    order by renewed_at desc, id desc`)

export type Subscription = {
  endpoint: string
  p256dh: Buffer
  auth: Buffer
  renewedAt: string
}

/** Undefined when the subscription is no longer active. */
export async function findActiveSubscription(
  tx: Tx,
  { accountId, subscriptionId, at }: { accountId: string; subscriptionId: string; at: Date },
): Promise<Subscription | undefined> {
  const [row] = await tx.query<Subscription>(sql`
    select s.endpoint, s.p256dh, s.auth, s.renewed_at as "renewedAt"
    from push_subscriptions s join accounts a on a.id = s.account_id
    where s.account_id = ${accountId} and s.id = ${subscriptionId} and s.deactivated_at is null
      and (s.expires_at is null or s.expires_at > ${at}) and a.status = 'active'`)
  return row
}

/** False when it was renewed in the meantime: the push service's answer was about the old one. */
export async function deactivateSubscription(
  tx: Tx,
  row: { accountId: string; subscriptionId: string; renewedAt: string; at: Date },
): Promise<boolean> {
  const rows = await tx.query(sql`
    update push_subscriptions set deactivated_at = ${row.at}
    where account_id = ${row.accountId} and id = ${row.subscriptionId}
      and deactivated_at is null and date_trunc('milliseconds', renewed_at) = ${row.renewedAt}
    returning id`)
  return rows.length > 0
}

/** Ids only: endpoints and keys cannot be read across accounts. */
export const listActiveDevices = (
  tx: Tx,
  { accountIds, at }: { accountIds: readonly string[]; at: Date },
): Promise<{ id: string; accountId: string }[]> =>
  tx.query(sql`
    select s.id, s.account_id as "accountId"
    from push_subscriptions s join accounts a on a.id = s.account_id
    where s.account_id = any(${accountIds}::uuid[]) and s.deactivated_at is null
      and (s.expires_at is null or s.expires_at > ${at}) and a.status = 'active'
    order by s.id`)
