/** SQL for webhooks and their signing secrets. */
import sql from 'sql-template-tag'
import type { Db, Reader, Tx } from '#platform/database/database.ts'
import type { WebhookSealingKey } from '#ports/webhook-sender.ts'
import type { WebhookState } from './webhook.machine.ts'
import type { WebhookTarget } from './webhook.ts'

export type DisabledCode = 'gone' | 'failing'

export type WebhookRow = {
  id: string
  organizationId: string
  url: string
  kinds: string[]
  state: WebhookState
  disabledCode: DisabledCode | null
  createdByAccountId: string
  displayName: string | null
  failingSince: string | null
  pausedUntil: string | null
  /** The end of the overlap with the previous secret; null without one. */
  previousSecretExpiresAt: string | null
  createdAt: string
  updatedAt: string
}

export type WebhookKey = { organizationId: string; webhookId: string }

/** `previousSecretExpiresAt` counts only while the previous secret still signs. */
const columns = (at: Date) => sql`
  w.id, w.organization_id as "organizationId", w.url, w.kinds, w.state,
  w.disabled_code as "disabledCode", w.created_by_account_id as "createdByAccountId",
  p.display_name as "displayName", w.failing_since as "failingSince",
  w.paused_until as "pausedUntil",
  (select max(s.expires_at) from webhook_secrets s
    where s.organization_id = w.organization_id and s.webhook_id = w.id
      and s.expires_at > ${at}) as "previousSecretExpiresAt",
  w.created_at as "createdAt", w.updated_at as "updatedAt"`

const creator = sql`left join profiles p on p.account_id = w.created_by_account_id`

/** Serialises creating webhooks in an organization, so that the count holds until commit. */
export async function lockWebhookCount(tx: Tx, organizationId: string): Promise<number> {
  tx.write(sql`select pg_advisory_xact_lock(hashtextextended(${organizationId}, 44))`)
  const [row] = await tx.query<{ count: number }>(sql`
    select count(*) as count from webhooks where organization_id = ${organizationId}`)
  return row?.count ?? 0
}

export function insertWebhook(
  tx: Tx,
  row: {
    id: string
    organizationId: string
    url: string
    kinds: readonly string[]
    createdByAccountId: string
    at: Date
  },
): void {
  tx.write(sql`
    insert into webhooks (id, organization_id, url, kinds, state, created_by_account_id, created_at,
      updated_at)
    values (${row.id}, ${row.organizationId}, ${row.url}, ${[...row.kinds]}::text[], 'active',
      ${row.createdByAccountId}, ${row.at}, ${row.at})`)
}

export async function findWebhook(
  tx: Reader,
  { organizationId, webhookId, at }: WebhookKey & { at: Date },
): Promise<WebhookRow | undefined> {
  const [row] = await tx.query<WebhookRow>(sql`
    select ${columns(at)} from webhooks w ${creator}
    where w.organization_id = ${organizationId} and w.id = ${webhookId}`)
  return row
}

export async function lockWebhook(
  tx: Tx,
  { organizationId, webhookId, at }: WebhookKey & { at: Date },
): Promise<WebhookRow | undefined> {
  const [row] = await tx.query<WebhookRow>(sql`
    select ${columns(at)} from webhooks w ${creator}
    where w.organization_id = ${organizationId} and w.id = ${webhookId} for update of w`)
  return row
}

/** Newest first. Their number is bounded by a quota. */
export const listWebhooks = (
  reader: Reader,
  { organizationId, at }: { organizationId: string; at: Date },
): Promise<WebhookRow[]> =>
  reader.query<WebhookRow>(sql`
    select ${columns(at)} from webhooks w ${creator}
    where w.organization_id = ${organizationId} order by w.id desc`)

/** Its secrets and deliveries go with it. */
export function deleteWebhook(tx: Tx, { organizationId, webhookId }: WebhookKey): void {
  tx.write(sql`
    delete from webhooks where organization_id = ${organizationId} and id = ${webhookId}`)
}

/** Only `moveWebhook` calls this. */
export function updateWebhookState(
  tx: Tx,
  move: {
    organizationId: string
    id: string
    from: WebhookState
    to: WebhookState
    disabledCode: DisabledCode | null
    at: Date
  },
): void {
  tx.write(sql`
    update webhooks set state = ${move.to}, disabled_code = ${move.disabledCode},
      failing_since = null, paused_until = null, updated_at = ${move.at}
    where organization_id = ${move.organizationId} and id = ${move.id} and state = ${move.from}`)
}

