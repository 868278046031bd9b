/** Write-ahead: what is signed is on record before anybody else can see it. */
import { secondsToTimestamp } from '#platform/clock.ts'
import { textHash } from '#platform/digest.ts'
import type { Fees, VaultCall } from '#ports/payment-node.ts'
import { insertAttempt } from './attempts.store.ts'
import { findAuthority } from './authority.store.ts'
import { authorityRefusal } from './authority.ts'
import { fixExecutor, takeNonce } from './lane.store.ts'
import type { Attempt, LaneStore, Sign, WriteAhead } from './lane.ts'
import { callOf } from './lane-rows.ts'
import { type Books, type Locked, move, write } from './lane-write.ts'

type Signing = { nonce: number; feeRank: number; fees: Fees; sign: Sign; call: VaultCall }

/** Rule 4: the same call, taken from the signed bytes; the rows may have been changed since. */
async function signedCall(
  { ctx }: Books,
  { lane }: Locked,
  { raw, nonce }: Attempt,
): Promise<VaultCall> {
  const signed = await ctx.chain.readSigned(raw)
  if (signed.from !== lane.address || signed.nonce !== nonce) {
    throw new Error('The stored bytes of an attempt are not those that were signed')
  }
  return signed.call
}

async function storeAttempt(
  { ctx, organizationId }: Books,
  { tx, lane, payment }: Locked,
  { nonce, feeRank, fees, sign, call }: Signing,
) {
  const { raw, transactionHash } = await sign({ address: lane.address, nonce, fees, call })
  const id = ctx.ids.next()
  const writtenAtMs = await insertAttempt(tx, {
    id,
    organizationId,
    paymentId: payment.id,
    laneId: lane.id,
    executorAddress: lane.address,
    nonce,
    feeRank,
    ...fees,
    transactionHash,
    raw,
    callHash: textHash(call.data),
  })
  await fixExecutor(tx, {
    organizationId,
    paymentId: payment.id,
    laneId: lane.id,
    providerType: lane.providerType,
    address: lane.address,
    transactionHash,
  })
  const sentAtMs = null
  const kind = 'signed' as const
  return { kind, id, nonce, feeRank, fees, transactionHash, raw, writtenAtMs, sentAtMs }
}

export async function writeAhead(
  books: Books,
  { fees, sign, ...input }: Parameters<LaneStore['writeAhead']>[0],
): Promise<WriteAhead> {
  const { ctx, organizationId } = books
  const written = await write(books, input, async (locked): Promise<WriteAhead> => {
    const { tx, lane, payment } = locked
    const authority = await findAuthority(tx, { organizationId, paymentId: payment.id })
    if (!authority) return { outcome: 'stale' }
    // The database's time: a worker's clock may be wrong.
    const now = secondsToTimestamp(lane.nowMs / 1000)
    const executorAddress = lane.address
    const refusal = authorityRefusal({ payment, authority, executorAddress, now })
    if (refusal !== undefined) {
      await move(books, locked, 'block', { code: refusal })
      return { outcome: 'blocked' }
    }
    // What was tried out on the chain must be what is signed now.
    const call = callOf(ctx.chain, payment)
    if (call.data !== input.payment.call.data) return { outcome: 'stale' }
    const nonce = lane.nextNonce
    const attempt = await storeAttempt(books, locked, { nonce, feeRank: 0, fees, sign, call })
    await takeNonce(tx, { organizationId, laneId: lane.id })
    const { transactionHash } = attempt
    await move(books, locked, 'writeAhead', { data: { nonce, transactionHash } })
    return { outcome: 'written', attempt }
  })
  return written === 'stale' ? { outcome: 'stale' } : written
}

/** The same nonce and the same call, one fee rank higher. */
export async function writeReplacement(
  books: Books,
  { replaced, fees, sign, ...input }: Parameters<LaneStore['writeReplacement']>[0],
): ReturnType<LaneStore['writeReplacement']> {
  const { nonce, feeRank } = replaced
  const written = await write(books, input, async (locked) => {
    const call = await signedCall(books, locked, replaced)
    const signing = { nonce, feeRank: feeRank + 1, fees, sign, call }
    const attempt = await storeAttempt(books, locked, signing)
    return { outcome: 'written' as const, attempt }
  })
  return written === 'stale' ? { outcome: 'stale' } : written
}
