import { checksummed, secondsToTimestamp, timestampToSeconds } from '@countersign/proof/values.ts'
import type { Member } from '#access/permissions.ts'
import type { Context } from '#context.ts'
import { integrationChange, recordChange } from '#journal/journal.ts'
import { asActor, asMember } from '#organizations/actor.ts'
import type { Tx } from '#platform/database/database.ts'
import { AppError } from '#platform/errors.ts'
import { type Answer, type IdempotentRequest, once } from '#platform/idempotency.ts'
import type { PreparedTransaction } from '#ports/chain.ts'
import { listServerWalletsAmong } from '#wallets/wallets.store.ts'
import { type PolicyIntentRecord, toPolicyIntentRecord } from './intent-records.ts'
import { insertPolicyIntent, type PolicyIntentKind } from './intents.store.ts'
import { readListedAddresses } from './listed-addresses.ts'
import { findPolicy } from './policies.store.ts'
import { type PolicyTerms, requireConsistent, requirePossible, requireUnexpired } from './policy.ts'
import { changesBetween, changesPolicy, type ListedAddresses } from './policy-changes.ts'
import {
  type ChosenLimits,
  limitsAfter,
  type PolicyLimits,
  requireFillableTiers,
} from './policy-limits.ts'
import { type RecipientsStep, recipientsStep, requireAddable } from './recipients-step.ts'
import { requireUsable } from './vault.ts'
import { listVaultRecipients } from './vault-recipients.store.ts'
import { lockVault, type VaultRow } from './vaults.store.ts'

/** The terms that the owner chooses. The lists of addresses come from the database. */
type ChosenTerms = Omit<PolicyTerms, 'executorAddress' | 'approverAddresses' | keyof PolicyLimits> &
  ChosenLimits

export type PreparePolicy = {
  actor: Member
  vaultId: string
  terms: ChosenTerms
  request: IdempotentRequest
}

type PrepareContext = Pick<Context, 'db' | 'clock' | 'ids' | 'chain'>

export async function preparePolicy(
  ctx: PrepareContext,
  { actor, vaultId, terms: given, request }: PreparePolicy,
): Promise<Answer<PolicyIntentRecord>> {
  // The contract stores whole seconds; compare and show what it will hold.
  const expiresAt = secondsToTimestamp(timestampToSeconds(given.expiresAt))
  const terms = { ...given, expiresAt }
  const { organizationId } = actor
  return asMember(ctx, actor, (tx) =>
    once(tx, request, {
      at: ctx.clock.now(),
      work: async () => {
        requireUnexpired(terms, ctx.clock.now())
        const vault = await lockVault(tx, { organizationId, vaultId })
        if (!vault) throw new AppError('not_found')
        requireUsable(vault)
        return prepare(ctx, tx, { actor, vault, terms })
      },
    }),
  )
}

async function requireListedAddresses(
  ctx: PrepareContext,
  tx: Tx,
  organizationId: string,
): Promise<ListedAddresses & { approverAccounts: number }> {
  const { chainId } = ctx.chain
  const { executorAddress, ...listed } = await readListedAddresses(tx, { organizationId, chainId })
  if (executorAddress === undefined) throw new AppError('executor_not_ready')
  return { executorAddress, ...listed }
}

/** The owner of a vault and its approvers must hold keys that the service does not have. */
async function rejectServerWallets(
  tx: Tx,
  { policy, vault }: { policy: PolicyTerms; vault: VaultRow },
): Promise<void> {
  const signers = [vault.ownerAddress, ...policy.approverAddresses]
  const held = (await listServerWalletsAmong(tx, signers)).map(checksummed)
  if (held.length === 0) return
  throw new AppError('policy_violation', {
    message:
      `The service could sign for ${held.join(', ')}: a server wallet can neither own a vault ` +
      'nor approve. Revoke its approver role, or deploy a vault that another wallet owns.',
  })
}

async function prepare(
  ctx: PrepareContext,
  tx: Tx,
  { actor, vault, terms }: { actor: Member; vault: VaultRow; terms: ChosenTerms },
): Promise<PolicyIntentRecord> {
  const { organizationId, accountId } = actor
  const { id: vaultId, policyVersion: expectedVersion } = vault
  const inForce = await findPolicy(tx, { organizationId, vaultId, version: expectedVersion })
  const listed = await requireListedAddresses(ctx, tx, organizationId)
  const { approverAccounts, recipientAddresses, ...signers } = listed
  const complete: PolicyTerms = { ...terms, ...limitsAfter(inForce, terms), ...signers }
  requireConsistent(complete)
  requirePossible({ ...complete, recipientAddresses }, vault)
  requireFillableTiers(complete, approverAccounts)
  await rejectServerWallets(tx, { policy: complete, vault })
  const standings = await listVaultRecipients(tx, { organizationId, vaultId })
  const step = recipientsStep(standings, recipientAddresses)
  requireAddable(step, { vault, inForce })
  const changes = changesBetween(inForce, complete, step)
  const kind = kindOf({ step, isOtherPolicy: changesPolicy(changes) })
  const intentId = ctx.ids.next()
  const intent = await insertPolicyIntent(tx, {
    ...complete,
    id: intentId,
    organizationId,
    vaultId,
    kind,
    expectedVersion,
    expectedRecipientsVersion: vault.recipientsVersion,
    recipientAddresses: step.after,
    recipientsAdded: step.added,
    recipientsRemoved: step.removed,
    remainingRecipientChanges: step.remaining,
    changes,
    transaction: transactionOf(ctx, { kind, vault, policy: complete, step }),
    createdByAccountId: accountId,
    createdAt: ctx.clock.now().toISOString(),
  })
  await recordChange(ctx, tx, {
    organizationId,
    actor: asActor(actor),
    action: 'policy_intent.prepared',
    aggregateType: 'policy_intent',
    aggregateId: intentId,
    data: { vaultId, kind, expectedVersion, changes },
    live: integrationChange({
      targetState: 'prepared',
      severity: 'healthy',
      code: 'policy_intent',
    }),
  })
  return toPolicyIntentRecord(intent)
}

/** A change of recipients alone keeps the policy and with it every approval that waits. */
function kindOf({
  step,
  isOtherPolicy,
}: {
  step: RecipientsStep
  isOtherPolicy: boolean
}): PolicyIntentKind {
  const hasRecipients = step.added.length > 0 || step.removed.length > 0
  if (!hasRecipients) return 'policy'
  return isOtherPolicy ? 'policy_and_recipients' : 'recipients'
}

function transactionOf(
  { chain }: PrepareContext,
  {
    kind,
    vault,
    policy: { expiresAt, ...rest },
    step,
  }: { kind: PolicyIntentKind; vault: VaultRow; policy: PolicyTerms; step: RecipientsStep },
): PreparedTransaction {
  const owned = { vaultAddress: vault.address, ownerAddress: vault.ownerAddress }
  const recipients = {
    expectedRecipientsVersion: vault.recipientsVersion,
    add: step.added,
    remove: step.removed,
  }
  if (kind === 'recipients') return chain.recipientsChange({ ...owned, ...recipients })
  return chain.policyConfiguration({
    ...owned,
    expectedVersion: vault.policyVersion,
    policy: { ...rest, expiresAtSeconds: timestampToSeconds(expiresAt) },
    recipients: kind === 'policy' ? null : recipients,
  })
}
