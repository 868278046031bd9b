/**
 * Job, and the second half of `confirm`: what the chain says of an intent's transaction is what
 * happened. The chain is read first; then one transaction writes what follows from it.
 */
import { findPosition } from '#chain/chain.store.ts'
import type { Context } from '#context.ts'
import { SYSTEM } from '#journal/journal.ts'
import { listWalletAddressesWithRole } from '#organizations/members.store.ts'
import { addSeconds } from '#platform/clock.ts'
import type { Tx } from '#platform/database.ts'
import { isUnavailable } from '#platform/errors.ts'
import { enqueue, type JobPayloads } from '#platform/jobs.ts'
import type { ChainTransaction, PreparedTransaction, VaultIdentity } from '#ports/chain.ts'
import { adoptVault, recordVault } from './adopt-vault.ts'
import {
  type DeploymentIntent,
  findDeployment,
  findPolicyIntent,
  type IntentHead,
  type IntentKind,
  lockIntent,
  type PolicyIntent,
} from './intents.store.ts'
import { isSameCreation, judge, type Verdict } from './judge-transaction.ts'
import { LOOK_AGAIN_SECONDS, secondsToNextLook } from './look-again.ts'
import { moveIntent } from './move-intent.ts'
import { findPolicy } from './policies.store.ts'
import { findOwnVaultByAddress, findVault, lockVaultsOf } from './vaults.store.ts'

export type SettleContext = Pick<Context, 'db' | 'chain' | 'clock' | 'ids' | 'log'>

const LOST_AFTER_SECONDS = 120
const GIVEN_UP_AFTER_SECONDS = 24 * 60 * 60

type Ending =
  | { event: 'confirm'; finish?: (tx: Tx) => Promise<string | number> }
  | { event: 'reject' | 'fail'; failureCode: string }
  | { event: 'lose' }
  | undefined

type Key = { organizationId: string; intentId: string }

/** The intent that is still to be looked for; undefined when it is settled. */
export async function settleIntent(
  ctx: SettleContext,
  { organizationId, intentId, kind }: JobPayloads['settle_intent'],
): Promise<IntentHead | undefined> {
  const key = { organizationId, intentId }
  const ending =
    kind === 'vault_deployment' ? await deploymentEnding(ctx, key) : await policyEnding(ctx, key)
  if (ending === 'settled') return undefined
  return ctx.db.transaction({ organizationId }, async (tx) => {
    const intent = await lockIntent(tx, kind, key)
    if (!intent || !isOpen(intent)) return undefined
    if (!ending) return intent
    // Lost once is lost: it is said when it happens, not at every look.
    if (ending.event === 'lose' && intent.state === 'reconciling') return intent
    await end(ctx, tx, { kind, intent, ending })
    return ending.event === 'lose' ? intent : undefined
  })
}

const isOpen = ({ state }: Pick<IntentHead, 'state'>): boolean =>
  state === 'submitted' || state === 'reconciling'

async function end(
  ctx: SettleContext,
  tx: Tx,
  {
    kind,
    intent,
    ending,
  }: {
    kind: IntentKind
    intent: IntentHead
    ending: NonNullable<Ending>
  },
): Promise<void> {
  const outcome = ending.event === 'confirm' ? await ending.finish?.(tx) : undefined
  await moveIntent(ctx, tx, {
    kind,
    intent,
    event: ending.event,
    actor: SYSTEM,
    ...('failureCode' in ending && { failureCode: ending.failureCode }),
    ...(outcome !== undefined && { outcome }),
  })
}

async function judgeOnChain(
  ctx: SettleContext,
  {
    hash,
    prepared,
    ownerAddress,
  }: {
    hash: string
    prepared: PreparedTransaction
    ownerAddress: string
  },
): Promise<{ verdict: Verdict; headNumber: number }> {
  const transaction = await ctx.chain.findTransaction(hash)
  const receipt = transaction?.receipt
  const { number: headNumber } = await ctx.chain.latestBlock()
  const canonical = receipt ? await ctx.chain.findBlock(receipt.blockNumber) : undefined
  const at = { address: ownerAddress, blockNumber: headNumber }
  const verdict = judge(prepared, {
    transaction,
    canonicalHash: canonical?.hash,
    headNumber,
    confirmations: ctx.chain.confirmations,
    ownerIsContract: await ctx.chain.hasCode(at),
  })
  return { verdict, headNumber }
}

