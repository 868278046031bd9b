import { setImmediate as later } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { Preflight } from '#ports/payment-node.ts'
import type { SignedAttempt } from './attempt.ts'
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
    async postpone({ reason }) {
      stored.push({ reason })
      return 'done'
    },
  } as Partial<LaneStore> as LaneStore
  const chain = { preflight: async () => preflight }
  expect(await sendQueued(passOver({ store, chain, queued: [payment] }))).toBe('done')
  return stored
}

/** A pass with gas for a hundred payments. */
function passOver({
  store,
  chain,
  queued,
}: {
  store: LaneStore
  chain: object
  queued: LanePayment[]
}): Pass {
  const deps = {
    store,
    chain,
    executor: { kind: 'signs' },
    monotonicMs: () => 0,
    settings: { inFlightMax: 16, leaseMs: 30_000 },
  } as unknown as LaneDeps
  const view = {
    outcome: 'seen',
    headNonce: { common: 0, highest: 0 },
    market: { outcome: 'known', fees: { maxFeePerGas: 1n, maxPriorityFeePerGas: 1n } },
    gasBalance: 100n,
  } as unknown as LaneView
  const lane = { queued, unsettled: [], nextNonce: 0 } as Partial<Lane> as Lane
  const lease = { token: { laneId: 'lane', epoch: 1 }, endsAtMs: 30_000 }
  return { deps, lease, lane, view }
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

test.each(['not_executor', 'version_mismatch'] as const)(
  '%s: the payment waits until the new policy is read',
  async (code) => {
    expect(await storedAfter({ outcome: 'reverts', code })).toEqual([{ reason: 'behind' }])
  },
)

/** What happens to payments that the vault would make. Nodes answer once the ninth is signed. */
async function sentInOrder(
  count: number,
  writeAhead: (ids: string[]) => void = () => {},
): Promise<{ steps: string[]; failure: unknown }> {
  const steps: string[] = []
  const ninth = Promise.withResolvers<void>()
  const queued = Array.from({ length: count }, (_, nonce) => ({ ...payment, id: String(nonce) }))
  const idsOf = (all: readonly { payment: LanePayment }[]) => all.map(({ payment }) => payment.id)
  const store = {
    renewLane: async () => 'done',
    async writeAhead({ payments }) {
      const ids = payments.map(({ id }) => id)
      if (ids.includes('8')) ninth.resolve()
      writeAhead(ids)
      steps.push(`write ${ids}`)
      return payments.map((one) => ({ payment: one, attempt: { raw: one.id } as SignedAttempt }))
    },
    async recordSends({ sends }) {
      // A pass that does not wait for it has ended by then.
      await later()
      steps.push(`record ${idsOf(sends)}`)
      return 'done'
    },
  } as Partial<LaneStore> as LaneStore
  const chain = {
    preflight: async () => ({ outcome: 'passes' }),
    async send({ raw }: { raw: string }) {
      steps.push(`send ${raw}`)
      await ninth.promise
      return 'accepted'
    },
  }
  const pass = passOver({ store, chain, queued })
  const failure = await sendQueued(pass).catch((error: unknown) => error)
  return { steps, failure }
}

const numbers = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => String(from + index))

test('the first payments are on their way while the others are signed', async () => {
  const { steps } = await sentInOrder(12)
  expect(steps.indexOf('send 0')).toBeLessThan(steps.indexOf(`write ${numbers(8, 12)}`))
  const sent = steps.filter((step) => step.startsWith('send '))
  expect(sent).toEqual(numbers(0, 12).map((nonce) => `send ${nonce}`))
})

test('the answers for the first payments are recorded if the others cannot be signed', async () => {
  const refused = new Error('no key')
  const { steps, failure } = await sentInOrder(12, (ids) => {
    if (ids.includes('8')) throw refused
  })
  expect(failure).toBe(refused)
  expect(steps).toContain(`record ${numbers(0, 8)}`)
})
