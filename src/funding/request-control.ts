/**
 * The owner binds the provider's signer and policy to a vault. The request is stored first;
 * a worker attaches it, because only workers hold the provider's keys, and the request waits.
 */
import { asActor, asMember, scopeOf } from '#organizations/actor.ts'
import { AppError } from '#platform/errors.ts'
import { askWorker } from '#platform/jobs/ask-worker.ts'
import { enqueue } from '#platform/jobs/jobs.ts'
import { findControlById } from './controls.store.ts'
import { type FundingControl, toFundingControl } from './funding-control.ts'
import { type FundingRequestContext, providerOf } from './funding-provider.ts'
import { type AttachControl, selectControl } from './select-control.ts'

export async function attachControl(
  ctx: FundingRequestContext,
  input: AttachControl,
): Promise<FundingControl> {
  const { actor } = input
  const { organizationId, accountId } = actor
  const request = await asMember(ctx, actor, (tx) =>
    selectControl(ctx, tx, { ...input, signing: providerOf(ctx) }),
  )
  const controlId = request.control.id
  const { requestId } = asActor(actor)
  const job = {
    organizationId,
    controlId,
    actor: { realm: 'consumer', accountId, requestId: requestId ?? '' },
  } as const
  await askWorker(ctx, (replyTo) =>
    ctx.db.transaction(scopeOf(actor), (tx) =>
      enqueue(tx, 'attach_funding', { ...job, replyTo }, { attemptsMax: 1 }),
    ),
  )
  const control = await ctx.db.read(scopeOf(actor), (reader) =>
    findControlById(reader, { organizationId, controlId }),
  )
  if (!control) throw new AppError('not_found')
  return toFundingControl(control)
}
