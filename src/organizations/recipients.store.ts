/** SQL for recipients: the addresses that an organization may pay. */
import { checksummed } from '@countersign/proof/values.ts'
import sql from 'sql-template-tag'
import { isUniqueViolation, type Reader, type Tx } from '#platform/database/database.ts'
import { AppError } from '#platform/errors.ts'
import type { Page } from '#platform/paging.ts'
import type { RecipientState } from './recipient.machine.ts'

export type Recipient = {
  id: string
  organizationId: string
  label: string
  address: string
  chainId: number
  active: boolean
}

/** A recipient whose address shares its first and last four characters with another. */
export type LookAlike = {
  address: string
  existing: { id: string; label: string; address: string }
}

const withChecksum = (row: Recipient): Recipient => ({ ...row, address: checksummed(row.address) })

export async function insertRecipient(
  tx: Tx,
  row: Omit<Recipient, 'active'> & { createdByAccountId: string; at: Date },
): Promise<Recipient> {
  const rows = await tx
    .query<Recipient>(sql`
      insert into recipients (id, organization_id, label, address, chain_id, state,
        created_by_account_id, created_at)
      values (${row.id}, ${row.organizationId}, ${row.label}, ${row.address}, ${row.chainId},
        'active', ${row.createdByAccountId}, ${row.at})
      returning id, organization_id as "organizationId", label, address, chain_id as "chainId",
        state = 'active' as active`)
    .catch((error) => {
      if (!isUniqueViolation(error, 'recipients_active')) throw error
      throw new AppError('duplicate', { message: 'An active recipient already has this address.' })
    })
  return rows.map(withChecksum)[0] as Recipient
}

/** In one statement, so that all of them are added or none. */
export async function insertRecipients(
  tx: Tx,
  {
    organizationId,
    createdByAccountId,
    at,
    rows,
  }: {
    organizationId: string
    createdByAccountId: string
    at: Date
    rows: readonly Pick<Recipient, 'id' | 'label' | 'address' | 'chainId'>[]
  },
): Promise<void> {
  await tx
    .query(sql`
      insert into recipients (id, organization_id, label, address, chain_id, state,
        created_by_account_id, created_at)
      select n.id, ${organizationId}, n.label, n.address, n.chain_id, 'active',
        ${createdByAccountId}, ${at}
      from unnest(${rows.map(({ id }) => id)}::uuid[], ${rows.map(({ label }) => label)}::text[],
        ${rows.map(({ address }) => address)}::text[],
        ${rows.map(({ chainId }) => chainId)}::bigint[]) as n (id, label, address, chain_id)`)
    .catch((error) => {
      if (!isUniqueViolation(error, 'recipients_active')) throw error
      throw new AppError('duplicate', {
        message: 'Somebody has just added one of these addresses. List the recipients again.',
      })
    })
}

/** The given addresses that are vaults or executors of the organization: no policy may pay them. */
export async function listOwnContracts(
  tx: Tx,
  { organizationId, addresses }: { organizationId: string; addresses: readonly string[] },
): Promise<string[]> {
  const rows = await tx.query<{ address: string }>(sql`
    select address from vaults
    where organization_id = ${organizationId} and address = any(${addresses}::text[])
      and state <> 'disabled'
    union
    select address from executor_bindings
    where organization_id = ${organizationId} and address = any(${addresses}::text[])`)
  return rows.map(({ address }) => address)
}

/** The given addresses that active recipients already have. */
export async function listActiveAmong(
  tx: Tx,
  {
    organizationId,
    chainId,
    addresses,
  }: { organizationId: string; chainId: number; addresses: readonly string[] },
): Promise<string[]> {
  const rows = await tx.query<{ address: string }>(sql`
    select address from recipients
    where organization_id = ${organizationId} and chain_id = ${chainId} and state = 'active'
      and address = any(${addresses}::text[])`)
  return rows.map(({ address }) => address)
}

const LOOK_ALIKES_MAX = 500

