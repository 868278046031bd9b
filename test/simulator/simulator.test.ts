/** The payment engine under faults: one seed is one run, and the contract's replay guard is off. */
import { describe, expect, test, vi } from 'vitest'
import { paymentMachine } from '#payments/payment.machine.ts'
import { wrongProviderVariants } from './provider-variants.ts'
import { runSeries, traceOf } from './series.ts'
import { type Report, settings, simulate } from './simulate.ts'
import { type Variant, wrongVariants } from './variants.ts'

vi.setConfig({ testTimeout: 120_000 })

const SEEDS = 60
const DELEGATED_SEEDS = 25
const RECEIPT_SEEDS = 25
const CROWDED_SEEDS = 60
/** The engine signs eight at once. After an outage, more than that are waiting. */
const CROWD = 20
const VARIANT_SEEDS_MAX = 200
const PROVIDER_FAULTS = [
  ...['refuses', 'denied', 'failed', 'cancelled', 'stuck', 'mistaken'],
  ...['request_lost', 'answer_lost', 'slow'],
].map((kind) => `provider_${kind}`)

/** Moves that the engine makes; the others belong to members or other modules. */
const ENGINE_MOVES = Object.entries(paymentMachine.moves)
  .filter(([from]) => from !== 'reserved')
  .flatMap(([from, events]) =>
    Object.entries(events).map(([event, to]) => `${from} ${event} ${to}`),
  )
  .filter((move) => !/ (?:reserve|renew) /.test(move))

describe('the engine', () => {
  test(`pays and activates everything once in ${SEEDS} seeds`, async () => {
    const series = await runSeries({ from: 1, seeds: SEEDS })
    const [failing] = series.failingSeeds
    const told = failing === undefined ? '' : `seed ${failing}:\n${await traceOf(failing)}`
    expect(series.violationsByKind, told).toEqual({})
    expect(series.payments).toBe(5 * SEEDS)
    expect(series.faults).toBeGreaterThan(80 * SEEDS)
    expect(series.staleWrites).toBeGreaterThan(SEEDS)
    // Guards the test: a simulation that never reaches a move proves nothing about it.
    const unseen = ENGINE_MOVES.filter((move) => series.movesByKind[move] === undefined)
    // One goes through reconciling, the other needs an old backup.
    expect(unseen).toEqual(['submitting fail failed', 'failed reconcile reconciling'])
    // Policies are activated between the payments; some are vetoed, some tried again.
    expect(Object.keys(series.movesByKind)).toEqual(
      expect.arrayContaining([
        'activation queued postpone queued',
        'activation broadcast confirm confirmed',
        'activation reconciling fail failed',
        'activation failed release queued',
      ]),
    )
  })

  test('repeats itself exactly with the same seed', async () => {
    expect(await traceOf(7)).toBe(await traceOf(7))
    expect(await traceOf(7)).not.toBe(await traceOf(8))
  })

  test('sends a hundred in nonce order without a gap, at most 16 unmined', async () => {
    const report = await simulate({ seed: 1, payments: 100, hasFaults: false })
    expect(report).toMatchObject({ violations: [], attempts: 100, staleWrites: 0, releases: 0 })
    expect(settings.inFlightMax).toBe(16)
  })
})

test(`${CROWD} payments, more than are signed together, are each made once`, async () => {
  for (let seed = 1; seed <= CROWDED_SEEDS; seed += 1) {
    // One period has no room for so many.
    const asked = { seed, payments: CROWD, hasPeriod: false }
    const { violations, attempts, faults } = await simulate(asked)
    expect(violations, `seed ${seed}`).toEqual([])
    expect(attempts, `seed ${seed}`).toBeGreaterThanOrEqual(CROWD)
    expect(faults.size, `seed ${seed}`).toBeGreaterThan(0)
  }
})

describe('payments of a vault with tiers and a period', () => {
  test('wait for the next period, also after a revert, and are each paid once', async () => {
    for (let seed = 1; seed <= 30; seed += 1) {
      const asked = { seed, payments: 6, hasFaults: false, hasPeriod: true }
      const { violations, moves, releases, rows } = await simulate(asked)
      expect(violations, `seed ${seed}`).toEqual([])
      // All are simulated before the first is mined, so that those without room revert.
      expect(moves.get('broadcast requeue queued'), `seed ${seed}`).toBeGreaterThan(0)
      // Nobody has to release a payment that only waits.
      expect([...moves.keys()].filter((move) => / (?:block|fail) /.test(move))).toEqual([])
      expect(releases).toBe(0)
      const signatures = rows.map(({ expected }) => expected?.approverAddresses.length)
      expect(signatures).toEqual([1, 1, 2, 2, 2, 2])
    }
  })

  test('meet blocked recipients among the faults of the series', async () => {
    const { faultsByKind } = await runSeries({ from: 1, seeds: 10 })
    expect(faultsByKind.recipient_blocked).toBeGreaterThan(0)
  })
})

