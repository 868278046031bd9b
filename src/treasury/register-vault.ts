/** Registers a vault that already exists on chain, after verifying its code and deployment. */
import { organizationHash } from '@countersign/proof/digest.ts'
import type { Member } from '#access/permissions.ts'
import { watchAddress } from '#chain/watch.ts'
import type { Context } from '#context.ts'
import { SYSTEM } from '#journal/actor.ts'
import { asActor, asMember, scopeOf } from '#organizations/actor.ts'
import { findOrganizationSalt, listWalletAddressesWithRole } from '#organizations/members.store.ts'
import { addSeconds } from '#platform/clock.ts'
import type { Reader, Tx } from '#platform/database/database.ts'
import { AppError, isUnavailable } from '#platform/errors.ts'
import { enqueue, type JobPayloads } from '#platform/jobs/jobs.ts'
import { next } from '#platform/machine.ts'
import { lowerCased } from '#platform/values.ts'
import { listServerWalletsAmong } from '#wallets/wallets.store.ts'
import { adoptVault, recordVault } from './adopt-vault.ts'
import { isAsPrepared, isSameCreation } from './judge-transaction.ts'
import { LOOK_AGAIN_SECONDS, secondsToNextPoll } from './poll-interval.ts'
import { vaultMachine } from './vault.machine.ts'
import { requireVisible } from './vault.ts'
import {
  findDefaultVault,
  findVault,
  insertVault,
  lockVault,
  lockVaultsOf,
  type NewVault,
  updateDefaultVault,
  updateVaultState,
  type VaultRow,
} from './vaults.store.ts'

const NOT_FOUND_AFTER_SECONDS = 24 * 60 * 60

type RegisterContext = Pick<Context, 'db' | 'chain' | 'clock' | 'ids'>

export type RegisterVault = {
  actor: Member
  label: string
  address: string
  deploymentTransactionHash: string
}

type ExpectedVault = {
  ownerAddresses: string[]
  /** They hold the role for deposits only. A vault that one of them owns is refused. */
  serverAddresses: string[]
  organizationHash: string
}
type Finding =
  | { outcome: 'waiting' }
  | {
      outcome: 'verified'
      ownerAddress: string
      changeDelaySeconds: number
      fromBlock: number
    }
  | { outcome: 'refused'; code: RefusalCode; message?: string }

type RefusalCode = 'transaction_mismatch' | 'transaction_failed' | 'vault_unverified'

async function findExpectedVault(tx: Reader, organizationId: string): Promise<ExpectedVault> {
  const role = 'treasury_owner'
  const addresses = await listWalletAddressesWithRole(tx, { organizationId, role })
  const serverAddresses = await listServerWalletsAmong(tx, addresses)
  return {
    ownerAddresses: addresses.filter((address) => !serverAddresses.includes(address)),
    serverAddresses,
    organizationHash: organizationHash({
      organizationId,
      salt: await findOrganizationSalt(tx, organizationId),
    }),
  }
}

const OWNED_BY_SERVER: Finding = {
  outcome: 'refused',
  code: 'vault_unverified',
  message:
    'A server wallet owns this vault, and the service could sign for it. ' +
    'Deploy a vault with a wallet whose key only its holder has.',
}

/** Verifies the code, owner and deployment of a vault that the caller claims. */
async function inspect(
  { chain }: RegisterContext,
  { address, hash, expected }: { address: string; hash: string; expected: ExpectedVault },
): Promise<Finding> {
  const transaction = await chain.findTransaction(hash)
  if (!transaction?.receipt) return { outcome: 'waiting' }
  const { receipt } = transaction
  if (receipt.status === 'reverted') return { outcome: 'refused', code: 'transaction_failed' }
  const deploysAddress =
    transaction.chainId === chain.chainId &&
    (receipt.contractAddress === address ||
      receipt.events.some((log) => log.event.name === 'VaultCreated' && log.address === address))
  if (!deploysAddress) return { outcome: 'refused', code: 'transaction_mismatch' }
  const head = await chain.latestBlock()
  const canonical = await chain.findBlock(receipt.blockNumber)
  // The code at the address says nothing about a deployment outside the canonical chain.
  if (head.number < receipt.blockNumber || canonical?.hash !== receipt.blockHash) {
    return { outcome: 'waiting' }
  }
  const blockNumber = head.number
  const identity = await chain.identifyVault({ address, blockNumber })
  if (identity && expected.serverAddresses.includes(identity.ownerAddress)) return OWNED_BY_SERVER
  const isOurs =
    identity !== null &&
    expected.ownerAddresses.includes(identity.ownerAddress) &&
    identity.tokenAddress === chain.tokenAddress &&
    identity.organizationHash === expected.organizationHash
  if (!isOurs) return { outcome: 'refused', code: 'vault_unverified' }
  const { ownerAddress, organizationHash, changeDelaySeconds, isUntouched } = identity
  const terms = { ownerAddress, organizationHash, changeDelaySeconds }
  const { transaction: prepared } = chain.deployment(terms)
  // Only a contract, such as a multisig, may have its vault deployed by someone else.
  const isAllowedSender =
    isAsPrepared(transaction, prepared) ||
    (await chain.hasCode({ address: ownerAddress, blockNumber }))
  if (!isAllowedSender) return { outcome: 'refused', code: 'transaction_mismatch' }
  if (!isSameCreation(transaction, prepared) && !isUntouched) {
    return { outcome: 'refused', code: 'vault_unverified' }
  }
  if (blockNumber - receipt.blockNumber + 1 < chain.confirmations) return { outcome: 'waiting' }
  const fromBlock = receipt.blockNumber
  return { outcome: 'verified', ownerAddress, changeDelaySeconds, fromBlock }
}

