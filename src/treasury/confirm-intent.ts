/**
 * Confirms an intent: the caller submits the transaction hash, the request polls the chain briefly,
 * and a job takes over.
 */
import type { Member } from '#access/permissions.ts'
import { asActor, asMember, scopeOf } from '#organizations/actor.ts'
import { AppError, isUnavailable } from '#platform/errors.ts'
import { pollUntil } from '#platform/poll.ts'
import { isResubmittable } from './chain-intent.machine.ts'
import type { SettleContext } from './intent-ending.ts'
import {
  type DeploymentRecord,
  type PolicyIntentRecord,
  toDeploymentRecord,
  toPolicyIntentRecord,
} from './intent-records.ts'
import { findDeployment, findPolicyIntent, type IntentKind, lockIntent } from './intents.store.ts'
import { moveIntent } from './move-intent.ts'
import { enqueueSettlement, settleIntent } from './settle-intent.ts'
import { findVault } from './vaults.store.ts'

const JOB_AFTER_SECONDS = 3

export type ConfirmIntent = { actor: Member; intentId: string; transactionHash: string }

export async function confirmDeployment(
  ctx: SettleContext,
  input: ConfirmIntent,
): Promise<DeploymentRecord> {
  await confirmIntent(ctx, 'vault_deployment', input)
  const { actor, intentId } = input
  const { organizationId } = actor
  return ctx.db.read(scopeOf(actor), async (reader) => {
    const intent = await findDeployment(reader, { organizationId, intentId })
    if (!intent) throw new AppError('not_found')
    const { vaultId } = intent
    const vault =
      vaultId === null ? undefined : await findVault(reader, { organizationId, vaultId })
    return toDeploymentRecord(intent, vault)
  })
}

export async function confirmPolicy(
  ctx: SettleContext,
  { vaultId, ...input }: ConfirmIntent & { vaultId: string },
): Promise<PolicyIntentRecord> {
  const { actor, intentId } = input
  const key = { organizationId: actor.organizationId, intentId }
  const read = () => ctx.db.read(scopeOf(actor), (reader) => findPolicyIntent(reader, key))
  if ((await read())?.vaultId !== vaultId) throw new AppError('not_found')
  await confirmIntent(ctx, 'policy', input)
  const intent = await read()
  if (!intent) throw new AppError('not_found')
  return toPolicyIntentRecord(intent)
}

async function confirmIntent(
  ctx: SettleContext,
  kind: IntentKind,
  { actor, intentId, transactionHash }: ConfirmIntent,
): Promise<void> {
  const { organizationId } = actor
  const hash = transactionHash.toLowerCase()
  const payload = { organizationId, intentId, kind }
  await asMember(ctx, actor, async (tx) => {
    const intent = await lockIntent(tx, kind, { organizationId, intentId })
    if (!intent) throw new AppError('not_found')
    if (intent.transactionHash === hash && intent.state !== 'failed') return
    if (!isResubmittable(intent)) {
      if (intent.transactionHash === hash) return
      throw new AppError('state_conflict', {
        message: 'This intent already has another transaction. Prepare a new intent.',
      })
    }
    await moveIntent(ctx, tx, {
      kind,
      intent,
      event: 'submit',
      actor: asActor(actor),
      transactionHash: hash,
    })
    enqueueSettlement(tx, payload, JOB_AFTER_SECONDS)
  })
  await pollUntil(() => settleOrDefer(ctx, payload))
}

/** An unreachable chain does not undo the submission: the job keeps polling. */
async function settleOrDefer(
  ctx: SettleContext,
  payload: Parameters<typeof settleIntent>[1],
): Promise<'done' | undefined> {
  try {
    return (await settleIntent(ctx, payload)) ? undefined : 'done'
  } catch (error) {
    if (isUnavailable(error)) return 'done'
    throw error
  }
}