/** What both kinds have in common; undefined: look again later. */
function commonEnding(ctx: SettleContext, verdict: Verdict, submittedAt: string | null): Ending {
  const now = ctx.clock.now()
  const since = (seconds: number) =>
    submittedAt !== null && submittedAt <= addSeconds(now, -seconds).toISOString()
  if (verdict.outcome === 'mismatch')
    return { event: 'reject', failureCode: 'transaction_mismatch' }
  if (verdict.outcome === 'unseen' && since(GIVEN_UP_AFTER_SECONDS)) {
    return { event: 'fail', failureCode: 'transaction_not_found' }
  }
  if (verdict.outcome === 'unseen' && since(LOST_AFTER_SECONDS)) return { event: 'lose' }
  return undefined
}

async function deploymentEnding(ctx: SettleContext, key: Key): Promise<Ending | 'settled'> {
  const { organizationId } = key
  const intent = await ctx.db.transaction({ organizationId }, (tx) => findDeployment(tx, key))
  if (!intent?.transactionHash || !isOpen(intent)) return 'settled'
  const { transactionHash: hash, transaction: prepared, ownerAddress } = intent
  const { verdict, headNumber } = await judgeOnChain(ctx, { hash, prepared, ownerAddress })
  if (verdict.outcome === 'reverted') return { event: 'fail', failureCode: 'transaction_reverted' }
  if (verdict.outcome !== 'final') return commonEnding(ctx, verdict, intent.submittedAt)
  const address = deployedAddress(verdict.transaction, intent)
  const at = address && { address, blockNumber: headNumber }
  const identity = at ? await ctx.chain.identifyVault(at) : null
  if (!address || !isDeployedAsPrepared(verdict.transaction, identity, intent)) {
    return { event: 'reject', failureCode: 'transaction_mismatch' }
  }
  if (!(await isStillOwner(ctx, intent))) {
    return { event: 'reject', failureCode: 'treasury_owner_required' }
  }
  const fromBlock = verdict.transaction.receipt?.blockNumber ?? 0
  return {
    event: 'confirm',
    finish: (tx) => addDeployedVault(ctx, tx, { intent, address, fromBlock }),
  }
}

/** Who was revoked meanwhile has made a vault for themselves. */
const isStillOwner = (
  { db }: SettleContext,
  { organizationId, ownerAddress }: DeploymentIntent,
): Promise<boolean> =>
  db.transaction({ organizationId }, async (tx) => {
    const role = 'treasury_owner'
    return (await listWalletAddressesWithRole(tx, { organizationId, role })).includes(ownerAddress)
  })

/** A multisig deploys through a factory: then the log that names us says where the vault is. */
function deployedAddress(
  { receipt }: ChainTransaction,
  { ownerAddress, tokenAddress, organizationHash }: DeploymentIntent,
): string | undefined {
  const created = receipt?.events.find(
    ({ event }) =>
      event.name === 'VaultCreated' &&
      event.ownerAddress === ownerAddress &&
      event.tokenAddress === tokenAddress &&
      event.organizationHash === organizationHash,
  )
  return receipt?.contractAddress ?? created?.address
}

const isDeployedAsPrepared = (
  transaction: ChainTransaction,
  identity: VaultIdentity | null,
  intent: DeploymentIntent,
): boolean =>
  identity !== null &&
  identity.ownerAddress === intent.ownerAddress &&
  identity.tokenAddress === intent.tokenAddress &&
  identity.organizationHash === intent.organizationHash &&
  (identity.isUntouched || isSameCreation(transaction, intent.transaction))

