/** SQL for recipients: the addresses that an organization may pay. */
import { checksummed } from '@countersign/proof/values.ts'
import sql from 'sql-template-tag'
import { isUniqueViolation, type Tx } from '#platform/database/database.ts'
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

/** Whether the address is a vault or executor of the organization, which no policy may pay. */
export async function findOwnContract(
  tx: Tx,
  { organizationId, address }: { organizationId: string; address: string },
): Promise<boolean> {
  const rows = await tx.query(sql`
    select 1 as found from vaults
    where organization_id = ${organizationId} and address = ${address} and state <> 'disabled'
    union all
    select 1 from executor_bindings
    where organization_id = ${organizationId} and address = ${address}`)
  return rows.length > 0
}

export async function listRecipients(
  tx: Tx,
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

export async function updateRecipientState(
  tx: Tx,
  move: { organizationId: string; id: string; from: RecipientState; to: RecipientState; at: Date },
): Promise<void> {
  await tx.query(sql`
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
