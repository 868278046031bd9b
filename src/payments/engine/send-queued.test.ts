import { expect, test } from 'vitest'
import type { Preflight } from '#ports/payment-node.ts'
import type { Lane, LaneDeps, LanePayment, LaneStore, LaneView, Pass } from './lane.ts'
import { sendQueued } from './send-queued.ts'

const payment = {
  id: 'payment',
  state: 'queued',
  call: { vaultAddress: '0x', data: '0x', gasLimit: 1n },
  expected: { amount: 500n },
} as Partial<LanePayment> as LanePayment

/** What is stored of a queued payment that the vault refuses like this. */
async function storedAfter(preflight: Preflight): Promise<unknown[]> {
  const stored: unknown[] = []
  const store = {
    renewLane: async () => 'done',
    async block({ code }) {
      stored.push({ code })
      return 'done'
    },
    async awaitPeriod({ endsAtSeconds }) {
      stored.push({ endsAtSeconds })
      return 'done'
    },
  } as Partial<LaneStore> as LaneStore
  const deps = {
    store,
    chain: { preflight: async () => preflight },
    executor: { kind: 'signs' },
    monotonicMs: () => 0,
    settings: { inFlightMax: 4, leaseMs: 30_000 },
  } as unknown as LaneDeps
  const view = {
    outcome: 'seen',
    headNonce: { common: 0, highest: 0 },
    market: { outcome: 'known', fees: { maxFeePerGas: 1n, maxPriorityFeePerGas: 1n } },
    gasBalance: 100n,
  } as unknown as LaneView
  const lane = { queued: [payment], unsettled: [], nextNonce: 0 } as Partial<Lane> as Lane
  const lease = { token: { laneId: 'lane', epoch: 1 }, endsAtMs: 30_000 }
  const pass: Pass = { deps, lease, lane, view }
  expect(await sendQueued(pass)).toBe('done')
  return stored
}

const refused = { outcome: 'reverts', code: 'period_cap_exceeded' } as const
const endsAtSeconds = 1_800_000_000

test('a payment waits for the next period, if that has room for it', async () => {
  const exhausted = { cap: 500n, endsAtSeconds }
  expect(await storedAfter({ ...refused, exhausted })).toEqual([{ endsAtSeconds }])
})

test('a payment above the cap of every period is blocked', async () => {
  const exhausted = { cap: 499n, endsAtSeconds }
  expect(await storedAfter({ ...refused, exhausted })).toEqual([{ code: 'period_cap_exceeded' }])
})

test('a payment that the vault refuses for another reason is blocked', async () => {
  const code = 'recipient_is_blocked'
  expect(await storedAfter({ outcome: 'reverts', code })).toEqual([{ code }])
})
