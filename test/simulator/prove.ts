/**
 * The long run: `node test/simulator/prove.ts --seeds 20000 --from 1 --out summary.json`. Runs the
 * engine with the contract's replay guard off in one process per processor, both signing itself and
 * delegating to a provider; then each wrong variant until it is caught. A failing seed is printed
 * line by line.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { violationKinds } from './oracle.ts'
import { wrongProviderVariants } from './provider-variants.ts'
import { emptySeries, runSeries, type Series, traceOf } from './series.ts'
import { type Variant, wrongVariants } from './variants.ts'

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '20000' },
    from: { type: 'string', default: '1' },
    out: { type: 'string', default: 'simulator-summary.json' },
    processes: { type: 'string', default: String(availableParallelism()) },
    /** Set by the parent: this process runs one part and sends its results. */
    part: { type: 'boolean', default: false },
    /** Of the part or of the seed: payments are delegated. */
    entrusted: { type: 'boolean', default: false },
    /** Only prints this seed. */
    trace: { type: 'string' },
  },
})

const say = (line: string) => process.stdout.write(`${line}\n`)
const CHUNK = 250
const VARIANT_SEEDS_MAX = 2_000

type Asked = { from: number; seeds: number; isDelegated: boolean }
type Half = { isDelegated: boolean; wrong: readonly Variant[] }
/** Payments that the engine signs and sends, and payments delegated to a provider. */
const halves = {
  signed: { isDelegated: false, wrong: wrongVariants },
  entrusted: { isDelegated: true, wrong: wrongProviderVariants },
} satisfies Record<string, Half>

function merge(into: Series, from: Series): void {
  for (const key of ['seeds', 'payments', 'attempts', 'releases', 'staleWrites'] as const) {
    into[key] += from[key]
  }
  into.faults += from.faults
  into.violations += from.violations
  into.failingSeeds.push(...from.failingSeeds)
  for (const sums of ['faultsByKind', 'movesByKind', 'violationsByKind'] as const) {
    for (const [kind, count] of Object.entries(from[sums])) {
      into[sums][kind] = (into[sums][kind] ?? 0) + count
    }
  }
}

/** In pieces, to show progress. */
async function runPart({ from, seeds, isDelegated }: Asked): Promise<void> {
  for (let done = 0; done < seeds; done += CHUNK) {
    const piece = { from: from + done, seeds: Math.min(CHUNK, seeds - done), isDelegated }
    process.send?.(await runSeries(piece))
  }
  process.disconnect()
}

async function runAll({ from, seeds, isDelegated }: Asked, processes: number): Promise<Series> {
  const total = emptySeries('these rules')
  const share = Math.ceil(seeds / processes)
  const begun = performance.now()
  const parts = Array.from({ length: processes }, async (_, index) => {
    const own = Math.min(share, seeds - index * share)
    if (own <= 0) return
    const part = ['--part', '--from', String(from + index * share), '--seeds', String(own)]
    const child = fork(import.meta.filename, isDelegated ? [...part, '--entrusted'] : part)
    child.on('message', (piece: Series) => {
      merge(total, piece)
      const perSecond = (total.seeds * 1000) / (performance.now() - begun)
      const { violations, payments, faults } = total
      const share = `${total.seeds} of ${seeds} seeds, ${perSecond.toFixed(0)} a second`
      say(`${share}: ${payments} payments, ${faults} faults, ${violations} violations`)
    })
    const [code] = await once(child, 'exit')
    if (code !== 0) throw new Error(`A part ended with ${code}`)
  })
  await Promise.all(parts)
  return total
}

async function proveHalf({ wrong, ...asked }: Asked & Half, processes: number) {
  say(asked.isDelegated ? '\nDelegated to a provider:' : 'Signed by the engine:')
  const { from, isDelegated } = asked
  const begun = performance.now()
  const total = await runAll(asked, processes)
  const seconds = (performance.now() - begun) / 1000
  const [failing] = total.failingSeeds.toSorted((a, b) => a - b)
  if (failing !== undefined) say(`\nSeed ${failing}:\n${await traceOf(failing, { isDelegated })}\n`)

  const variants: { variant: string; seedsToDetection: number | null }[] = []
  for (const variant of wrong) {
    const until = ({ violations }: Series) => violations > 0
    const asked = { from, seeds: VARIANT_SEEDS_MAX, variant, isDelegated, until }
    const { seedsToDetection } = await runSeries(asked)
    variants.push({ variant: variant.name, seedsToDetection })
    say(`${variant.name}: ${seedsToDetection ?? 'NOT'} seeds to detection`)
  }
  const seedsPerSecond = Math.round(total.seeds / seconds)
  const isCaught = variants.every(({ seedsToDetection }) => seedsToDetection !== null)
  const isProven = total.violations === 0 && isCaught
  // Kinds that did not occur are reported too, as zero.
  const never = Object.fromEntries(violationKinds.map((kind) => [kind, 0]))
  total.violationsByKind = { ...never, ...total.violationsByKind }
  return { ...total, isGuarded: false, seconds, seedsPerSecond, variants, isProven }
}

async function prove(from: number, seeds: number, processes: number): Promise<void> {
  const signed = await proveHalf({ from, seeds, ...halves.signed }, processes)
  const delegated = await proveHalf({ from, seeds, ...halves.entrusted }, processes)
  const seed = `${from} to ${from + seeds - 1}`
  writeFileSync(values.out, `${JSON.stringify({ seed, signed, entrusted: delegated }, null, 2)}\n`)
  say(`Written to ${values.out}`)
  process.exitCode = signed.isProven && delegated.isProven ? 0 : 1
}

const from = Number(values.from)
const seeds = Number(values.seeds)
const isDelegated = values.entrusted
if (values.trace !== undefined) say(await traceOf(Number(values.trace), { isDelegated }))
else if (values.part) await runPart({ from, seeds, isDelegated })
else await prove(from, seeds, Number(values.processes))
