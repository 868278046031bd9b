/**
 * Treasury overview, vaults and member funds, read from the database with the block they reflect.
 */
import { checksummed } from '@countersign/proof/values.ts'
import type { Member } from '#access/permissions.ts'
import { findPosition } from '#chain/chain.store.ts'
import type { Context } from '#context.ts'
import { scopeOf } from '#organizations/actor.ts'
import type { Tx } from '#platform/database/database.ts'
import { AppError } from '#platform/errors.ts'
import { type Page, type Paged, toPaged } from '#platform/paging.ts'
import { listAccountWallets } from '#wallets/wallets.store.ts'
import { type PolicyRecord, toPolicyRecord } from './intent-records.ts'
import { findPolicyByTransaction } from './policies.store.ts'
import { toVaultRecord, type VaultRecord } from './vault.ts'
import { readVaultFigures } from './vault-figures.ts'
import { findDefaultVault, findReceivedFunds, findVault, listVaults } from './vaults.store.ts'

export type Overview = {
  configured: boolean
  vault: VaultRecord | null
  policy: PolicyRecord | null
  balanceBaseUnits: string | null
  remainingAllowanceBaseUnits: string | null
  /** The newest block that the figures include, and when the chain was last read. */
  asOfBlock: number | null
  asOfTime: string | null
}

export async function readOverview(
  ctx: Pick<Context, 'db' | 'clock'>,
  { member }: { member: Member },
): Promise<Overview> {
  const { organizationId } = member
  // One snapshot: a payment that settles in between is counted as held or spent, never as neither.
  return ctx.db.transaction(scopeOf(member), (tx) => overviewAt(ctx, tx, organizationId), {
    isolation: 'snapshot',
  })
}

async function overviewAt(
  { clock }: Pick<Context, 'clock'>,
  tx: Tx,
  organizationId: string,
): Promise<Overview> {
  const position = await findPosition(tx)
  const asOf = { asOfBlock: position?.number ?? null, asOfTime: position?.seenAt ?? null }
  const vault = await findDefaultVault(tx, organizationId)
  if (!vault) {
    const empty = { vault: null, policy: null, balanceBaseUnits: null }
    return { configured: false, ...empty, remainingAllowanceBaseUnits: null, ...asOf }
  }
  const { policy, balance, remainingAllowance } = await readVaultFigures(tx, vault, clock.now())
  return {
    configured: policy !== undefined,
    vault: toVaultRecord(vault),
    policy: policy ? toPolicyRecord(policy, vault) : null,
    balanceBaseUnits: balance.toString(),
    remainingAllowanceBaseUnits: remainingAllowance?.toString() ?? null,
    ...asOf,
  }
}

/** Newest first, including archived vaults. */
export async function readVaults(
  ctx: Pick<Context, 'db'>,
  { member, page }: { member: Member; page: Page },
): Promise<Paged<VaultRecord>> {
  const { organizationId } = member
  const rows = await ctx.db.read(scopeOf(member), (reader) =>
    listVaults(reader, { organizationId, page }),
  )
  const { items, nextCursor } = toPaged(rows, { limit: page.limit, idOf: ({ id }) => id })
  return { items: items.map(toVaultRecord), nextCursor }
}

export type MemberFunds = {
  asset: 'USDC'
  chainId: number
  tokenAddress: string
  receivedBaseUnits: string
  confirmedPaymentCount: number
  latestConfirmedAt: string | null
  walletAddresses: string[]
  source: 'confirmed_payment_receipts'
}

/** Sums what the organization's vaults paid to the caller's own wallets in final blocks. */
export async function readMemberFunds(
  ctx: Pick<Context, 'db' | 'chain'>,
  { member }: { member: Member },
): Promise<MemberFunds> {
  return ctx.db.read(scopeOf(member), async (reader) => {
    const wallets = await listAccountWallets(reader, member.accountId)
    const walletAddresses = wallets
      .filter(({ chainType }) => chainType === 'ethereum')
      .map(({ address }) => address)
    const position = await findPosition(reader)
    const { total, count, latestAt } = await findReceivedFunds(reader, {
      organizationId: member.organizationId,
      addresses: walletAddresses.map((address) => address.toLowerCase()),
      upToBlock: (position?.number ?? 0) - ctx.chain.confirmations + 1,
    })
    return {
      asset: 'USDC',
      chainId: ctx.chain.chainId,
      tokenAddress: checksummed(ctx.chain.tokenAddress),
      receivedBaseUnits: total.toString(),
      confirmedPaymentCount: count,
      latestConfirmedAt: latestAt,
      walletAddresses,
      source: 'confirmed_payment_receipts',
    }
  })
}

/** Undefined until the follower has stored the policy of that transaction. */
export async function findSyncedPolicy(
  ctx: Pick<Context, 'db'>,
  { member, transactionHash }: { member: Member; transactionHash: string },
): Promise<PolicyRecord | undefined> {
  const { organizationId } = member
  return ctx.db.read(scopeOf(member), async (reader) => {
    const policy = await findPolicyByTransaction(reader, { organizationId, transactionHash })
    if (!policy) return undefined
    const vault = await findVault(reader, { organizationId, vaultId: policy.vaultId })
    if (!vault) throw new AppError('forbidden')
    return toPolicyRecord(policy, vault)
  })
}
