/**
 * Adds and deactivates recipients. An address never changes, so nobody can swap it under an
 * approved expense.
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
  findOwnContract,
  insertRecipient,
  lockRecipient,
  type Recipient,
  updateRecipientState,
} from './recipients.store.ts'

export type AddRecipient = {
  actor: Member
  label: string
  address: string
  chainId: number
  request: IdempotentRequest
}

type RecipientContext = Pick<Context, 'db' | 'clock' | 'ids' | 'chain' | 'reactions'>

const invalid = (message: string) => new AppError('validation_failed', { message })

function requirePayable(
  ctx: RecipientContext,
  { label, address, chainId }: Pick<AddRecipient, 'label' | 'address' | 'chainId'>,
): string {
  if (!isVisible(label)) throw invalid('`label` must have a visible character.')
  if (!isEvmAddress(address)) throw invalid('`address` must be 0x and 40 hex digits.')
  if (chainId !== ctx.chain.chainId) {
    throw new AppError('unsupported_chain', {
      message: `This deployment pays only on chain ${ctx.chain.chainId}.`,
    })
  }
  const stored = lowerCased(address)
  if (stored === ZERO_ADDRESS) throw invalid('`address` must not be the zero address.')
  if (stored === ctx.chain.tokenAddress) throw invalid('`address` must not be the token.')
  return stored
}

export async function addRecipient(
  ctx: RecipientContext,
  { actor, label, address, chainId, request }: AddRecipient,
): Promise<Answer<Recipient>> {
  const stored = requirePayable(ctx, { label, address, chainId })
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
): Promise<Recipient> {
  const { organizationId, accountId } = actor
  // The vault contract rejects a policy that lists one of them.
  if (await findOwnContract(tx, { organizationId, address })) {
    throw invalid('`address` must not be a vault or the executor of the organization.')
  }
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
  return recipient
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
    await updateRecipientState(tx, { organizationId, id: recipient.id, from, to, at })
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
