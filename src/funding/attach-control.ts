/**
 * The owner binds the provider's signer and policy to a vault. What is asked for is written down
 * first, then the provider attaches it, then it is read back: nothing is called verified that was
 * not found at the provider just so. The same request again goes on wherever the last one stopped.
 */
import { asActor, asMember } from '#organizations/actor.ts'
import type { Member } from '#organizations/permissions.ts'
import { secondsToTimestamp, timestampToSeconds } from '#platform/clock.ts'
import type { Tx } from '#platform/database.ts'
import { AppError, isUnavailable } from '#platform/errors.ts'
import type { FundingProvider } from '#ports/funding-provider.ts'
import { lockVault, type VaultRow } from '#treasury/vaults.store.ts'
import {
  type ControlRow,
  type Depositor,
  findControl,
  findDepositor,
  findWalletControls,
  insertControl,
  lockControl,
  updateControlFacts,
} from './controls.store.ts'
import { type FundingControl, isCurrent, isExpired, toFundingControl } from './funding-control.ts'
import { asAttached, type FundingContext, providerOf } from './funding-provider.ts'
import { type ControlMove, moveControl, recordControl } from './move-control.ts'
import { enqueueProbe } from './probe-signer.ts'
import { findApproval } from './transactions.store.ts'
import { enqueueWatch } from './watch-control.ts'

export type AttachControl = {
  actor: Member
  vaultId: string
  signerId: string
  policyId: string
}

type Begun = { control: ControlRow; wallet: Depositor }

export async function attachControl(
  ctx: FundingContext,
  input: AttachControl,
): Promise<FundingControl> {
  const provider = providerOf(ctx)
  const begun = await asMember(ctx, input.actor, (tx) => begin(ctx, tx, input, provider))
  try {
    const attached = await attach(ctx, provider, begun, input.actor)
    return toFundingControl(await readBack(ctx, provider, attached, input.actor))
  } catch (error) {
    if (isUnavailable(error)) await noteSilence(ctx, begun.control)
    throw error
  }
}

async function begin(
  ctx: FundingContext,
  tx: Tx,
  input: AttachControl,
  signing: FundingProvider,
): Promise<Begun> {
  const { actor, vaultId, signerId, policyId } = input
  const { organizationId } = actor
  const { type: provider } = signing
  const vault = await lockVault(tx, { organizationId, vaultId })
  if (!vault) throw new AppError('not_found')
  if (vault.archivedAt !== null) throw new AppError('vault_archived')
  if (vault.state !== 'verified') throw new AppError('vault_unverified')
  const current = await findControl(tx, { organizationId, vaultId })
  const same =
    current && (await findDepositor(tx, { organizationId, provider, walletId: current.walletId }))
  const isSame = current?.signerId === signerId && current.policyId === policyId
  if (same && isSame && (await isFresh(ctx, tx, current))) return { control: current, wallet: same }
  const wallet = await findDepositor(tx, { organizationId, provider })
  if (!wallet) {
    throw new AppError('treasury_owner_required', {
      message: 'Give a server wallet of the organization the treasury_owner role first.',
    })
  }
  if (signing.isOnePolicyPerWallet) await requireFree(tx, { ...input, wallet })
  // What was sent under the old one is looked after to its end; what was not, is not sent.
  if (current && isCurrent(current)) {
    await moveControl(ctx, tx, { control: current, event: 'revoke', actor: asActor(actor) })
  }
  const { expiresAt } = signing.signerOf({ vaultAddress: vault.address })
  return { wallet, control: await ask(ctx, tx, { ...input, vault, wallet, provider, expiresAt }) }
}

/** To attach it here would take its policy for the other vault away. */
async function requireFree(
  tx: Tx,
  { actor, vaultId, signerId, wallet }: AttachControl & { wallet: Depositor },
): Promise<void> {
  const { organizationId } = actor
  const held = await findWalletControls(tx, { organizationId, signerId, ...wallet })
  if (held.every((control) => control.vaultId === vaultId)) return
  throw new AppError('state_conflict', {
    message: 'The wallet deposits into another vault already. Give another one the role first.',
  })
}

