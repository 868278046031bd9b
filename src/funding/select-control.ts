/**
 * Selects the control for an attach request: the existing one if it still matches, or a new one,
 * stored before the provider is asked. A verified control keeps working meanwhile.
 */
import { organizationHash } from '@countersign/proof/digest.ts'
import { secondsToTimestamp, timestampToSeconds } from '@countersign/proof/values.ts'
import type { Member } from '#access/permissions.ts'
import { findApproval } from '#funding/lane-store/transactions.store.ts'
import { asActor } from '#organizations/actor.ts'
import { findOrganizationSalt } from '#organizations/members.store.ts'
import type { Tx } from '#platform/database/database.ts'
import { AppError } from '#platform/errors.ts'
import type { FundingTerms } from '#ports/funding-provider.ts'
import { lockVault, type VaultRow } from '#treasury/vaults.store.ts'
import {
  type ControlRow,
  type Depositor,
  findDepositor,
  findWalletControls,
  insertControl,
  lockVaultControls,
} from './controls.store.ts'
import { isExpired } from './funding-control.ts'
import type { FundingRequestContext } from './funding-provider.ts'
import { moveControl, recordControl } from './move-control.ts'

export type AttachControl = {
  actor: Member
  vaultId: string
  signerId: string
  policyId: string
}

/** `vault` is the stored row; the worker compares it with the chain. */
export type AttachRequest = {
  control: ControlRow
  wallet: Depositor
  vault: VaultRow
  organizationHash: string
}

type Request = AttachControl & { signing: FundingTerms; vault: VaultRow }

export async function selectControl(
  ctx: FundingRequestContext,
  tx: Tx,
  input: AttachControl & { signing: FundingTerms },
): Promise<AttachRequest> {
  const { actor, vaultId } = input
  const { organizationId } = actor
  const vault = await lockVault(tx, { organizationId, vaultId })
  if (!vault) throw new AppError('not_found')
  if (vault.archivedAt !== null) throw new AppError('vault_archived')
  if (vault.state !== 'verified') throw new AppError('vault_unverified')
  const salt = await findOrganizationSalt(tx, organizationId)
  const hash = organizationHash({ organizationId, salt })
  const current = await lockVaultControls(tx, { organizationId, vaultId })
  const request = { ...input, vault }
  const found = (await findSame(ctx, tx, request, current)) ?? (await newWallet(tx, request))
  for (const control of current) {
    // Deposits already sent under it are still settled; unsent ones are not sent.
    if (control.state !== 'pending' || control.id === found.control?.id) continue
    await moveControl(ctx, tx, { control, event: 'revoke', actor: asActor(actor) })
  }
  const control = found.control ?? (await ask(ctx, tx, { ...request, wallet: found.wallet }))
  return { control, wallet: found.wallet, vault, organizationHash: hash }
}

type Found = { control?: ControlRow; wallet: Depositor }

async function findSame(
  ctx: FundingRequestContext,
  tx: Tx,
  { actor: { organizationId }, signerId, policyId, signing, vault }: Request,
  current: readonly ControlRow[],
): Promise<Found | undefined> {
  const { type: provider } = signing
  const end = endOf(ctx, signing, vault)
  for (const control of current.toReversed()) {
    const { walletId } = control
    if (control.signerId !== signerId || control.policyId !== policyId) continue
    // A verified control is compared with the provider's copy; others are sealed from the row.
    if (control.state !== 'verified' && !isWithin(ctx, control, { vault, end })) continue
    if (!(await isFresh(ctx, tx, control))) continue
    const wallet = await findDepositor(tx, { organizationId, provider, walletId })
    if (wallet) return { control, wallet }
  }
  return undefined
}

const isWithin = (
  { chain, config }: Pick<FundingRequestContext, 'chain' | 'config'>,
  { chainId, vaultAddress, maxAmount, expiresAt }: ControlRow,
  { vault, end }: { vault: VaultRow; end: string },
): boolean =>
  chainId === vault.chainId &&
  chainId === chain.chainId &&
  vaultAddress === vault.address &&
  maxAmount <= config.funding.maxAmount &&
  expiresAt <= end

/** Neither expired nor used up: a new control restores the full token approval. */
async function isFresh(
  { clock }: Pick<FundingRequestContext, 'clock'>,
  tx: Tx,
  control: ControlRow,
): Promise<boolean> {
  if (isExpired(control, clock.now())) return false
  const { organizationId, id: controlId, allowance, maxAmount } = control
  const approval = await findApproval(tx, { organizationId, controlId })
  if (!approval || approval.outcome === null) return true
  // A failed approval is never repeated under the same control.
  if (approval.outcome !== 'succeeded') return false
  return allowance === null || allowance >= maxAmount
}

async function newWallet(tx: Tx, request: Request): Promise<Found> {
  const { actor, signing } = request
  const { organizationId } = actor
  const wallet = await findDepositor(tx, { organizationId, provider: signing.type })
  if (!wallet) {
    throw new AppError('treasury_owner_required', {
      message: 'Give a server wallet of the organization the treasury_owner role first.',
    })
  }
  if (signing.isOnePolicyPerWallet) await requireFree(tx, { ...request, wallet })
  return { wallet }
}

/** Attaching it here would remove the wallet's policy for the other vault. */
async function requireFree(
  tx: Tx,
  { actor, vaultId, signerId, wallet }: AttachControl & { wallet: Depositor },
): Promise<void> {
  const { organizationId } = actor
  const held = await findWalletControls(tx, { organizationId, signerId, ...wallet })
  if (held.every((control) => control.vaultId === vaultId)) return
  throw new AppError('state_conflict', {
    message:
      'The wallet already deposits into another vault. Give another server wallet the role first.',
  })
}

/** In whole seconds, as in policies, so that the value read back is equal. */
function endOf(
  { clock, config }: Pick<FundingRequestContext, 'clock' | 'config'>,
  signing: FundingTerms,
  { address: vaultAddress }: VaultRow,
): string {
  const now = timestampToSeconds(clock.now().toISOString())
  // A policy created beforehand has a fixed expiry.
  const { expiresAt } = signing.signerOf({ vaultAddress })
  return expiresAt ?? secondsToTimestamp(now + config.funding.lifetimeSeconds)
}

async function ask(
  ctx: FundingRequestContext,
  tx: Tx,
  input: Request & { wallet: Depositor },
): Promise<ControlRow> {
  const { actor, vault, wallet, signing, signerId, policyId } = input
  const { maxAmount } = ctx.config.funding
  const control = await insertControl(tx, {
    id: ctx.ids.next(),
    organizationId: actor.organizationId,
    vaultId: vault.id,
    accountId: wallet.accountId,
    walletId: wallet.walletId,
    provider: signing.type,
    signerId,
    policyId,
    maxAmount,
    expiresAt: endOf(ctx, signing, vault),
    chainId: vault.chainId,
    vaultAddress: vault.address,
    at: ctx.clock.now(),
  })
  const action = 'funding_control.requested'
  await recordControl(ctx, tx, {
    control,
    actor: asActor(actor),
    action,
    severity: 'healthy',
    state: 'pending',
    data: { maxAmount: maxAmount.toString(), expiresAt: control.expiresAt },
  })
  return control
}