/** After an attempt: null and null when it succeeded. */
export function updateWebhookHealth(
  tx: Tx,
  {
    organizationId,
    webhookId,
    failingSince,
    pausedUntil,
  }: WebhookKey & { failingSince: Date | string | null; pausedUntil: Date | null },
): void {
  tx.write(sql`
    update webhooks set failing_since = ${failingSince}, paused_until = ${pausedUntil}
    where organization_id = ${organizationId} and id = ${webhookId}
      and (failing_since, paused_until) is distinct from (${failingSince}::timestamptz,
        ${pausedUntil}::timestamptz)`)
}

/** Across tenants, with the observer's login. */
export const listActiveWebhooks = (
  reader: Reader,
  organizationIds: readonly string[],
): Promise<WebhookTarget[]> =>
  reader.query<WebhookTarget>(sql`
    select id, organization_id as "organizationId", kinds, created_at as "createdAt"
    from webhooks
    where organization_id = any(${organizationIds}::uuid[]) and state = 'active' order by id`)

export function insertSecret(
  tx: Tx,
  row: { id: string; organizationId: string; webhookId: string; sealed: Uint8Array; at: Date },
): void {
  tx.write(sql`
    insert into webhook_secrets (id, organization_id, webhook_id, sealed, created_at)
    values (${row.id}, ${row.organizationId}, ${row.webhookId}, ${row.sealed}, ${row.at})`)
}

/** The current secret signs until `expiresAt`; the one before it no longer does. */
export function expireSecrets(
  tx: Tx,
  { organizationId, webhookId, expiresAt }: WebhookKey & { expiresAt: Date },
): void {
  tx.write(sql`
    delete from webhook_secrets
    where organization_id = ${organizationId} and webhook_id = ${webhookId}
      and expires_at is not null`)
  tx.write(sql`
    update webhook_secrets set expires_at = ${expiresAt}
    where organization_id = ${organizationId} and webhook_id = ${webhookId}
      and expires_at is null`)
}

export type SealedSecretRow = { id: string; sealed: Buffer }

/** Newest first, at most two. Workers only: API logins cannot read `sealed`. */
export const listSigningSecrets = (
  tx: Tx,
  { organizationId, webhookId, at }: WebhookKey & { at: Date },
): Promise<SealedSecretRow[]> =>
  tx.query<SealedSecretRow>(sql`
    select id, sealed from webhook_secrets
    where organization_id = ${organizationId} and webhook_id = ${webhookId}
      and (expires_at is null or expires_at > ${at})
    order by id desc`)

/** The newest key that a worker has published. */
export async function findSealingKey(
  db: Pick<Db, 'query'>,
): Promise<WebhookSealingKey | undefined> {
  const [row] = await db.query<WebhookSealingKey>(sql`
    select key_id as "keyId", public_key as "publicKey" from webhook_sealing_keys
    order by first_used_at desc, key_id limit 1`)
  return row
}

export async function insertSealingKey(
  db: Pick<Db, 'query'>,
  { keyId, publicKey }: WebhookSealingKey,
): Promise<void> {
  await db.query(sql`
    insert into webhook_sealing_keys (key_id, public_key) values (${keyId}, ${publicKey})
    on conflict do nothing`)
}

export type SealedSecretKey = { id: string; organizationId: string; webhookId: string }

const BATCH_SIZE = 100

/** Needs the database owner's login, as do the two below. One batch at a time. */
export const listSealedSecrets = (
  db: Pick<Db, 'query'>,
  afterId: string,
): Promise<SealedSecretKey[]> =>
  db.query<SealedSecretKey>(sql`
    select id, organization_id as "organizationId", webhook_id as "webhookId"
    from webhook_secrets where id > ${afterId} order by id limit ${BATCH_SIZE}`)

export async function lockSealedSecret(tx: Tx, id: string): Promise<Buffer | undefined> {
  const [row] = await tx.query<{ sealed: Buffer }>(sql`
    select sealed from webhook_secrets where id = ${id} for update`)
  return row?.sealed
}

export function updateSealedSecret(
  tx: Tx,
  { id, reference }: { id: string; reference: Uint8Array },
): void {
  tx.write(sql`update webhook_secrets set sealed = ${reference} where id = ${id}`)
}
