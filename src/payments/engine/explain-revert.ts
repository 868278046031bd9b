/** Finds out whether a payment that is proven unpaid reverted because its period had no room. */
import { type Verdict, WAIT } from './judgement.ts'
import type { LanePayment, Pass, PaymentView } from './lane.ts'

/**
 * Between simulation and block, a period can end or others can use it up. Such a payment may be
 * made in the next period, so it returns to the queue where any other revert needs a person.
 */
export async function explainRevert(
  { deps, lane }: Pick<Pass, 'deps' | 'lane'>,
  {
    payment,
    verdict,
    evidence,
  }: { payment: LanePayment; verdict: Verdict; evidence: PaymentView | undefined },
): Promise<Verdict> {
  const { call, expected } = payment
  const isReverted = verdict.do === 'fail' && verdict.code === 'transaction_reverted'
  if (!isReverted || !expected || evidence?.outcome !== 'seen') return verdict
  const receipt = evidence.receipts.at(-1)
  if (!receipt) return verdict
  const { blockNumber } = receipt
  const found = await deps.chain.exhaustedIn({ from: lane.address, call, blockNumber })
  if (found.outcome === 'unavailable') return WAIT
  const exhausted = found.outcome === 'seen' ? found.exhausted : null
  if (!exhausted || expected.amount > exhausted.cap) return verdict
  return { do: 'requeue', endsAtSeconds: exhausted.endsAtSeconds }
}