export async function registerVault(
  ctx: RegisterContext,
  { actor, label, address: given, deploymentTransactionHash }: RegisterVault,
): Promise<VaultRow> {
  requireVisible(label)
  const { organizationId } = actor
  const address = lowerCased(given)
  const hash = deploymentTransactionHash.toLowerCase()
  const expected = await ctx.db.read(scopeOf(actor), (reader) =>
    findExpectedVault(reader, organizationId),
  )
  const [firstOwner] = expected.ownerAddresses
  if (firstOwner === undefined) throw new AppError('treasury_owner_required')
  const finding = await inspect(ctx, { address, hash, expected })
  if (finding.outcome === 'refused') {
    const { code, message } = finding
    throw new AppError(code, message === undefined ? {} : { message })
  }

  const claim = {
    organizationId,
    label,
    createdByAccountId: actor.accountId,
    chainId: ctx.chain.chainId,
    address,
    tokenAddress: ctx.chain.tokenAddress,
    artifactHash: ctx.chain.artifactHash,
    deploymentTransactionHash: hash,
  }
  return asMember(ctx, actor, async (tx) => {
    lockVaultsOf(tx, organizationId)
    const vault =
      finding.outcome === 'verified'
        ? await adoptVault(ctx, tx, { ...claim, ...finding })
        : await insertPending(ctx, tx, {
            ...claim,
            ownerAddress: firstOwner,
            changeDelaySeconds: 0,
          })
    await recordVault(ctx, tx, { vault, action: 'vault.registered', actor: asActor(actor) })
    return vault
  })
}

async function insertPending(
  ctx: RegisterContext,
  tx: Tx,
  claim: Omit<NewVault, 'id' | 'state' | 'at'>,
): Promise<VaultRow> {
  const id = ctx.ids.next()
  const at = ctx.clock.now()
  const vault = await insertVault(tx, { ...claim, id, state: 'pending', at })
  const { organizationId } = claim
  enqueueVerification(tx, { organizationId, vaultId: id }, LOOK_AGAIN_SECONDS)
  return vault
}

const enqueueVerification = (
  tx: Tx,
  payload: JobPayloads['verify_vault'],
  inSeconds: number,
): void =>
  enqueue(tx, 'verify_vault', payload, {
    key: `verify_vault:${payload.vaultId}`,
    delaySeconds: inSeconds,
  })

const unavailableOrThrow = (error: unknown): { outcome: 'unavailable' } => {
  if (isUnavailable(error)) return { outcome: 'unavailable' }
  throw error
}

/** Job: verifies a vault whose deployment was not final when it was registered. */
export async function verifyVault(
  ctx: RegisterContext,
  { organizationId, vaultId }: JobPayloads['verify_vault'],
): Promise<void> {
  const scope = { organizationId }
  const [vault, expected] = await ctx.db.read(scope, async (reader) => [
    await findVault(reader, { organizationId, vaultId }),
    await findExpectedVault(reader, organizationId),
  ])
  if (vault?.state !== 'pending') return
  const { address, deploymentTransactionHash: hash } = vault
  const finding = await inspect(ctx, { address, hash, expected }).catch(unavailableOrThrow)
  const since = addSeconds(ctx.clock.now(), -NOT_FOUND_AFTER_SECONDS).toISOString()
  await ctx.db.transaction(scope, async (tx) => {
    const payload = { organizationId, vaultId }
    // An unavailable chain proves nothing, however long the outage lasts.
    if (finding.outcome === 'unavailable') {
      return enqueueVerification(tx, payload, LOOK_AGAIN_SECONDS)
    }
    if (finding.outcome === 'waiting' && vault.createdAt > since) {
      const inSeconds = secondsToNextPoll(vault.createdAt, ctx.clock.now())
      return enqueueVerification(tx, payload, inSeconds)
    }
    lockVaultsOf(tx, organizationId)
    const locked = await lockVault(tx, { organizationId, vaultId })
    if (locked?.state !== 'pending') return
    const event = finding.outcome === 'verified' ? 'verify' : 'disable'
    const to = next(vaultMachine, { from: locked.state, event })
    const failureCode = finding.outcome === 'refused' ? finding.code : 'transaction_not_found'
    const read = finding.outcome === 'verified' ? finding : locked
    updateVaultState(tx, {
      organizationId,
      vaultId,
      from: locked.state,
      to,
      ownerAddress: read.ownerAddress,
      changeDelaySeconds: read.changeDelaySeconds,
      failureCode: event === 'verify' ? null : failureCode,
    })
    if (finding.outcome === 'verified') {
      watchAddress(tx, { address, fromBlock: finding.fromBlock })
      const isFirst = (await findDefaultVault(tx, organizationId)) === undefined
      if (isFirst) updateDefaultVault(tx, { organizationId, vaultId })
    }
    const action = event === 'verify' ? 'vault.verified' : 'vault.disabled'
    await recordVault(ctx, tx, { vault: { ...locked, state: to }, action, actor: SYSTEM })
  })
}
