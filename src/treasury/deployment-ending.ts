/** Decides how a vault deployment ends: with a stored vault, or with a failure code. */
import { SYSTEM } from '#journal/actor.ts'
import { listWalletAddressesWithRole } from '#organizations/members.store.ts'
import type { Tx } from '#platform/database/database.ts'
import type { ChainTransaction, VaultIdentity, VaultTerms } from '#ports/chain.ts'
import { listServerWalletsAmong } from '#wallets/wallets.store.ts'
import { adoptVault, recordVault } from './adopt-vault.ts'
import {
  type IntentOutcome,
  judgeCommon,
  judgeOnChain,
  type SettleContext,
} from './intent-ending.ts'
import type { DeploymentIntent } from './intents.store.ts'
import { isSameCreation } from './judge-transaction.ts'
import { findOwnVaultByAddress, lockVaultsOf } from './vaults.store.ts'

/** Undefined while the outcome is open: the job polls again. */
export async function judgeDeployment(
  ctx: SettleContext,
  { intent, hash }: { intent: DeploymentIntent; hash: string },
): Promise<IntentOutcome | undefined> {
  const { transaction: prepared, ownerAddress } = intent
  const { verdict, headNumber } = await judgeOnChain(ctx, { hash, prepared, ownerAddress })
  if (verdict.outcome === 'reverted') return { event: 'fail', failureCode: 'transaction_reverted' }
  if (verdict.outcome !== 'final') return judgeCommon(ctx, verdict, intent.submittedAt)
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

/** The role was not revoked in the meantime, and the service holds no key of the owner. */
const isStillOwner = (
  { db }: SettleContext,
  { organizationId, ownerAddress }: DeploymentIntent,
): Promise<boolean> =>
  db.read({ organizationId }, async (reader) => {
    const role = 'treasury_owner'
    const owners = await listWalletAddressesWithRole(reader, { organizationId, role })
    if (!owners.includes(ownerAddress)) return false
    return (await listServerWalletsAmong(reader, [ownerAddress])).length === 0
  })

const isSameVault = (terms: VaultTerms, intent: DeploymentIntent): boolean =>
  terms.ownerAddress === intent.ownerAddress &&
  terms.tokenAddress === intent.tokenAddress &&
  terms.organizationHash === intent.organizationHash &&
  terms.changeDelaySeconds === intent.changeDelaySeconds

/**
 * A multisig deploys through a factory, so the receipt has no contract address; the VaultCreated
 * log names it.
 */
function deployedAddress(
  { receipt }: ChainTransaction,
  intent: DeploymentIntent,
): string | undefined {
  const created = receipt?.events.find(
    ({ event }) => event.name === 'VaultCreated' && isSameVault(event, intent),
  )
  return receipt?.contractAddress ?? created?.address
}

const isDeployedAsPrepared = (
  transaction: ChainTransaction,
  identity: VaultIdentity | null,
  intent: DeploymentIntent,
): boolean =>
  identity !== null &&
  isSameVault(identity, intent) &&
  (identity.isUntouched || isSameCreation(transaction, intent.transaction))

async function addDeployedVault(
  ctx: SettleContext,
  tx: Tx,
  { intent, address, fromBlock }: { intent: DeploymentIntent; address: string; fromBlock: number },
): Promise<string> {
  const { organizationId, chainId } = intent
  lockVaultsOf(tx, organizationId)
  const known = await findOwnVaultByAddress(tx, { organizationId, chainId, address })
  // Registered manually, or by another intent with the same data: it is the same vault.
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
    changeDelaySeconds: intent.changeDelaySeconds,
    fromBlock,
  })
  await recordVault(ctx, tx, { vault, action: 'vault.verified', actor: SYSTEM })
  return vault.id
}
