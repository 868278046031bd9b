import { expect, test } from 'vitest'
import type { ExhaustedPeriod } from '#ports/payment-node.ts'
import { executed, paymentIn, reverted, unmined } from '#test/simulator/situations.ts'
import { explainRevert } from './explain-revert.ts'
import type { Verdict } from './judgement.ts'
import type { LaneChain, LanePayment, Pass, PaymentView } from './lane.ts'

const REVERTED: Verdict = { do: 'fail', code: 'transaction_reverted' }
const PERIOD: ExhaustedPeriod = { cap: 25_000_000n, endsAtSeconds: 1_900_000_000 }

type Answer = Awaited<ReturnType<LaneChain['exhaustedIn']>>

async function explain(
  answer: Answer,
  {
    verdict = REVERTED,
    evidence = reverted,
    payment = paymentIn('broadcast'),
  }: { verdict?: Verdict; evidence?: PaymentView; payment?: LanePayment } = {},
) {
  const asked: number[] = []
  const exhaustedIn: LaneChain['exhaustedIn'] = async ({ blockNumber }) => {
    asked.push(blockNumber)
    return answer
  }
  const pass = { deps: { chain: { exhaustedIn } }, lane: { address: '0xe' }, view: unmined }
  const about = { payment, verdict, evidence }
  return { verdict: await explainRevert(pass as unknown as Pass, about), asked }
}

const seen = (exhausted: ExhaustedPeriod | null): Answer => ({ outcome: 'seen', exhausted })

test('a payment whose period had no room returns to the queue until it ends', async () => {
  const { verdict, asked } = await explain(seen(PERIOD))
  expect(verdict).toEqual({ do: 'requeue', endsAtSeconds: PERIOD.endsAtSeconds })
  expect(asked).toEqual([reverted.receipts[0]?.blockNumber])
})

test('a payment above the cap of any period fails', async () => {
  const { verdict } = await explain(seen({ ...PERIOD, cap: PERIOD.cap - 1n }))
  expect(verdict).toEqual(REVERTED)
})

test.each<[string, Answer]>([
  ['for another reason', seen(null)],
  ['for a reason on which the nodes disagree', { outcome: 'disagree' }],
])('a payment that reverted %s fails', async (_name, answer) => {
  expect((await explain(answer)).verdict).toEqual(REVERTED)
})

test('nothing is decided while the nodes do not answer', async () => {
  expect((await explain({ outcome: 'unavailable' })).verdict).toEqual({ do: 'wait' })
})

test.each<[string, Parameters<typeof explain>[1]]>([
  ['that is not over', { verdict: { do: 'wait' } }],
  ['whose nonce was used elsewhere', { verdict: { do: 'fail', code: 'nonce_used_elsewhere' } }],
  ['that a provider gave up', { verdict: { do: 'fail', code: 'provider_failed' } }],
  ['without a log to expect', { payment: { ...paymentIn('broadcast'), expected: null } }],
  ['without a receipt', { evidence: { ...executed, receipts: [] } }],
])('the chain is not asked about a payment %s', async (_name, about) => {
  const { verdict, asked } = await explain(seen(PERIOD), about)
  expect(verdict).toEqual(about?.verdict ?? REVERTED)
  expect(asked).toEqual([])
})
