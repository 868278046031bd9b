/** The engine's writes about activations, each under the fencing token of the lane's lease. */
import { type LaneRow, lockLane, raiseFloor, takeNonces } from '#executor/lane.ts'
import type { SignedAttempt } from '#payments/engine/attempt.ts'
import type {
  FencingToken,
  LanePayment,
  LaneStore,
  Sending,
  WriteOutcome,
} from '#payments/engine/lane.ts'
import type { LaneStoreDeps } from '#payments/lane-store/fenced-write.ts'
import { addSeconds } from '#platform/clock.ts'
import type { Tx } from '#platform/database/database.ts'
import type { VaultCall } from '#ports/payment-node.ts'
import { enqueueFollowing } from '#treasury/move-proposal.ts'
import { isEncodable } from '#treasury/proposal.ts'
import { findProposal } from '#treasury/proposals.store.ts'
import { findVault } from '#treasury/vaults.store.ts'
import type { ActivationEvent } from './activation.machine.ts'
import {
  type ActivationRow,
  clearActivationAttempts,
  insertActivationAttempt,
  lockActivation,
  markActivationSent,
  postponeActivation,
} from './activations.store.ts'
import { moveActivation } from './move-activation.ts'

type Input<Name extends keyof LaneStore> = Parameters<LaneStore[Name]>[0]
type Locked = { tx: Tx; lane: LaneRow; activation: ActivationRow }

/** `stale`: another worker has claimed the lane, or the activation has changed. */
async function write<T>(
  { ctx, organizationId }: LaneStoreDeps,
  { token, payment }: { token: FencingToken; payment: LanePayment },
  work: (locked: Locked) => Promise<T>,
): Promise<T | 'stale'> {
  return ctx.db.transaction({ organizationId }, async (tx) => {
    const lane = await lockLane(tx, { organizationId, token })
    if (!lane) return 'stale'
    const activation = await lockActivation(tx, { organizationId, id: payment.id })
    const isSame = activation?.epoch === payment.epoch && activation.state === payment.state
    return activation && isSame ? work({ tx, lane, activation }) : 'stale'
  })
}

const move = async (
  { ctx }: LaneStoreDeps,
  { tx, activation }: Locked,
  event: ActivationEvent,
  { code, data }: { code?: string | null; data?: Record<string, unknown> } = {},
): Promise<WriteOutcome> => {
  const isMoved = await moveActivation(ctx, tx, {
    activation,
    event,
    ...(code !== undefined && { code }),
    ...(data && { data }),
  })
  return isMoved ? 'done' : 'stale'
}

export const moveInLane = (
  deps: LaneStoreDeps,
  input: { token: FencingToken; payment: LanePayment },
  event: ActivationEvent,
  code: string | null = null,
): Promise<WriteOutcome> => write(deps, input, (locked) => move(deps, locked, event, { code }))

/**
 * The call that the rows encode to now. It is always `activatePolicy`, so that whoever can write
 * rows cannot have the executor's key sign anything else.
 */
export async function findActivationCall(
  { ctx }: Pick<LaneStoreDeps, 'ctx'>,
  tx: Tx,
  { organizationId, id }: { organizationId: string; id: string },
): Promise<VaultCall | undefined> {
  const proposal = await findProposal(tx, { organizationId, id })
  if (proposal?.state !== 'waiting' || !isEncodable(proposal)) return undefined
  const { vaultId, expectedVersion, policy } = proposal
  const vault = await findVault(tx, { organizationId, vaultId })
  if (!vault) return undefined
  return ctx.chain.policyActivation({ vaultAddress: vault.address, expectedVersion, policy })
}

type Place = { nonce: number; feeRank: number; call: VaultCall; fees: Input<'writeAhead'>['fees'] }

async function storeAttempt(
  { ctx, organizationId, sign }: LaneStoreDeps,
  { tx, lane, activation }: Locked,
  { nonce, feeRank, call, fees }: Place,
): Promise<SignedAttempt> {
  if (!sign) throw new Error("This process does not hold the executor's key and cannot sign")
  const { raw, transactionHash } = await sign({ address: lane.address, nonce, fees, call })
  const id = ctx.ids.next()
  const place = { id, nonce, feeRank, transactionHash, raw }
  const writtenAtMs = await insertActivationAttempt(tx, {
    ...place,
    ...fees,
    organizationId,
    laneId: lane.id,
    activationId: activation.id,
  })
  return { kind: 'signed', ...place, fees, writtenAtMs, sentAtMs: null }
}

