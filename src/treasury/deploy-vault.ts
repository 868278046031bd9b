import { organizationHash } from '@countersign/proof/digest.ts'
import type { Member } from '#access/permissions.ts'
import type { Context } from '#context.ts'
import { integrationChange, recordChange } from '#journal/journal.ts'
import { asActor, asMember } from '#organizations/actor.ts'
import { findOrganizationSalt, findWalletWithRole } from '#organizations/members.store.ts'
import type { Tx } from '#platform/database/database.ts'
import { AppError } from '#platform/errors.ts'
import { type Answer, type IdempotentRequest, once } from '#platform/idempotency.ts'
import { type DeploymentRecord, toDeploymentRecord } from './intent-records.ts'
import { insertDeployment } from './intents.store.ts'
import { requireVisible } from './vault.ts'

export type PrepareDeployment = {
  actor: Member
  label: string
  changeDelaySeconds: number
  request: IdempotentRequest
}

type PrepareContext = Pick<Context, 'db' | 'clock' | 'ids' | 'chain'>

/**
 * Prepares the transaction that the caller's own wallet sends; the service never holds that key.
 */
export async function prepareDeployment(
  ctx: PrepareContext,
  { request, ...input }: PrepareDeployment,
): Promise<Answer<DeploymentRecord>> {
  requireVisible(input.label)
  return asMember(ctx, input.actor, (tx) =>
    once(tx, request, { at: ctx.clock.now(), work: () => prepare(ctx, tx, input) }),
  )
}

async function prepare(
  ctx: PrepareContext,
  tx: Tx,
  { actor, label, changeDelaySeconds }: Omit<PrepareDeployment, 'request'>,
): Promise<DeploymentRecord> {
  const { organizationId, membershipId, accountId } = actor
  const ownerAddress = await findWalletWithRole(tx, {
    organizationId,
    membershipId,
    role: 'treasury_owner',
  })
  if (!ownerAddress) throw new AppError('treasury_owner_required')
  const hash = organizationHash({
    organizationId,
    salt: await findOrganizationSalt(tx, organizationId),
  })
  const { transaction, constructorDataHash } = ctx.chain.deployment({
    ownerAddress,
    organizationHash: hash,
    changeDelaySeconds,
  })
  const intentId = ctx.ids.next()
  const intent = await insertDeployment(tx, {
    id: intentId,
    organizationId,
    label,
    chainId: ctx.chain.chainId,
    tokenAddress: ctx.chain.tokenAddress,
    ownerAddress,
    organizationHash: hash,
    artifactHash: ctx.chain.artifactHash,
    constructorDataHash,
    changeDelaySeconds,
    transaction,
    createdByAccountId: accountId,
    createdAt: ctx.clock.now().toISOString(),
  })
  await recordChange(ctx, tx, {
    organizationId,
    actor: asActor(actor),
    action: 'vault_deployment.prepared',
    aggregateType: 'vault_deployment',
    aggregateId: intentId,
    data: { label, ownerAddress, constructorDataHash, changeDelaySeconds },
    live: integrationChange({
      targetState: 'prepared',
      severity: 'healthy',
      code: 'vault_deployment',
    }),
  })
  return toDeploymentRecord(intent, undefined)
}