/** Neither over nor used up: who asks again after a deposit wants its approval back. */
async function isFresh(
  ctx: Pick<FundingContext, 'clock'>,
  tx: Tx,
  control: ControlRow,
): Promise<boolean> {
  if (!isCurrent(control) || isExpired(control, ctx.clock.now())) return false
  const { organizationId, id: controlId, allowance, maxAmount } = control
  const approval = await findApproval(tx, { organizationId, controlId })
  return approval?.outcome !== 'succeeded' || allowance === null || allowance >= maxAmount
}

async function ask(
  ctx: FundingContext,
  tx: Tx,
  input: AttachControl & {
    vault: VaultRow
    wallet: Depositor
    provider: FundingProvider['type']
    /** Of policies that were made beforehand. */
    expiresAt: string | null
  },
): Promise<ControlRow> {
  const { actor, vault, wallet, provider, signerId, policyId } = input
  const { maxAmount, lifetimeSeconds } = ctx.config.funding
  const at = ctx.clock.now()
  // Policies count in whole seconds, and what is read back must be the same.
  const end = secondsToTimestamp(timestampToSeconds(at.toISOString()) + lifetimeSeconds)
  const expiresAt = input.expiresAt ?? end
  const control = await insertControl(tx, {
    id: ctx.ids.next(),
    organizationId: actor.organizationId,
    vaultId: vault.id,
    accountId: wallet.accountId,
    walletId: wallet.walletId,
    ...{ provider, signerId, policyId, maxAmount, expiresAt, at },
    chainId: vault.chainId,
    vaultAddress: vault.address,
  })
  const action = 'funding_control.requested'
  await recordControl(ctx, tx, {
    ...{ control, actor: asActor(actor), action, severity: 'healthy', state: 'pending' },
    data: { maxAmount: maxAmount.toString(), expiresAt: control.expiresAt },
  })
  return control
}

async function attach(
  ctx: FundingContext,
  provider: FundingProvider,
  { control, wallet }: Begun,
  actor: Member,
): Promise<Begun> {
  if (control.state === 'verified') return { control, wallet }
  const { reference: _none, ...asked } = asAttached(control, wallet)
  const answer = await provider.attach(asked)
  const move =
    answer.outcome === 'attached'
      ? ({ event: 'attach', reference: answer.reference } as const)
      : ({ event: 'fail', failureCode: answer.code } as const)
  return { wallet, control: await write(ctx, control, { ...move, actor: asActor(actor) }) }
}

async function readBack(
  ctx: FundingContext,
  provider: FundingProvider,
  { control, wallet }: Begun,
  actor: Member,
): Promise<ControlRow> {
  if (control.state === 'failed') return control
  const found = await provider.readBack(asAttached(control, wallet))
  const by = { actor: asActor(actor), isReadBack: true }
  if (found.outcome === 'equal') return write(ctx, control, { ...by, event: 'verify' })
  // What was right once and is not any more was changed behind our back.
  const event = control.state === 'verified' ? 'fail' : 'attach'
  return write(ctx, control, { ...by, event, failureCode: found.code })
}

/** One that somebody else has moved meanwhile is left to them. */
async function write(
  ctx: FundingContext,
  { organizationId, id: controlId, state }: ControlRow,
  move: Omit<ControlMove, 'control'>,
): Promise<ControlRow> {
  return ctx.db.transaction({ organizationId }, async (tx) => {
    const control = await lockControl(tx, { organizationId, controlId })
    if (control?.state !== state) throw new AppError('state_conflict')
    const moved = await moveControl(ctx, tx, { ...move, control })
    if (move.event === 'verify') {
      await enqueueWatch(ctx, tx, { organizationId, controlId }, 0)
      await enqueueProbe(ctx, tx, { organizationId, controlId })
    }
    return moved
  })
}

async function noteSilence(
  ctx: FundingContext,
  { organizationId, id: controlId }: ControlRow,
): Promise<void> {
  const facts = { wallet: null, readbackAt: null, isProviderSilent: true }
  await ctx.db.transaction({ organizationId }, (tx) =>
    updateControlFacts(tx, { organizationId, controlId, ...facts }),
  )
}