/** Rule 3: the nonce is taken in the transaction that stores the signed bytes. */
export async function writeActivations(
  deps: LaneStoreDeps,
  { token, payments, fees }: Pick<Input<'writeAhead'>, 'token' | 'payments' | 'fees'>,
): Promise<Sending[] | 'stale'> {
  const { organizationId } = deps
  const written: Sending[] = []
  for (const payment of payments) {
    const one = await write(deps, { token, payment }, async (locked) => {
      const { tx, lane, activation } = locked
      const call = await findActivationCall(deps, tx, { organizationId, id: activation.id })
      // It ended after the lane was loaded: the job that follows it cancels the activation.
      if (!call) return undefined
      const place = { nonce: lane.nextNonce, feeRank: 0, call, fees }
      const attempt = await storeAttempt(deps, locked, place)
      takeNonces(tx, { organizationId, laneId: lane.id, count: 1 })
      const { nonce, transactionHash } = attempt
      await move(deps, locked, 'writeAhead', { data: { nonce, transactionHash } })
      return { payment, attempt }
    })
    if (one === 'stale') return 'stale'
    if (one) written.push(one)
  }
  return written
}

/** Rule 4: same nonce, same call, one fee rank higher. */
export async function replaceActivation(
  deps: LaneStoreDeps,
  { replaced, fees, ...input }: Input<'writeReplacement'>,
): ReturnType<LaneStore['writeReplacement']> {
  const { nonce, feeRank, raw } = replaced
  const signed = await deps.ctx.chain.readSigned(raw)
  return write(deps, input, async (locked) => {
    if (signed.from !== locked.lane.address || signed.nonce !== nonce) {
      throw new Error('The stored transaction of an activation has another sender or nonce')
    }
    return storeAttempt(deps, locked, { nonce, feeRank: feeRank + 1, call: signed.call, fees })
  })
}

export async function recordActivationSends(
  deps: LaneStoreDeps,
  { token, sends }: Input<'recordSends'>,
): Promise<WriteOutcome> {
  const { organizationId } = deps
  for (const { payment, attempt, event } of sends) {
    const written = await write(deps, { token, payment }, async (locked) => {
      markActivationSent(locked.tx, { organizationId, attemptId: attempt.id })
      return event === null ? 'done' : move(deps, locked, event)
    })
    if (written === 'stale') return 'stale'
  }
  return 'done'
}

/**
 * The vault refuses an activation for some seconds while the chain's clock is behind, or while the
 * follower has not read a veto. An owner has to look at one that it refuses for longer.
 */
const REFUSALS_SHOWN_AFTER = 6

export const postponeInLane = (
  deps: LaneStoreDeps,
  { token, payment, reason }: Input<'postpone'>,
): Promise<WriteOutcome> =>
  write(deps, { token, payment }, async (locked) => {
    const { tx, activation } = locked
    postponeActivation(tx, activation)
    const code = reason === 'chain_unavailable' ? activation.code : reason
    return move(deps, locked, 'postpone', { code })
  })

/** In the preflight of one that is queued, nothing was signed: it is tried again later. */
export const blockInLane = (
  deps: LaneStoreDeps,
  { token, payment, code }: Input<'block'>,
): Promise<WriteOutcome> =>
  write(deps, { token, payment }, async (locked) => {
    const { tx, activation } = locked
    if (activation.state !== 'queued') return move(deps, locked, 'block', { code })
    postponeActivation(tx, activation)
    const isShown = activation.postponedTimes >= REFUSALS_SHOWN_AFTER
    return move(deps, locked, 'postpone', { code: isShown ? code : null })
  })

const RETRY_AFTER_SECONDS = 60

/** By the finality rule no attempt can be mined any more. If it still waits, it is queued again. */
export const failInLane = (
  deps: LaneStoreDeps,
  { token, payment, code, finalizedNumber }: Input<'fail'>,
): Promise<WriteOutcome> =>
  write(deps, { token, payment }, async (locked) => {
    const { ctx, organizationId } = deps
    const { tx, lane, activation } = locked
    const { id } = activation
    clearActivationAttempts(tx, { organizationId, id })
    raiseFloor(tx, { organizationId, laneId: lane.id, blockNumber: finalizedNumber })
    const again = addSeconds(ctx.clock.now(), RETRY_AFTER_SECONDS)
    enqueueFollowing(tx, { organizationId, id }, again)
    return move(deps, locked, 'fail', { data: { reason: code } })
  })

/** The vault's log has put the policy into force; the follower has stored it by now. */
export async function confirmActivations(
  deps: LaneStoreDeps,
  { token, confirmations, finalizedNumber }: Input<'confirm'>,
): Promise<WriteOutcome> {
  const { organizationId } = deps
  for (const confirmation of confirmations) {
    if (!('receipt' in confirmation)) continue
    const { payment, receipt } = confirmation
    const written = await write(deps, { token, payment }, async (locked) => {
      const { tx, lane, activation } = locked
      clearActivationAttempts(tx, { organizationId, id: activation.id })
      raiseFloor(tx, { organizationId, laneId: lane.id, blockNumber: finalizedNumber })
      const { transactionHash, blockNumber } = receipt
      return move(deps, locked, 'confirm', { data: { transactionHash, blockNumber } })
    })
    if (written === 'stale') return 'stale'
  }
  return 'done'
}