async function addDeployedVault(
  ctx: SettleContext,
  tx: Tx,
  { intent, address, fromBlock }: { intent: DeploymentIntent; address: string; fromBlock: number },
): Promise<string> {
  const { organizationId, chainId } = intent
  await lockVaultsOf(tx, organizationId)
  const known = await findOwnVaultByAddress(tx, { organizationId, chainId, address })
  // Registered by hand, or by another intent with the same data: it is the same vault.
  if (known?.state === 'verified') return known.id
  const vault = await adoptVault(ctx, tx, {
    organizationId,
    label: intent.label,
    createdByAccountId: intent.createdByAccountId,
    chainId,
    address,
    tokenAddress: intent.tokenAddress,
    ownerAddress: intent.ownerAddress,
    artifactHash: intent.artifactHash,
    deploymentTransactionHash: intent.transactionHash ?? '',
    fromBlock,
  })
  await recordVault(ctx, tx, { vault, action: 'vault.verified', actor: SYSTEM })
  return vault.id
}

async function policyEnding(ctx: SettleContext, key: Key): Promise<Ending | 'settled'> {
  const { organizationId } = key
  const intent = await ctx.db.transaction({ organizationId }, (tx) => findPolicyIntent(tx, key))
  if (!intent?.transactionHash || !isOpen(intent)) return 'settled'
  const { transactionHash: hash, transaction: prepared, vaultId } = intent
  const { verdict } = await judgeOnChain(ctx, { hash, prepared, ownerAddress: prepared.from })
  const version = intent.expectedVersion + 1
  const [policy, vault, position] = await ctx.db.transaction({ organizationId }, async (tx) => [
    await findPolicy(tx, { organizationId, vaultId, version }),
    await findVault(tx, { organizationId, vaultId }),
    await findPosition(tx),
  ])
  if (verdict.outcome === 'reverted') {
    // Why it was is known once the follower has read that far.
    if ((position?.number ?? 0) < verdict.blockNumber) return undefined
    const isSuperseded = (vault?.policyVersion ?? 0) > intent.expectedVersion
    return { event: 'fail', failureCode: isSuperseded ? 'superseded' : 'transaction_reverted' }
  }
  if (verdict.outcome !== 'final') return commonEnding(ctx, verdict, intent.submittedAt)
  if (!emitsPolicy(ctx, verdict.transaction, intent)) {
    return { event: 'reject', failureCode: 'transaction_mismatch' }
  }
  // The policy itself comes from the follower; it is confirmed once it is there.
  if (policy?.chainTransactionHash !== hash) return undefined
  return { event: 'confirm', finish: async () => version }
}

/** The log must carry the very policy that was prepared, whoever sent it and by what detour. */
const emitsPolicy = (
  { chain }: SettleContext,
  { receipt }: ChainTransaction,
  { transaction: prepared, expectedVersion }: PolicyIntent,
): boolean =>
  receipt?.events.some(({ address, event }) => {
    if (event.name !== 'PolicyConfigured' || event.version !== expectedVersion + 1) return false
    if (address !== prepared.to?.toLowerCase()) return false
    // We prepare no such expiry, and a number beyond this could not be encoded again.
    if (!Number.isSafeInteger(event.policy.expiresAtSeconds)) return false
    const emitted = chain.policyConfiguration({
      vaultAddress: address,
      ownerAddress: prepared.from,
      expectedVersion,
      policy: event.policy,
    })
    return emitted.data === prepared.data
  }) ?? false

/** A queue waits longer after every failure; a chain that is away is looked for as before. */
const awayOrThrow = (error: unknown): 'away' => {
  if (isUnavailable(error)) return 'away'
  throw error
}

/** Job: looks, and comes back until it is settled. */
export async function settleIntentJob(
  ctx: SettleContext,
  payload: JobPayloads['settle_intent'],
): Promise<void> {
  const open = await settleIntent(ctx, payload).catch(awayOrThrow)
  if (open === undefined) return
  const since = open === 'away' ? null : open.submittedAt
  const inSeconds = since === null ? LOOK_AGAIN_SECONDS : secondsToNextLook(since, ctx.clock.now())
  await ctx.db.transaction({}, (tx) => enqueueSettlement(ctx, tx, payload, inSeconds))
}

export const enqueueSettlement = (
  ctx: Pick<Context, 'clock'>,
  tx: Tx,
  payload: JobPayloads['settle_intent'],
  inSeconds: number,
): Promise<void> =>
  enqueue(tx, 'settle_intent', payload, {
    key: `settle_intent:${payload.intentId}`,
    runAt: addSeconds(ctx.clock.now(), inSeconds),
  })
