/**
 * Worker job: the provider attaches a signer and its policy to a wallet, then both are read back.
 * Only what the provider returns exactly as requested is verified. The same request again
 * continues where the last one stopped.
 */
import { organizationHash } from '@countersign/proof/digest.ts'
import type { Actor } from '#journal/actor.ts'
import { findOrganizationSalt } from '#organizations/members.store.ts'
import { findIsLinkedSince } from '#payments/automatic.store.ts'
import type { Reader, Tx } from '#platform/database/database.ts'
import { AppError, isUnavailable } from '#platform/errors.ts'
import { answerCaller } from '#platform/jobs/ask-worker.ts'
import type { JobPayloads } from '#platform/jobs/jobs.ts'
import type { FundingProvider } from '#ports/funding-provider.ts'
import { findVault } from '#treasury/vaults.store.ts'
import {
  type ControlRow,
  findControlById,
  findDepositor,
  findDistrust,
  lockVaultControls,
  updateControlFacts,
} from './controls.store.ts'
import { enqueueWatch } from './enqueue-watch.ts'
import { PROBE_AWAITED } from './funding-control.ts'
import { asAttached, type FundingContext, providerOf } from './funding-provider.ts'
import { type ControlMove, moveControl } from './move-control.ts'
import { enqueueProbe } from './probe-signer.ts'
import type { AttachRequest } from './select-control.ts'

/** Job: attaches the control and answers the waiting request. */
export async function attachRequestedControl(
  ctx: FundingContext,
  { organizationId, controlId, actor, replyTo }: JobPayloads['attach_funding'],
): Promise<void> {
  await answerCaller(ctx, replyTo, async () => {
    const request = await ctx.db.read({ organizationId }, (reader) =>
      findAttachRequest(reader, { organizationId, controlId }),
    )
    await requireOwnVault(ctx, request)
    const provider = providerOf(ctx, request.control.provider)
    try {
      const control = await attach(ctx, provider, request, actor)
      await readBack(ctx, provider, { ...request, control }, actor)
    } catch (error) {
      if (isUnavailable(error)) await recordUnavailable(ctx, request.control)
      throw error
    }
  })
}

async function findAttachRequest(
  tx: Reader,
  { organizationId, controlId }: { organizationId: string; controlId: string },
): Promise<AttachRequest> {
  const control = await findControlById(tx, { organizationId, controlId })
  if (!control) throw new AppError('not_found')
  const { provider, walletId, vaultId } = control
  const vault = await findVault(tx, { organizationId, vaultId })
  if (!vault) throw new AppError('not_found')
  const wallet = await findDepositor(tx, { organizationId, provider, walletId })
  if (!wallet) throw new AppError('treasury_owner_required')
  const salt = await findOrganizationSalt(tx, organizationId)
  const hash = organizationHash({ organizationId, salt })
  return { control, wallet, vault, organizationHash: hash }
}

/** Checked on the chain before a policy is sealed, because the rows may be forged. */
async function requireOwnVault(
  ctx: Pick<FundingContext, 'chain' | 'db' | 'config'>,
  { control, vault, organizationHash }: AttachRequest,
): Promise<void> {
  if (control.state === 'verified') return
  const { chain } = ctx
  const { number: blockNumber } = await chain.latestBlock()
  const identity = await chain.identifyVault({ address: control.vaultAddress, blockNumber })
  const isOurs =
    identity?.tokenAddress === chain.tokenAddress &&
    identity.organizationHash === organizationHash &&
    identity.ownerAddress === vault.ownerAddress
  if (!isOurs) throw new AppError('vault_unverified')
  await requireKnownOwner(ctx, {
    organizationId: control.organizationId,
    address: identity.ownerAddress,
  })
}

/**
 * An API process can write rows in a member's name, and so register a vault of its own. The
 * database sets when a wallet was first linked: a new owner waits as long as a new member does.
 */
async function requireKnownOwner(
  { db, config }: Pick<FundingContext, 'db' | 'config'>,
  { organizationId, address }: { organizationId: string; address: string },
): Promise<void> {
  const days = config.limits.automatic.afterDays
  const isKnown = await db.read({ organizationId }, (reader) =>
    findIsLinkedSince(reader, { organizationId, address, days }),
  )
  if (isKnown) return
  throw new AppError('state_conflict', {
    message:
      `The wallet that owns this vault was linked less than ${days} days ago. ` +
      'The funding signer can be attached after that.',
  })
}

/** A refusal does not change other controls. */
async function attach(
  ctx: FundingContext,
  provider: FundingProvider,
  { control, wallet }: AttachRequest,
  actor: Actor,
): Promise<ControlRow> {
  if (control.state === 'verified') return control
  const { reference: _none, ...asked } = asAttached(control, wallet)
  const answer = await provider.attach(asked)
  const move =
    answer.outcome === 'attached'
      ? ({ event: 'attach', reference: answer.reference } as const)
      : ({ event: 'fail', failureCode: answer.code } as const)
  return write(ctx, control, { ...move, actor })
}

async function readBack(
  ctx: FundingContext,
  provider: FundingProvider,
  { control, wallet }: AttachRequest,
  actor: Actor,
): Promise<ControlRow> {
  if (control.state === 'failed') return control
  const found = await provider.readBack(asAttached(control, wallet))
  const by = { actor, isReadBack: true }
  if (found.outcome === 'equal') return write(ctx, control, { ...by, event: 'verify' })
  // A verified policy that now differs was changed outside the service.
  const event = control.state === 'verified' ? 'fail' : 'attach'
  return write(ctx, control, { ...by, event, failureCode: found.code })
}

/** Throws `state_conflict` if another process has moved the control. */
async function write(
  ctx: FundingContext,
  { organizationId, vaultId, id: controlId, state }: ControlRow,
  move: Omit<ControlMove, 'control'>,
): Promise<ControlRow> {
  return ctx.db.transaction({ organizationId }, async (tx) => {
    const current = await lockVaultControls(tx, { organizationId, vaultId })
    const control = current.find(({ id }) => id === controlId)
    if (control?.state !== state) throw new AppError('state_conflict')
    if (move.event === 'attach') {
      for (const other of current.filter(({ id }) => id !== controlId)) {
        await moveControl(ctx, tx, { control: other, event: 'revoke', actor: move.actor })
      }
    }
    if (move.event === 'verify') return verify(ctx, tx, { ...move, control })
    return moveControl(ctx, tx, { ...move, control })
  })
}

/** Starts a negative test. If an earlier one failed, the control is verified only after it. */
async function verify(ctx: FundingContext, tx: Tx, move: ControlMove): Promise<ControlRow> {
  const { control } = move
  const { organizationId, id: controlId } = control
  const isNew = control.state !== 'verified'
  const isDistrusted = isNew && (await findDistrust(tx, control))
  const moved = isDistrusted
    ? await moveControl(ctx, tx, { ...move, event: 'attach', failureCode: PROBE_AWAITED })
    : await moveControl(ctx, tx, move)
  if (!isDistrusted) enqueueWatch(ctx, tx, { organizationId, controlId }, 0)
  if (isNew) enqueueProbe(ctx, tx, { organizationId, controlId }, 0)
  return moved
}

async function recordUnavailable(
  ctx: FundingContext,
  { organizationId, id: controlId }: ControlRow,
): Promise<void> {
  const facts = { wallet: null, readbackAt: null, isProviderSilent: true }
  await ctx.db.transaction({ organizationId }, (tx) =>
    updateControlFacts(tx, { organizationId, controlId, ...facts }),
  )
}
