/** What is stored about a delegated payment when its provider is polled. */
import { expect, test } from 'vitest'
import type { ProviderReport } from '#ports/executor-provider.ts'
import { paymentIn, settings } from '#test/simulator/situations.ts'
import type { DelegatedAttempt } from './attempt.ts'
import type { AttemptReport, DelegationStore, Lane, LaneDeps } from './lane.ts'
import { recordProviderReports } from './poll-provider.ts'

const attempt: DelegatedAttempt = {
  kind: 'entrusted',
  id: 'attempt',
  idempotencyKey: 'key',
  providerReference: 'reference',
  status: 'accepted',
  reportedAtMs: 0,
  reportedBlock: null,
  transactionHash: null,
  isSameCall: true,
  writtenAtMs: 0,
  sentAtMs: 0,
}
const payment = { ...paymentIn('broadcast', []), attempts: [attempt] }

/** The reports that are stored, for a lane that was loaded a millisecond after the last report. */
async function stored(report: ProviderReport | undefined): Promise<AttemptReport[]> {
  const written: AttemptReport[] = []
  const delegations = {
    async recordReports({ reports }) {
      written.push(...reports)
      return 'done' as const
    },
  } as Partial<DelegationStore> as DelegationStore
  const deps = { settings, monotonicMs: () => 0 } as LaneDeps
  const lease = { token: { laneId: 'lane', epoch: 1 }, endsAtMs: settings.leaseMs }
  const lane = { unsettled: [payment], nowMs: 1 } as unknown as Lane
  const view = { outcome: 'unavailable' as const }
  const polled = new Map(report ? [[payment.id, report]] : [])
  await recordProviderReports({ deps, lease, lane, view, delegations }, polled)
  return written
}

const said = (state: ProviderReport['state']): ProviderReport => ({
  outcome: 'reported',
  state,
  providerReference: 'reference',
  transactionHash: null,
  code: null,
})

test('a new report is stored, but not as another request', async () => {
  expect(await stored(said('sent'))).toMatchObject([
    { payment, attempt, report: { status: 'sent' }, wasAsked: false },
  ])
})

test('a report that says what is known, or none, is not stored again at once', async () => {
  expect(await stored(said('accepted'))).toEqual([])
  expect(await stored(undefined)).toEqual([])
})
