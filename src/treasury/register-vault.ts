/** Adopts a vault that is on the chain already, after reading it back. */
import { watchAddress } from '#chain/watch.ts'
import type { Context } from '#context.ts'
import { SYSTEM } from '#journal/actor.ts'
import { recordChange } from '#journal/journal.ts'
import { asActor, asMember, scopeOf } from '#organizations/actor.ts'
import { findOrganizationSalt, listWalletAddressesWithRole } from '#organizations/members.store.ts'
import type { Member } from '#organizations/permissions.ts'
import { addSeconds } from '#platform/clock.ts'
import type { Tx } from '#platform/database.ts'
import { organizationHash } from '#platform/digest.ts'
import { AppError, isUnavailable } from '#platform/errors.ts'
import { enqueue, type JobPayloads } from '#platform/jobs.ts'
import { next } from '#platform/machine.ts'
import { lowerCased } from '#platform/values.ts'
import { isAsPrepared } from './judge-transaction.ts'
import { vaultMachine } from './vault.machine.ts'
import { requireVisible } from './vault.ts'
import {
  findDefaultVault,
  findVault,
  insertVault,
  lockVault,
  lockVaultsOf,
  updateDefaultVault,
  updateVaultState,
  type VaultRow,
} from './vaults.store.ts'

const LOOK_AGAIN_SECONDS = 5
const GIVEN_UP_AFTER_SECONDS = 24 * 60 * 60

type RegisterContext = Pick<Context, 'db' | 'chain' | 'clock' | 'ids'>

export type RegisterVault = {
  actor: Member
  label: string
  address: string
  deploymentTransactionHash: string
}

type Expected = { ownerAddresses: string[]; organizationHash: string }
type Finding =
  | { outcome: 'waiting' }
  | { outcome: 'verified'; ownerAddress: string; fromBlock: number }
  | { outcome: 'refused'; code: RefusalCode }

type RefusalCode = 'transaction_mismatch' | 'transaction_failed' | 'vault_unverified'

async function expectedOf(tx: Tx, organizationId: string): Promise<Expected> {
  return {
    ownerAddresses: await listWalletAddressesWithRole(tx, {
      organizationId,
      role: 'treasury_owner',
    }),
    organizationHash: organizationHash({
      organizationId,
      salt: await findOrganizationSalt(tx, organizationId),
    }),
  }
}

/** Code, getters and deployment of what claims to be our vault. */
async function inspect(
  { chain }: RegisterContext,
  { address, hash, expected }: { address: string; hash: string; expected: Expected },
): Promise<Finding> {
  const transaction = await chain.findTransaction(hash)
  if (!transaction?.receipt) return { outcome: 'waiting' }
  const { receipt } = transaction
  if (receipt.status === 'reverted') return { outcome: 'refused', code: 'transaction_failed' }
  const isItsDeployment =
    transaction.chainId === chain.chainId &&
    (receipt.contractAddress === address ||
      receipt.events.some((log) => log.event.name === 'VaultCreated' && log.address === address))
  if (!isItsDeployment) return { outcome: 'refused', code: 'transaction_mismatch' }
  const head = await chain.latestBlock()
  const canonical = await chain.findBlock(receipt.blockNumber)
  const isFinal =
    canonical?.hash === receipt.blockHash &&
    head.number - receipt.blockNumber + 1 >= chain.confirmations
  const identity = await chain.identifyVault(address)
  const isOurs =
    identity !== null &&
    expected.ownerAddresses.includes(identity.ownerAddress) &&
    identity.tokenAddress === chain.tokenAddress &&
    identity.organizationHash === expected.organizationHash
  if (!isOurs) return { outcome: 'refused', code: 'vault_unverified' }
  const { ownerAddress, organizationHash } = identity
  const { transaction: prepared } = chain.deployment({ ownerAddress, organizationHash })
  // Only a contract, such as a multisig, has its vault deployed by somebody else.
  if (!isAsPrepared(transaction, prepared) && !(await chain.hasCode(ownerAddress))) {
    return { outcome: 'refused', code: 'transaction_mismatch' }
  }
  if (!isFinal) return { outcome: 'waiting' }
  return {
    outcome: 'verified',
    ownerAddress,
    fromBlock: receipt.blockNumber,
  }
}

