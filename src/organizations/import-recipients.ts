/** Adds many recipients at once: all of them, or none with the reason for each bad row. */
import { checksummed } from '@countersign/proof/values.ts'
import type { Member } from '#access/permissions.ts'
import { recordChanges } from '#journal/journal.ts'
import { type BadRow, badRowsMessage } from '#platform/bad-rows.ts'
import type { Tx } from '#platform/database/database.ts'
import { AppError } from '#platform/errors.ts'
import { type Answer, type IdempotentRequest, once } from '#platform/idempotency.ts'
import { lowerCased } from '#platform/values.ts'
import { asActor, asMember } from './actor.ts'
import { organizationChange } from './organization-change.ts'
import {
  insertRecipients,
  listActiveAmong,
  listOwnContracts,
  type Recipient,
} from './recipients.store.ts'
import {
  findWarnings,
  OWN_CONTRACT,
  payableRefusal,
  type RecipientContext,
  type RecipientTerms,
  type RecipientWarning,
} from './recipients.ts'

export type ImportRecipients = {
  actor: Member
  recipients: readonly RecipientTerms[]
  request: IdempotentRequest
}

export type ImportedRecipients = { recipients: Recipient[]; warnings: RecipientWarning[] }

export async function importRecipients(
  ctx: RecipientContext,
  { actor, recipients, request }: ImportRecipients,
): Promise<Answer<ImportedRecipients>> {
  return asMember(ctx, actor, (tx) =>
    once(tx, request, {
      at: ctx.clock.now(),
      work: () => addAll(ctx, tx, { actor, recipients }),
    }),
  )
}

async function addAll(
  ctx: RecipientContext,
  tx: Tx,
  { actor, recipients }: Omit<ImportRecipients, 'request'>,
): Promise<ImportedRecipients> {
  const { organizationId, accountId } = actor
  const { chainId } = ctx.chain
  const addresses = recipients.map(({ address }) => lowerCased(address))
  const [contracts, active] = await Promise.all([
    listOwnContracts(tx, { organizationId, addresses }),
    listActiveAmong(tx, { organizationId, chainId, addresses }),
  ])
  requireGoodRows(ctx, recipients, { contracts: new Set(contracts), active: new Set(active) })
  const rows = recipients.map(({ label, address }) => ({
    id: ctx.ids.next(),
    label,
    address: lowerCased(address),
    chainId,
  }))
  const at = ctx.clock.now()
  await insertRecipients(tx, { organizationId, createdByAccountId: accountId, at, rows })
  // After the insertion, so that rows of the file are compared with each other, too.
  const warnings = await findWarnings(tx, { organizationId, addresses })
  await recordChanges(
    ctx,
    tx,
    rows.map(({ id, label, address }) => ({
      organizationId,
      actor: asActor(actor),
      action: 'recipient.added' as const,
      aggregateType: 'recipient' as const,
      aggregateId: id,
      data: { label, address, chainId },
      live: organizationChange('recipient_created', 'active'),
    })),
  )
  return {
    recipients: rows.map(({ id, label, address }) => ({
      id,
      organizationId,
      label,
      address: checksummed(address),
      chainId,
      active: true,
    })),
    warnings,
  }
}

function requireGoodRows(
  ctx: RecipientContext,
  recipients: readonly RecipientTerms[],
  { contracts, active }: { contracts: ReadonlySet<string>; active: ReadonlySet<string> },
): void {
  const firstRows = new Map<string, number>()
  const reasonOf = (terms: RecipientTerms, row: number): string | undefined => {
    const refusal = payableRefusal(ctx, terms)
    if (refusal) return refusal.message
    const address = lowerCased(terms.address)
    const first = firstRows.get(address)
    if (first !== undefined) return `It repeats the address of \`recipients[${first}]\`.`
    firstRows.set(address, row)
    if (contracts.has(address)) return OWN_CONTRACT
    return active.has(address) ? 'An active recipient already has this address.' : undefined
  }
  const bad = recipients.flatMap((terms, row): BadRow[] => {
    const reason = reasonOf(terms, row)
    return reason === undefined ? [] : [{ row, message: `\`recipients[${row}]\`: ${reason}` }]
  })
  if (bad.length === 0) return
  throw new AppError('validation_failed', { message: badRowsMessage(bad) })
}