describe('deposits, which only their receipts prove,', () => {
  test(`are made once in ${RECEIPT_SEEDS} seeds`, async () => {
    const asked = { from: 1, seeds: RECEIPT_SEEDS, isProvenByReceipt: true }
    const { violationsByKind, failingSeeds, payments, attempts } = await runSeries(asked)
    expect(violationsByKind, `seeds ${failingSeeds}`).toEqual({})
    expect(payments).toBe(5 * RECEIPT_SEEDS)
    expect(attempts).toBeGreaterThan(payments)
  })

  test.each(wrongVariants)('are watched: $name is caught', async (variant) => {
    const until = ({ violations }: { violations: number }) => violations > 0
    const asked = { from: 1, seeds: VARIANT_SEEDS_MAX, isProvenByReceipt: true, until }
    expect((await runSeries({ ...asked, variant })).seedsToDetection).not.toBeNull()
  })
})

describe('a database restored from an old backup', () => {
  const restored = async (seeds: number, hasFaults: boolean) => {
    const reports: Report[] = []
    for (let seed = 1; seed <= seeds; seed += 1) {
      reports.push(await simulate({ seed, hasFaults, hasRestore: true, isGuarded: true }))
    }
    return reports
  }
  /** An idle lane adopts the chain's nonce only when it has something to send. */
  const kindsOf = (reports: readonly Report[]) => {
    const kinds = reports.flatMap(({ violations }) => violations.map(({ kind }) => kind))
    return new Set(kinds.filter((kind) => kind !== 'nonce_gap'))
  }

  test('ends with every payment confirmed, including those it had lost', async () => {
    const reports = await restored(30, false)
    expect(kindsOf(reports)).toEqual(new Set())
    const moves = reports.flatMap((report) => [...report.moves.keys()])
    expect(moves).toContain('queued block blocked')
    expect(moves).toContain('blocked reconcile reconciling')
  })

  test('amid all other faults confirms nothing that was not paid', async () => {
    const kinds = kindsOf(await restored(20, true))
    expect(kinds).not.toContain('double_payment')
    expect(kinds).not.toContain('false_confirmed')
  })
})

describe('a delegated executor', () => {
  test(`pays every payment once in ${DELEGATED_SEEDS} seeds`, async () => {
    const series = await runSeries({ from: 1, seeds: DELEGATED_SEEDS, isDelegated: true })
    const [failing] = series.failingSeeds
    const isDelegated = true
    const told = failing === undefined ? '' : await traceOf(failing, { isDelegated })
    expect(series.violationsByKind, `seed ${failing}:\n${told}`).toEqual({})
    expect(series.payments).toBe(5 * DELEGATED_SEEDS)
    const unseen = PROVIDER_FAULTS.filter((kind) => series.faultsByKind[kind] === undefined)
    const unmoved = ENGINE_MOVES.filter((move) => series.movesByKind[move] === undefined)
    // What ends unpaid goes through reconciling; a failure is undone only after an old backup.
    const never = [
      'submitting fail failed',
      'broadcast fail failed',
      // Only what the service signed is looked into: a provider simulates its own calls.
      'broadcast requeue queued',
      'reconciling requeue queued',
      'failed reconcile reconciling',
    ]
    expect([unseen, unmoved]).toEqual([[], never])
  })

  test('repeats the same key after an old backup, so that no guard is needed', async () => {
    for (let seed = 1; seed <= 30; seed += 1) {
      const asked = { hasFaults: false, hasRestore: true, isDelegated: true }
      const report = await simulate({ seed, ...asked })
      expect(report.violations, `seed ${seed}`).toEqual([])
    }
  })

  test('amid all other faults confirms nothing that was not paid', async () => {
    for (let seed = 1; seed <= 20; seed += 1) {
      const asked = { hasRestore: true, isDelegated: true, isGuarded: true }
      const { violations } = await simulate({ seed, ...asked })
      const kinds = violations.map(({ kind }) => kind)
      expect(kinds, `seed ${seed}`).not.toContain('double_payment')
      expect(kinds, `seed ${seed}`).not.toContain('false_confirmed')
    }
  })
})

describe('the simulator catches a wrong engine:', () => {
  const expectCaught = async (variant: Variant, isDelegated: boolean) => {
    const until = ({ violations }: { violations: number }) => violations > 0
    const seeds = VARIANT_SEEDS_MAX
    const series = await runSeries({ from: 1, seeds, variant, isDelegated, until })
    const { seedsToDetection, violationsByKind } = series
    const kinds = Object.keys(violationsByKind).join(', ')
    process.stdout.write(`${variant.name}: ${seedsToDetection} seeds to ${kinds}\n`)
    expect(seedsToDetection, `not caught in ${seeds} seeds`).not.toBeNull()
  }

  test.each(wrongVariants)('$name', (variant) => expectCaught(variant, false))
  test.each(wrongProviderVariants)('$name', (variant) => expectCaught(variant, true))
})
