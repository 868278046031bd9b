/**
 * The owner requests a deposit or a negative test; a job carries it out. All checks happen here.
 * The chain is read before the transaction that stores the request.
 */
import type { Member } from '#access/permissions.ts'
import { asActor, asMember } from '#organizations/actor.ts'
import type { Tx } from '#platform/database/database.ts'
import { fingerprint } from '#platform/digest.ts'
import { AppError } from '#platform/errors.ts'
import type { Answer } from '#platform/idempotency.ts'
import { findDefaultVault } from '#treasury/vaults.store.ts'
import { type ActionRow, type FundingActionKind, findActionByKey } from './actions.store.ts'
import { requireApproval } from './check-approval.ts'
import {
  type ControlRow,
  type Depositor,
  findControl,
  findDepositor,
  lockControl,
} from './controls.store.ts'
import { type FundingAction, toFundingAction, toRequestedAction } from './funding-action.ts'
import { isExpired } from './funding-control.ts'
import { type FundingRequestContext, providerOf } from './funding-provider.ts'
import { beginAction } from './move-action.ts'
import { enqueueAction } from './run-action.ts'

/** The largest uint256. */
const AMOUNT_MAX = 2n ** 256n - 1n

export type RequestAction = {
  actor: Member
  action: FundingActionKind
  amount: bigint
  idempotencyKey: string
  approvalTransactionHash: string | null
  /** Fingerprinted: a key may only be repeated with the same body. */
  body: unknown
}

type Ready = { control: ControlRow; wallet: Depositor }
type Seen = { replay: ActionRow } | { ready: Ready }

export async function requestAction(
  ctx: FundingRequestContext,
  input: RequestAction,
): Promise<Answer<FundingAction>> {
  requireAmount(input)
  const print = fingerprint(input.body)
  const find = (tx: Tx) => findReplayOrReady(ctx, tx, { ...input, print })
  const first = await asMember(ctx, input.actor, find)
  if ('replay' in first) return replayOf(first.replay)
  if (input.action === 'deposit') await requireFunds(ctx, input, first.ready)
  const { organizationId, id: controlId } = first.ready.control
  return asMember(ctx, input.actor, async (tx) => {
    // Serialises equal requests, so that the second is not refused because of the first.
    await lockControl(tx, { organizationId, controlId })
    const seen = await find(tx)
    if ('replay' in seen) return replayOf(seen.replay)
    const row = await begin(ctx, tx, { ...input, print, ready: seen.ready })
    if (row) return { body: toFundingAction(row), replayed: false }
    const again = await find(tx)
    if ('replay' in again) return replayOf(again.replay)
    throw new AppError('idempotency_in_progress', { retryAfterSeconds: 1 })
  })
}

/** A replay gets the first answer, whatever state the action has reached since. */
const replayOf = (row: ActionRow): Answer<FundingAction> => ({
  body: toRequestedAction(row),
  replayed: true,
})

/** A negative test moves no funds, so its amount may be 0. */
function requireAmount({ action, amount }: RequestAction): void {
  const min = action === 'deposit' ? 1n : 0n
  if (amount >= min && amount <= AMOUNT_MAX) return
  throw new AppError('validation_failed', {
    message: `\`amountBaseUnits\` must be from ${min} to ${AMOUNT_MAX}.`,
  })
}

async function findReplayOrReady(
  ctx: FundingRequestContext,
  tx: Tx,
  input: RequestAction & { print: Buffer },
): Promise<Seen> {
  const { organizationId, accountId } = input.actor
  const { idempotencyKey } = input
  const replay = await findActionByKey(tx, { organizationId, accountId, idempotencyKey })
  if (replay && !replay.fingerprint?.equals(input.print)) {
    throw new AppError('idempotency_key_reused')
  }
  return replay ? { replay } : { ready: await requireReady(ctx, tx, input) }
}

async function requireReady(
  ctx: FundingRequestContext,
  tx: Tx,
  { actor: { organizationId }, action, amount }: RequestAction,
): Promise<Ready> {
  const { type } = providerOf(ctx)
  const vault = await findDefaultVault(tx, organizationId)
  if (!vault) throw notReady('Deploy or register a vault first.')
  if (vault.state !== 'verified') throw new AppError('vault_unverified')
  const control = await findControl(tx, { organizationId, vaultId: vault.id })
  const isUsable =
    control?.state === 'verified' || (action === 'withdraw_probe' && control?.state === 'attached')
  if (!control || !isUsable) throw notReady('Attach a funding control to the default vault first.')
  if (isExpired(control, ctx.clock.now())) {
    throw notReady("The signer's policy has expired. Attach it again.")
  }
  const { walletId } = control
  const wallet = await findDepositor(tx, { organizationId, provider: type, walletId })
  if (!wallet) {
    throw new AppError('treasury_owner_required', {
      message: "The signer's wallet is no longer a treasury owner. Attach a control again.",
    })
  }
  if (action === 'deposit' && amount > control.maxAmount) {
    throw new AppError('policy_violation', {
      message: `The signer may deposit at most ${control.maxAmount} base units at a time.`,
    })
  }
  return { control, wallet }
}

const notReady = (message: string) => new AppError('signer_not_ready', { message })

/** Reads the chain, because the stored observation may be old. */
async function requireFunds(
  ctx: FundingRequestContext,
  { amount, approvalTransactionHash: hash }: RequestAction,
  { control: { vaultAddress }, wallet: { address } }: Ready,
): Promise<void> {
  if (hash !== null) await requireApproval(ctx, { hash, from: address, vaultAddress, amount })
  const { number: blockNumber } = await ctx.chain.latestBlock()
  const spender = vaultAddress
  const allowance = await ctx.chain.tokenAllowance({ owner: address, spender, blockNumber })
  if (allowance < amount) {
    throw notReady(`The wallet lets the vault take ${allowance} base units. Approve more first.`)
  }
  const balance = await ctx.chain.tokenBalance({ address, blockNumber })
  if (balance < amount) {
    throw new AppError('insufficient_funds', {
      message: `The wallet holds ${balance} base units. Send it more first.`,
    })
  }
}

async function begin(
  ctx: FundingRequestContext,
  tx: Tx,
  input: RequestAction & { print: Buffer; ready: Ready },
): Promise<ActionRow | undefined> {
  const { actor, action, amount, idempotencyKey, print, ready } = input
  const { organizationId, accountId } = actor
  const { id: controlId, vaultId, walletId } = ready.control
  const row = await beginAction(ctx, tx, {
    id: ctx.ids.next(),
    organizationId,
    vaultId,
    controlId,
    walletId,
    action,
    amount,
    // A negative test uses no approval: a given one is ignored.
    approvalTransactionHash: action === 'deposit' ? input.approvalTransactionHash : null,
    asked: { accountId, idempotencyKey, fingerprint: print },
    actor: asActor(actor),
    at: ctx.clock.now(),
  })
  if (row) enqueueAction(ctx, tx, { organizationId, actionId: row.id }, 0)
  return row
}
