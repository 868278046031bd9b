/** A slow provider: the worker keeps its lease, and a stopping worker does not wait. */
import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { EntrustAnswer } from '#ports/executor-provider.ts'
import { paymentIn, settings, unmined } from '#test/simulator/situations.ts'
import type { EntrustedAttempt } from './attempt.ts'
import { entrustAgain, entrustFirst } from './delegate-attempts.ts'
import type {
  DelegationStore,
  Heard,
  Lane,
  LaneStore,
  LaneWorld,
  Pass,
  Provider,
  Written,
} from './lane.ts'

const attempt: EntrustedAttempt = {
  kind: 'entrusted',
  id: 'attempt',
  idempotencyKey: 'key',
  providerReference: null,
  word: null,
  heardAtMs: null,
  heardBlock: null,
  transactionHash: null,
  isSameCall: true,
  writtenAtMs: 0,
  sentAtMs: null,
}
const sending = { payment: paymentIn('submitting', []), attempt }
const sent: EntrustAnswer = {
  outcome: 'reported',
  state: 'sent',
  providerReference: 'reference',
  transactionHash: '0xha',
  code: null,
}

/** Time passes only with the pauses. The provider answers once this much has passed. */
function startedWith({
  answersAtMs = 0,
  answer = sent,
  renew = () => 'done' as Written,
}: {
  answersAtMs?: number
  answer?: EntrustAnswer
  renew?: () => Written
}) {
  let nowMs = 0
  const worker = new AbortController()
  const done: string[] = []
  const words: Heard[] = []
  let heard: AbortSignal | undefined
  const provider: Provider = {
    async submit({ idempotencyKey, signal }) {
      done.push(`asked with ${idempotencyKey}`)
      heard = signal
      while (nowMs < answersAtMs) await turn()
      return answer
    },
    poll: undefined,
    repeatAfterMs: 1_000,
    inFlightMax: 1,
    paysOwnGas: false,
    async pause(ms) {
      await turn()
      nowMs += ms
    },
    stopping: worker.signal,
  }
  const store = {
    async renewLane() {
      done.push('renewed')
      return renew()
    },
    async recordTries() {
      done.push('noted')
      return 'done'
    },
    async recordWords(input) {
      words.push(...input.words)
      return 'done'
    },
    async lose() {
      done.push('lost')
      return 'done'
    },
  } as Partial<LaneStore & DelegationStore> as LaneStore & DelegationStore
  let preflight: Awaited<ReturnType<LaneWorld['chain']['preflight']>> = { outcome: 'passes' }
  const chain = { preflight: async () => preflight } as Partial<LaneWorld['chain']>
  const world = { store, chain, monotonicMs: () => nowMs, settings } as Partial<LaneWorld>
  const lease = { fence: { laneId: 'lane', epoch: 1 }, endsAtMs: settings.leaseMs }
  const lane = { address: '0xex' } as Partial<Lane>
  const pass = { world, lease, lane, view: unmined } as Pass
  return {
    pass: { ...pass, provider, delegations: store },
    done,
    words,
    stop: () => worker.abort(),
    nowMs: () => nowMs,
    isTold: () => heard?.aborted,
    wouldDo: (outcome: typeof preflight) => {
      preflight = outcome
    },
  }
}

const MINUTES = 180_000

test('renews the lease for as long as the provider takes', async () => {
  const { pass, words, done } = startedWith({ answersAtMs: MINUTES })
  expect(await entrustFirst(pass, [sending])).toBe('done')
  expect(words).toMatchObject([{ report: { word: 'sent' }, event: 'accept', wasAsked: true }])
  const renewals = done.filter((one) => one === 'renewed').length
  expect(renewals).toBeGreaterThanOrEqual(MINUTES / settings.leaseMs)
  expect(renewals).toBeLessThan(MINUTES / (settings.leaseMs / 4))
})

test('stops waiting when another worker has the lane', async () => {
  const renew = () => 'stale' as const
  const { pass, words, nowMs, isTold } = startedWith({ answersAtMs: MINUTES, renew })
  await entrustFirst(pass, [sending])
  expect([isTold(), nowMs() < MINUTES]).toEqual([true, true])
  expect(words).toMatchObject([{ report: null, event: null }])
})

test('stops waiting when the worker stops, and records no loss or failure', async () => {
  const { pass, words, stop, nowMs, isTold } = startedWith({ answersAtMs: MINUTES })
  const entrusting = entrustFirst(pass, [sending])
  stop()
  expect(await entrusting).toBe('done')
  expect([isTold(), nowMs() < MINUTES]).toEqual([true, true])
  expect(words).toMatchObject([{ report: null, event: null, wasAsked: true }])
})

test('a refusal counts on the first request and is inconclusive on a repeat', async () => {
  const answer = { outcome: 'refused', code: 'no' } as const
  const first = startedWith({ answer })
  await entrustFirst(first.pass, [sending])
  expect(first.words).toMatchObject([{ report: { word: 'refused', code: 'no' }, event: 'lose' }])
  const again = startedWith({ answer })
  await entrustAgain(again.pass, [sending])
  expect(again.words).toMatchObject([{ report: null, event: null }])
})

test('a repeat is persisted before it is sent, and only sent if the vault would pay', async () => {
  const { pass, done, wouldDo } = startedWith({})
  await entrustAgain(pass, [sending])
  expect(done).toEqual(['noted', 'asked with key'])
  for (const code of ['policy_paused', 'payment_already_executed'] as const) {
    wouldDo({ outcome: 'reverts', code })
    await entrustAgain(pass, [sending])
  }
  wouldDo({ outcome: 'unavailable' })
  await entrustAgain(pass, [sending])
  // Waits for our own success; the others wait too.
  expect(done.slice(2)).toEqual(['lost'])
})
