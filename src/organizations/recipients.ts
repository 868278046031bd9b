/**
 * Adds, renames and deactivates recipients. An address never changes, so nobody can swap it under
 * an approved expense.
 */
import { isEvmAddress, ZERO_ADDRESS } from '@countersign/proof/values.ts'
import type { Member } from '#access/permissions.ts'
import type { Context } from '#context.ts'
import { recordChange } from '#journal/journal.ts'
import type { Tx } from '#platform/database/database.ts'
import { AppError } from '#platform/errors.ts'
import { type Answer, type IdempotentRequest, once } from '#platform/idempotency.ts'
import { next } from '#platform/machine.ts'
import { isVisible, lowerCased } from '#platform/values.ts'
import { asActor, asMember } from './actor.ts'
import { organizationChange } from './organization-change.ts'
import { recipientMachine } from './recipient.machine.ts'
import {
  insertRecipient,
  listLookAlikes,
  listOwnContracts,
  lockRecipient,
  type Recipient,
  updateRecipientLabel,
  updateRecipientState,
} from './recipients.store.ts'

export type AddRecipient = {
  actor: Member
  label: string
  address: string
  chainId: number
  request: IdempotentRequest
}

export type RecipientContext = Pick<Context, 'db' | 'clock' | 'ids' | 'chain' | 'reactions'>

const invalid = (message: string) => new AppError('validation_failed', { message })

export type RecipientTerms = Pick<AddRecipient, 'label' | 'address' | 'chainId'>

/** Why an address can never be paid, or undefined. Needs no database. */
export function payableRefusal(
  { chain }: Pick<Context, 'chain'>,
  { label, address, chainId }: RecipientTerms,
): AppError | undefined {
  if (!isVisible(label)) return invalid('`label` must have a visible character.')
  if (!isEvmAddress(address)) return invalid('`address` must be 0x and 40 hex digits.')
  if (chainId !== chain.chainId) {
    return new AppError('unsupported_chain', {
      message: `This deployment pays only on chain ${chain.chainId}.`,
    })
  }
  const stored = lowerCased(address)
  if (stored === ZERO_ADDRESS) return invalid('`address` must not be the zero address.')
  return stored === chain.tokenAddress ? invalid('`address` must not be the token.') : undefined
}

/** The vault contract rejects a policy that lists one of them. */
export const OWN_CONTRACT = '`address` must not be a vault or the executor of the organization.'

export type RecipientWarning = {
  code: 'look_alike_address'
  message: string
  address: string
  existingRecipientId: string
  existingLabel: string
  existingAddress: string
}

/**
 * Address poisoning: attackers send dust from an address that resembles a known one, hoping that
 * somebody copies theirs.
 */
export async function findWarnings(
  tx: Tx,
  where: { organizationId: string; addresses: readonly string[] },
): Promise<RecipientWarning[]> {
  const found = await listLookAlikes(tx, where)
  return found.map(({ address, existing }) => ({
    code: 'look_alike_address',
    message:
      `${address} looks like ${existing.address} (${existing.label}): the first and last four ` +
      'characters are the same. Compare the whole address with its source before you pay.',
    address,
    existingRecipientId: existing.id,
    existingLabel: existing.label,
    existingAddress: existing.address,
  }))
}

/** `warnings` is omitted when there are none. */
export type AddedRecipient = Recipient & { warnings?: RecipientWarning[] }

export async function addRecipient(
  ctx: RecipientContext,
  { actor, label, address, chainId, request }: AddRecipient,
): Promise<Answer<AddedRecipient>> {
  const refusal = payableRefusal(ctx, { label, address, chainId })
  if (refusal) throw refusal
  const stored = lowerCased(address)
  return asMember(ctx, actor, (tx) =>
    once(tx, request, {
      at: ctx.clock.now(),
      work: () => insert(ctx, tx, { actor, label, address: stored, chainId }),
    }),
  )
}

async function insert(
  ctx: RecipientContext,
  tx: Tx,
  { actor, label, address, chainId }: Omit<AddRecipient, 'request'>,
): Promise<AddedRecipient> {
  const { organizationId, accountId } = actor
  const where = { organizationId, addresses: [address] }
  const [contracts, warnings] = await Promise.all([
    listOwnContracts(tx, where),
    findWarnings(tx, where),
  ])
  if (contracts.length > 0) throw invalid(OWN_CONTRACT)
  const recipient = await insertRecipient(tx, {
    id: ctx.ids.next(),
    organizationId,
    label,
    address,
    chainId,
    createdByAccountId: accountId,
    at: ctx.clock.now(),
  })
  await recordChange(ctx, tx, {
    organizationId,
    actor: asActor(actor),
    action: 'recipient.added',
    aggregateType: 'recipient',
    aggregateId: recipient.id,
    data: { label, address: recipient.address, chainId },
    live: organizationChange('recipient_created', 'active'),
  })
  return { ...recipient, ...(warnings.length > 0 && { warnings }) }
}

/** Revisions keep the label that they were written with. */
export async function renameRecipient(
  ctx: RecipientContext,
  { actor, recipientId, label }: { actor: Member; recipientId: string; label: string },
): Promise<Recipient> {
  const { organizationId } = actor
  if (!isVisible(label)) throw invalid('`label` must have a visible character.')
  return asMember(ctx, actor, async (tx) => {
    const found = await lockRecipient(tx, { organizationId, recipientId })
    if (!found) throw new AppError('not_found')
    const { recipient, state } = found
    if (state !== 'active') {
      throw new AppError('state_conflict', {
        message: 'This recipient is deactivated. Add it again to give it another label.',
      })
    }
    updateRecipientLabel(tx, { organizationId, id: recipient.id, label })
    await recordChange(ctx, tx, {
      organizationId,
      actor: asActor(actor),
      action: 'recipient.renamed',
      aggregateType: 'recipient',
      aggregateId: recipient.id,
      data: { label, from: recipient.label, address: recipient.address },
      live: organizationChange('recipient_renamed', state),
    })
    return { ...recipient, label }
  })
}

export async function deactivateRecipient(
  ctx: RecipientContext,
  { actor, recipientId }: { actor: Member; recipientId: string },
): Promise<Recipient> {
  const { organizationId } = actor
  return asMember(ctx, actor, async (tx) => {
    const found = await lockRecipient(tx, { organizationId, recipientId })
    if (!found) throw new AppError('not_found')
    const { recipient, state: from } = found
    const to = next(recipientMachine, { from, event: 'deactivate' })
    const at = ctx.clock.now()
    const by = asActor(actor)
    await ctx.reactions.recipientDeactivated(tx, { organizationId, recipientId, actor: by })
    updateRecipientState(tx, { organizationId, id: recipient.id, from, to, at })
    await recordChange(ctx, tx, {
      organizationId,
      actor: asActor(actor),
      action: 'recipient.deactivated',
      aggregateType: 'recipient',
      aggregateId: recipient.id,
      data: { label: recipient.label, address: recipient.address },
      live: organizationChange('recipient_deactivated', to),
    })
    return { ...recipient, active: false }
  })
}