/** Other active recipients with the same first and last four characters. Newest first. */
export async function listLookAlikes(
  tx: Reader,
  { organizationId, addresses }: { organizationId: string; addresses: readonly string[] },
): Promise<LookAlike[]> {
  const rows = await tx.query<LookAlike['existing'] & { added: string }>(sql`
    select n.address as added, r.id, r.label, r.address
    from unnest(${addresses}::text[]) with ordinality as n (address, place)
    join recipients r on r.organization_id = ${organizationId} and r.state = 'active'
      and left(r.address, 6) = left(n.address, 6) and right(r.address, 4) = right(n.address, 4)
      and r.address <> n.address
    order by n.place, r.id desc limit ${LOOK_ALIKES_MAX}`)
  return rows.map(({ added, id, label, address }) => ({
    address: checksummed(added),
    existing: { id, label, address: checksummed(address) },
  }))
}

export function updateRecipientLabel(
  tx: Tx,
  { organizationId, id, label }: { organizationId: string; id: string; label: string },
): void {
  tx.write(sql`
    update recipients set label = ${label}
    where organization_id = ${organizationId} and id = ${id} and state = 'active'`)
}

export async function listRecipients(
  tx: Reader,
  { organizationId, page }: { organizationId: string; page: Page },
): Promise<Recipient[]> {
  const rows = await tx.query<Recipient>(sql`
    select id, organization_id as "organizationId", label, address, chain_id as "chainId",
      state = 'active' as active
    from recipients where organization_id = ${organizationId} and id < ${page.beforeId}
    order by id desc limit ${page.limit + 1}`)
  return rows.map(withChecksum)
}

export async function lockRecipient(
  tx: Tx,
  { organizationId, recipientId }: { organizationId: string; recipientId: string },
): Promise<{ recipient: Recipient; state: RecipientState } | undefined> {
  const [row] = await tx.query<Recipient & { state: RecipientState }>(sql`
    select id, organization_id as "organizationId", label, address, chain_id as "chainId",
      state = 'active' as active, state
    from recipients where organization_id = ${organizationId} and id = ${recipientId} for update`)
  if (!row) return undefined
  const { state, ...recipient } = row
  return { recipient: withChecksum(recipient), state }
}

export function updateRecipientState(
  tx: Tx,
  move: { organizationId: string; id: string; from: RecipientState; to: RecipientState; at: Date },
): void {
  tx.write(sql`
    update recipients set state = ${move.to}, deactivated_at = ${move.at}
    where organization_id = ${move.organizationId} and id = ${move.id} and state = ${move.from}`)
}

export async function listActiveRecipientAddresses(
  tx: Tx,
  { organizationId, chainId }: { organizationId: string; chainId: number },
): Promise<string[]> {
  const rows = await tx.query<{ address: string }>(sql`
    select address from recipients
    where organization_id = ${organizationId} and chain_id = ${chainId} and state = 'active'
    order by address`)
  return rows.map(({ address }) => address)
}

/** With the name that an account shows, in one statement: a creation needs both. */
export async function findRecipientAndName(
  tx: Tx,
  {
    organizationId,
    recipientId,
    accountId,
  }: { organizationId: string; recipientId: string; accountId: string },
): Promise<{ recipient: Recipient; displayName: string | null } | undefined> {
  const [row] = await tx.query<Recipient & { displayName: string | null }>(sql`
    select id, organization_id as "organizationId", label, address, chain_id as "chainId",
      state = 'active' as active,
      (select p.display_name from profiles p where p.account_id = ${accountId}) as "displayName"
    from recipients where organization_id = ${organizationId} and id = ${recipientId}`)
  if (!row) return undefined
  const { displayName, ...recipient } = row
  return { recipient: withChecksum(recipient), displayName }
}

export async function findRecipient(
  tx: Tx,
  { organizationId, recipientId }: { organizationId: string; recipientId: string },
): Promise<Recipient | undefined> {
  const [row] = await tx.query<Recipient>(sql`
    select id, organization_id as "organizationId", label, address, chain_id as "chainId",
      state = 'active' as active
    from recipients where organization_id = ${organizationId} and id = ${recipientId}`)
  return row && withChecksum(row)
}
