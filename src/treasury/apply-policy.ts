/** Applies logs about policies: configured, paused, unpaused, approvers revoked. */
import { checksummed } from '@countersign/proof/values.ts'
import { enqueueWatch } from '#executor/watch-executor.ts'
import { SYSTEM } from '#journal/actor.ts'
import { integrationChange, recordChange } from '#journal/journal.ts'
import type { Tx } from '#platform/database/database.ts'
import { listServerWalletsAmong } from '#wallets/wallets.store.ts'
import {
  type AppliedEvent,
  type ApplyContext,
  placeOf,
  recordLog,
  vaultKeyOf,
} from './applied-log.ts'
import { endActivated } from './apply-proposal.ts'
import { findPreparedPolicy } from './intents.store.ts'
import { findPolicy, insertPause, insertPolicy, markApproverRevoked } from './policies.store.ts'
import { termsOf } from './proposal.ts'
import type { ProposalRow } from './proposals.store.ts'
import { addToVault, findVault } from './vaults.store.ts'

/** Stores a policy that the service did not prepare as well, and reports it as drift. */
export async function applyPolicy(
  ctx: ApplyContext,
  tx: Tx,
  applied: AppliedEvent<'PolicyConfigured'>,
): Promise<void> {
  const { event, log, timeSeconds } = applied
  const { blockNumber, logIndex, transactionHash } = log
  const { organizationId, vaultId } = vaultKeyOf(applied)
  const { version, policy } = event
  const terms = termsOf(policy)
  const id = ctx.ids.next()
  const stored = { ...terms, organizationId, vaultId, version }
  const keptPause = await findKeptPause(tx, applied, await endActivated(ctx, tx, applied))
  insertPolicy(tx, {
    ...stored,
    id,
    chainTransactionHash: transactionHash,
    blockNumber,
    timeSeconds,
    at: ctx.clock.now(),
  })
  addToVault(tx, { organizationId, vaultId, policyVersion: version })
  if (terms.paused || keptPause !== null) {
    const pause = { paused: true, pauseNumber: terms.paused ? null : keptPause, by: null }
    const place = { blockNumber, logIndex, transactionHash }
    insertPause(tx, { organizationId, vaultId, version, ...pause, ...place })
  }
  // The executor that it names takes over.
  enqueueWatch(tx, { organizationId }, 0)
  const isOurs = (await findPreparedPolicy(tx, stored)) !== undefined
  // The policy is in force on chain regardless; approvals by server wallets are rejected.
  const serverApprovers = await listServerWalletsAmong(tx, terms.approverAddresses)
  const isExpected = isOurs && serverApprovers.length === 0
  const code = serverApprovers.length > 0 ? 'policy_server_approver' : 'policy_drift'
  await recordChange(ctx, tx, {
    organizationId,
    actor: SYSTEM,
    action: 'policy.configured',
    aggregateType: 'policy',
    aggregateId: id,
    data: {
      vaultId,
      version,
      transactionHash,
      prepared: isOurs,
      ...(serverApprovers.length > 0 && { serverApprovers: serverApprovers.map(checksummed) }),
    },
    live: integrationChange({
      targetState: 'configured',
      severity: isExpected ? 'healthy' : 'action_required',
      code: isExpected ? 'policy_configured' : code,
    }),
  })
}

/**
 * The number of a pause that outlasts the policy it was made under: activation lifts none that is
 * newer than the proposal. Null without one.
 */
async function findKeptPause(
  tx: Tx,
  applied: AppliedEvent<'PolicyConfigured'>,
  proposal: ProposalRow | undefined,
): Promise<number | null> {
  if (!proposal) return null
  const key = vaultKeyOf(applied)
  const replaced = await findPolicy(tx, { ...key, version: proposal.expectedVersion })
  const vault = await findVault(tx, key)
  if (!vault || !replaced?.paused || vault.pauseNumber <= proposal.pauseNumber) return null
  return vault.pauseNumber
}

/** Revocations and pauses need no preparation here, so each of them is reported. */
export async function applyRevocation(
  ctx: ApplyContext,
  tx: Tx,
  applied: AppliedEvent<'ApproverRevoked'>,
): Promise<void> {
  const { event, log } = applied
  const { version, approverAddress: address } = event
  const { blockNumber } = log
  markApproverRevoked(tx, { ...vaultKeyOf(applied), version, address, blockNumber })
  await recordLog(ctx, tx, {
    ...applied,
    action: 'policy.approver_revoked',
    data: { version, approverAddress: checksummed(address) },
    targetState: 'approver_revoked',
    code: 'approver_revoked',
    isExpected: false,
  })
}

export async function applyPause(
  ctx: ApplyContext,
  tx: Tx,
  applied: AppliedEvent<'EmergencyPaused'>,
): Promise<void> {
  const { version, by, pauseNumber } = applied.event
  insertPause(tx, {
    ...vaultKeyOf(applied),
    version,
    paused: true,
    pauseNumber,
    by,
    ...placeOf(applied),
  })
  await recordLog(ctx, tx, {
    ...applied,
    action: 'policy.paused',
    data: { version, by, pauseNumber },
    targetState: 'paused',
    code: 'policy_paused',
    isExpected: false,
  })
}

export async function applyUnpause(
  ctx: ApplyContext,
  tx: Tx,
  applied: AppliedEvent<'Unpaused'>,
): Promise<void> {
  const { version, pauseNumber } = applied.event
  insertPause(tx, {
    ...vaultKeyOf(applied),
    version,
    paused: false,
    pauseNumber,
    by: null,
    ...placeOf(applied),
  })
  await recordLog(ctx, tx, {
    ...applied,
    action: 'policy.unpaused',
    data: { version, pauseNumber },
    targetState: 'configured',
    code: 'policy_unpaused',
    isExpected: true,
  })
}
