/** Decides how an intent for a policy or recipients ends: as prepared, or with a failure code. */
import { findPosition } from '#chain/chain.store.ts'
import type { ChainTransaction, RecipientsChange, VaultEvent } from '#ports/chain.ts'
import {
  type IntentOutcome,
  judgeCommon,
  judgeOnChain,
  type SettleContext,
} from './intent-ending.ts'
import type { PolicyIntent } from './intents.store.ts'
import { findPolicy } from './policies.store.ts'
import { findLoggedProposal } from './proposals.store.ts'
import { findHasRecipientsLog } from './vault-recipients.store.ts'
import { findVault } from './vaults.store.ts'

/** Undefined while the outcome is open: the job polls again. */
export async function judgePolicy(
  ctx: SettleContext,
  { intent, hash }: { intent: PolicyIntent; hash: string },
): Promise<IntentOutcome | undefined> {
  const { transaction: prepared } = intent
  const { verdict } = await judgeOnChain(ctx, { hash, prepared, ownerAddress: prepared.from })
  const stored = await readStored(ctx, { intent, hash })
  if (verdict.outcome === 'reverted') {
    // The reason is known once the follower has read up to that block.
    if (stored.position < verdict.blockNumber) return undefined
    const failureCode = isSuperseded(intent, stored) ? 'superseded' : 'transaction_reverted'
    return { event: 'fail', failureCode }
  }
  if (verdict.outcome !== 'final') return judgeCommon(ctx, verdict, intent.submittedAt)
  const emitted = findEmitted(ctx, verdict.transaction, intent)
  if (!emitted) return { event: 'reject', failureCode: 'transaction_mismatch' }
  if (emitted.name === 'PolicyProposed') return findProposed(ctx, { intent, hash, ...emitted })
  // The follower stores what the logs say; the intent is confirmed once it has.
  if (!stored.isApplied) return undefined
  const isPolicy = intent.kind !== 'recipients'
  const version = isPolicy ? intent.expectedVersion + 1 : stored.policyVersion
  return { event: 'confirm', finish: async () => version }
}

type Stored = {
  /** The newest block that the follower has read. */
  position: number
  /** In force. */
  policyVersion: number
  recipientsVersion: number
  /** Whether the follower has stored everything that the transaction logged. */
  isApplied: boolean
}

/** One snapshot: the vault and the follower's position must be of the same block. */
const readStored = (
  { db }: SettleContext,
  { intent, hash }: { intent: PolicyIntent; hash: string },
): Promise<Stored> => {
  const { organizationId, vaultId, kind } = intent
  const version = intent.expectedVersion + 1
  const recipientsVersion = intent.expectedRecipientsVersion + 1
  return db.transaction(
    { organizationId },
    async (tx) => {
      const policy = await findPolicy(tx, { organizationId, vaultId, version })
      const vault = await findVault(tx, { organizationId, vaultId })
      const position = await findPosition(tx)
      const log = { organizationId, vaultId, recipientsVersion, transactionHash: hash }
      const hasPolicy = kind === 'recipients' || policy?.chainTransactionHash === hash
      const hasRecipients = kind === 'policy' || (await findHasRecipientsLog(tx, log))
      return {
        position: position?.number ?? 0,
        policyVersion: vault?.policyVersion ?? 0,
        recipientsVersion: vault?.recipientsVersion ?? 0,
        isApplied: hasPolicy && hasRecipients,
      }
    },
    { isolation: 'snapshot' },
  )
}

/** Something else of the same number came first. */
const isSuperseded = (
  { kind, expectedVersion, expectedRecipientsVersion }: PolicyIntent,
  { policyVersion, recipientsVersion }: Stored,
): boolean =>
  (kind !== 'recipients' && policyVersion > expectedVersion) ||
  (kind !== 'policy' && recipientsVersion > expectedRecipientsVersion)

/** Undefined until the follower has stored the proposal. */
async function findProposed(
  { db }: SettleContext,
  { intent, hash, proposalId }: { intent: PolicyIntent; hash: string; proposalId: string },
): Promise<IntentOutcome | undefined> {
  const { organizationId, vaultId } = intent
  const log = { organizationId, vaultId, transactionHash: hash, proposalId }
  const proposal = await db.read({ organizationId }, (reader) => findLoggedProposal(reader, log))
  return proposal && { event: 'propose', proposalRowId: proposal.id }
}

type Emitted = Extract<
  VaultEvent,
  { name: 'PolicyConfigured' | 'PolicyProposed' | 'RecipientsChanged' }
>

/**
 * The log of what was prepared, whoever sent the transaction; undefined if the logs differ from it.
 * Where changes wait, a policy is only proposed.
 */
function findEmitted(
  { chain }: SettleContext,
  { receipt }: ChainTransaction,
  { kind, transaction: prepared, ...intent }: PolicyIntent,
): Emitted | undefined {
  const vaultAddress = prepared.to?.toLowerCase() ?? ''
  const events = (receipt?.events ?? [])
    .filter(({ address }) => address === vaultAddress)
    .map(({ event }) => event)
  const owned = { vaultAddress, ownerAddress: prepared.from }
  const { expectedVersion } = intent
  const changed = kind === 'policy' ? undefined : emittedChange(events, intent)
  if (kind !== 'policy' && !changed) return undefined
  const recipients = changed?.change ?? null
  if (kind === 'recipients') {
    const isSame =
      recipients && chain.recipientsChange({ ...owned, ...recipients }).data === prepared.data
    return isSame ? changed?.event : undefined
  }
  return events.find((event) => {
    const version = versionAfter(event)
    if (version !== expectedVersion + 1 || !('policy' in event)) return false
    const { policy } = event
    // The service prepares no such expiry, and a larger number could not be encoded again.
    if (!Number.isSafeInteger(policy.expiresAtSeconds)) return false
    const emitted = { ...owned, expectedVersion, policy, recipients }
    return chain.policyConfiguration(emitted).data === prepared.data
  }) as Emitted | undefined
}

/** The version that the policy in the log has, or will have. */
function versionAfter(event: VaultEvent): number | undefined {
  if (event.name === 'PolicyConfigured') return event.version
  return event.name === 'PolicyProposed' ? event.expectedVersion + 1 : undefined
}

function emittedChange(
  events: readonly VaultEvent[],
  { expectedRecipientsVersion }: Pick<PolicyIntent, 'expectedRecipientsVersion'>,
): { event: Emitted; change: RecipientsChange } | undefined {
  for (const event of events) {
    if (event.name !== 'RecipientsChanged') continue
    if (event.recipientsVersion !== expectedRecipientsVersion + 1) continue
    const change = { expectedRecipientsVersion, add: event.added, remove: event.removed }
    return { event, change }
  }
  return undefined
}
