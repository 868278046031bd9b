/** Write-ahead: signs attempts and persists them before they are sent. */
import { textHash } from '@countersign/proof/digest.ts'
import { takeNonces } from '#executor/lane.ts'
import { SYSTEM } from '#journal/actor.ts'
import type { SignedAttempt } from '#payments/engine/attempt.ts'
import type { LaneStore } from '#payments/engine/lane.ts'
import { movePayments } from '#payments/move-payment.ts'
import type { Fees, VaultCall } from '#ports/payment-node.ts'
import { insertAttempts } from './attempts.store.ts'
import { type LaneStoreDeps, type Locked, write, writeAll } from './fenced-write.ts'
import { fixExecutor } from './lane.store.ts'
import { blocksOf, putAside, reviewAll } from './review-authority.ts'

type Place = { paymentId: string; nonce: number; feeRank: number; call: VaultCall }

/** Rule 4: the same call, read from the signed bytes because the rows may have changed. */
async function signedCall(
  { ctx }: LaneStoreDeps,
  { lane }: Locked,
  { raw, nonce }: SignedAttempt,
): Promise<VaultCall> {
  const signed = await ctx.chain.readSigned(raw)
  if (signed.from !== lane.address || signed.nonce !== nonce) {
    throw new Error('The stored transaction of an attempt has another sender or nonce than its row')
  }
  return signed.call
}

/** Signs and stores the attempts, in nonce order. */
async function storeAttempts(
  { ctx, organizationId, sign }: LaneStoreDeps,
  { tx, lane }: Pick<Locked, 'tx' | 'lane'>,
  { places, fees }: { places: readonly Place[]; fees: Fees },
): Promise<SignedAttempt[]> {
  if (places.length === 0) return []
  if (!sign) throw new Error("This process does not hold the executor's key and cannot sign")
  const { address } = lane
  const signed = await Promise.all(
    places.map(async ({ call, ...place }) => ({
      ...place,
      id: ctx.ids.next(),
      ...(await sign({ address, nonce: place.nonce, fees, call })),
      callHash: textHash(call.data),
    })),
  )
  const attempts = signed.map((one) => ({ ...one, ...fees }))
  const writtenAtMs = await insertAttempts(tx, { organizationId, lane, attempts })
  fixExecutor(tx, { organizationId, lane, attempts })
  return signed.map(({ id, nonce, feeRank, transactionHash, raw }) => {
    const what = { kind: 'signed' as const, id, nonce, feeRank, fees, transactionHash, raw }
    return { ...what, writtenAtMs, sentAtMs: null }
  })
}

export async function writeAhead(
  deps: LaneStoreDeps,
  { token, payments, fees }: Parameters<LaneStore['writeAhead']>[0],
): ReturnType<LaneStore['writeAhead']> {
  const { ctx, organizationId } = deps
  const items = payments.map((payment) => ({ payment }))
  const aside = putAside(deps, token)
  return writeAll(deps, { token, items, putAside: aside }, async (batch) => {
    const { tx, lane } = batch
    const { refused, admitted } = await reviewAll(deps, batch)
    const places = admitted.map(({ row, call }, index) => {
      return { paymentId: row.id, nonce: lane.nextNonce + index, feeRank: 0, call }
    })
    const attempts = await storeAttempts(deps, batch, { places, fees })
    takeNonces(tx, { organizationId, laneId: lane.id, count: attempts.length })
    const written = admitted.flatMap(({ payment, row }, index) => {
      const attempt = attempts[index]
      return attempt ? [{ payment, row, attempt }] : []
    })
    await movePayments(ctx, tx, [
      ...blocksOf(refused),
      ...written.map(({ row, attempt: { nonce, transactionHash } }) => {
        const data = { nonce, transactionHash }
        return { payment: row, event: 'writeAhead' as const, actor: SYSTEM, data }
      }),
    ])
    return written.map(({ payment, attempt }) => ({ payment, attempt }))
  })
}

/** Stores an attempt with the same nonce and call, one fee rank higher. */
export async function writeReplacement(
  deps: LaneStoreDeps,
  { replaced, fees, ...input }: Parameters<LaneStore['writeReplacement']>[0],
): ReturnType<LaneStore['writeReplacement']> {
  const { nonce, feeRank } = replaced
  const written = await write(deps, input, async (locked) => {
    const call = await signedCall(deps, locked, replaced)
    const places = [{ paymentId: locked.payment.id, nonce, feeRank: feeRank + 1, call }]
    return storeAttempts(deps, locked, { places, fees })
  })
  const [attempt = 'stale' as const] = written === 'stale' ? [] : written
  return attempt
}