export async function registerVault(
  ctx: RegisterContext,
  { actor, label, address: given, deploymentTransactionHash }: RegisterVault,
): Promise<VaultRow> {
  requireVisible(label)
  const { organizationId } = actor
  const address = lowerCased(given)
  const hash = deploymentTransactionHash.toLowerCase()
  const expected = await ctx.db.transaction(scopeOf(actor), (tx) => expectedOf(tx, organizationId))
  const [firstOwner] = expected.ownerAddresses
  if (firstOwner === undefined) throw new AppError('treasury_owner_required')
  const finding = await inspect(ctx, { address, hash, expected })
  if (finding.outcome === 'refused') throw new AppError(finding.code)

  return asMember(ctx, actor, async (tx) => {
    await lockVaultsOf(tx, organizationId)
    const isVerified = finding.outcome === 'verified'
    const vault = await insertVault(tx, {
      id: ctx.ids.next(),
      organizationId,
      label,
      createdByAccountId: actor.accountId,
      chainId: ctx.chain.chainId,
      address,
      tokenAddress: ctx.chain.tokenAddress,
      ownerAddress: isVerified ? finding.ownerAddress : firstOwner,
      artifactHash: ctx.chain.artifactHash,
      deploymentTransactionHash: hash,
      state: isVerified ? 'verified' : 'pending',
      at: ctx.clock.now(),
    })
    if (isVerified) await watchAddress(tx, { address, fromBlock: finding.fromBlock })
    else await enqueueVerification(ctx, tx, { organizationId, vaultId: vault.id })
    await record(ctx, tx, { vault, action: 'vault.registered', actor: asActor(actor) })
    return vault
  })
}

const record = (
  ctx: RegisterContext,
  tx: Tx,
  {
    vault,
    action,
    actor,
  }: {
    vault: VaultRow
    action: 'vault.registered' | 'vault.verified' | 'vault.disabled'
    actor: Parameters<typeof recordChange>[2]['actor']
  },
) =>
  recordChange(ctx, tx, {
    organizationId: vault.organizationId,
    actor,
    action,
    aggregateType: 'vault',
    aggregateId: vault.id,
    data: { address: vault.address, transactionHash: vault.deploymentTransactionHash },
    live: {
      kind: 'integration.changed',
      aggregateType: 'integration',
      targetState: vault.state,
      severity: vault.state === 'disabled' ? 'action_required' : 'healthy',
      code: action.replace('.', '_'),
    },
  })

const enqueueVerification = (
  ctx: RegisterContext,
  tx: Tx,
  payload: JobPayloads['verify_vault'],
): Promise<void> =>
  enqueue(tx, 'verify_vault', payload, {
    key: `verify_vault:${payload.vaultId}`,
    runAt: addSeconds(ctx.clock.now(), LOOK_AGAIN_SECONDS),
  })

const awayOrThrow = (error: unknown): { outcome: 'away' } => {
  if (isUnavailable(error)) return { outcome: 'away' }
  throw error
}

/** Job: a vault whose deployment was not final when it was registered. */
export async function verifyVault(
  ctx: RegisterContext,
  { organizationId, vaultId }: JobPayloads['verify_vault'],
): Promise<void> {
  const scope = { organizationId }
  const [vault, expected] = await ctx.db.transaction(scope, async (tx) => [
    await findVault(tx, { organizationId, vaultId }),
    await expectedOf(tx, organizationId),
  ])
  if (vault?.state !== 'pending') return
  const { address, deploymentTransactionHash: hash } = vault
  const finding = await inspect(ctx, { address, hash, expected }).catch(awayOrThrow)
  const since = addSeconds(ctx.clock.now(), -GIVEN_UP_AFTER_SECONDS).toISOString()
  await ctx.db.transaction(scope, async (tx) => {
    // A chain that cannot be asked proves nothing, however long it is away.
    const isOpen = finding.outcome === 'waiting' && vault.createdAt > since
    if (finding.outcome === 'away' || isOpen) {
      return enqueueVerification(ctx, tx, { organizationId, vaultId })
    }
    await lockVaultsOf(tx, organizationId)
    const locked = await lockVault(tx, { organizationId, vaultId })
    if (locked?.state !== 'pending') return
    const event = finding.outcome === 'verified' ? 'verify' : 'disable'
    const to = next(vaultMachine, { from: locked.state, event })
    const failureCode = finding.outcome === 'refused' ? finding.code : 'transaction_not_found'
    await updateVaultState(tx, {
      organizationId,
      vaultId,
      from: locked.state,
      to,
      ownerAddress: finding.outcome === 'verified' ? finding.ownerAddress : locked.ownerAddress,
      failureCode: event === 'verify' ? null : failureCode,
    })
    if (finding.outcome === 'verified') {
      await watchAddress(tx, { address, fromBlock: finding.fromBlock })
      const isFirst = (await findDefaultVault(tx, organizationId)) === undefined
      if (isFirst) await updateDefaultVault(tx, { organizationId, vaultId })
    }
    const action = event === 'verify' ? 'vault.verified' : 'vault.disabled'
    await record(ctx, tx, { vault: { ...locked, state: to }, action, actor: SYSTEM })
  })
}
