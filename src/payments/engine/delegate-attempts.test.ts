/** A slow provider: the worker keeps its lease, and a stopping worker does not wait. */
import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { SubmitAnswer } from '#ports/executor-provider.ts'
import { paymentIn, settings, unmined } from '#test/simulator/situations.ts'
import type { DelegatedAttempt } from './attempt.ts'
import { delegateAgain, delegateFirst } from './delegate-attempts.ts'
import type {
  AttemptReport,
  DelegationStore,
  Lane,
  LaneDeps,
  LaneStore,
  Pass,
  Provider,
  WriteOutcome,
} from './lane.ts'

const attempt: DelegatedAttempt = {
  kind: 'entrusted',
  id: 'attempt',
  idempotencyKey: 'key',
  providerReference: null,
  status: null,
  reportedAtMs: null,
  reportedBlock: null,
  transactionHash: null,
  isSameCall: true,
  writtenAtMs: 0,
  sentAtMs: null,
}
const sending = { payment: paymentIn('submitting', []), attempt }
const sent: SubmitAnswer = {
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
  renew = () => 'done' as WriteOutcome,
}: {
  answersAtMs?: number
  answer?: SubmitAnswer
  renew?: () => WriteOutcome
}) {
  let nowMs = 0
  const worker = new AbortController()
  const done: string[] = []
  const reports: AttemptReport[] = []
  let received: AbortSignal | undefined
  const provider: Provider = {
    async submit({ idempotencyKey, signal }) {
      done.push(`asked with ${idempotencyKey}`)
      received = signal
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
    async recordRetries() {
      done.push('noted')
      return 'done'
    },
    async recordReports(input) {
      reports.push(...input.reports)
      return 'done'
    },
    async lose() {
      done.push('lost')
      return 'done'
    },
  } as Partial<LaneStore & DelegationStore> as LaneStore & DelegationStore
  let preflight: Awaited<ReturnType<LaneDeps['chain']['preflight']>> = { outcome: 'passes' }
  const chain = { preflight: async () => preflight } as Partial<LaneDeps['chain']>
  const deps = { store, chain, monotonicMs: () => nowMs, settings } as Partial<LaneDeps>
  const lease = { token: { laneId: 'lane', epoch: 1 }, endsAtMs: settings.leaseMs }
  const lane = { address: '0xex' } as Partial<Lane>
  const pass = { deps, lease, lane, view: unmined } as Pass
  return {
    pass: { ...pass, provider, delegations: store },
    done,
    reports,
    stop: () => worker.abort(),
    nowMs: () => nowMs,
    isAborted: () => received?.aborted,
    wouldDo: (outcome: typeof preflight) => {
      preflight = outcome
    },
  }
}

const MINUTES = 180_000

test('renews the lease for as long as the provider takes', async () => {
  const { pass, reports, done } = startedWith({ answersAtMs: MINUTES })
  expect(await delegateFirst(pass, [sending])).toBe('done')
  expect(reports).toMatchObject([{ report: { status: 'sent' }, event: 'accept', wasAsked: true }])
  const renewals = done.filter((one) => one === 'renewed').length
  expect(renewals).toBeGreaterThanOrEqual(MINUTES / settings.leaseMs)
  expect(renewals).toBeLessThan(MINUTES / (settings.leaseMs / 4))
})

test('stops waiting when another worker has the lane', async () => {
  const renew = () => 'stale' as const
  const { pass, reports, nowMs, isAborted } = startedWith({ answersAtMs: MINUTES, renew })
  await delegateFirst(pass, [sending])
  expect([isAborted(), nowMs() < MINUTES]).toEqual([true, true])
  expect(reports).toMatchObject([{ report: null, event: null }])
})

test('stops waiting when the worker stops, and records no loss or failure', async () => {
  const { pass, reports, stop, nowMs, isAborted } = startedWith({ answersAtMs: MINUTES })
  const delegating = delegateFirst(pass, [sending])
  stop()
  expect(await delegating).toBe('done')
  expect([isAborted(), nowMs() < MINUTES]).toEqual([true, true])
  expect(reports).toMatchObject([{ report: null, event: null, wasAsked: true }])
})

test('a refusal counts on the first request and is inconclusive on a repeat', async () => {
  const answer = { outcome: 'refused', code: 'no' } as const
  const first = startedWith({ answer })
  await delegateFirst(first.pass, [sending])
  expect(first.reports).toMatchObject([
    { report: { status: 'refused', code: 'no' }, event: 'lose' },
  ])
  const again = startedWith({ answer })
  await delegateAgain(again.pass, [sending])
  expect(again.reports).toMatchObject([{ report: null, event: null }])
})

test('a repeat is persisted before it is sent, and only sent if the vault would pay', async () => {
  const { pass, done, wouldDo } = startedWith({})
  await delegateAgain(pass, [sending])
  expect(done).toEqual(['noted', 'asked with key'])
  for (const code of ['policy_paused', 'payment_already_executed'] as const) {
    wouldDo({ outcome: 'reverts', code })
    await delegateAgain(pass, [sending])
  }
  wouldDo({ outcome: 'unavailable' })
  await delegateAgain(pass, [sending])
  // One waits for the proof of its payment; the others wait for the next pass.
  expect(done.slice(2)).toEqual(['lost'])
})
