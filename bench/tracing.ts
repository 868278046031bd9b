/**
 * What traces cost per statement: the comparison that is left while they are off, a statement with
 * traces off, and one inside a traced job. The client answers at once, so nothing else is measured.
 * Figures are CPU time, which other programs on the machine hardly change.
 */
import type pg from 'pg'
import { createOtlpTracer } from '#adapters/otlp/otlp-tracer.ts'
import { runTogether } from '#platform/database/pipeline.ts'
import { currentTracer, type Tracer, useTracer } from '#platform/tracing.ts'

const COMPARISONS = 50_000_000
const STATEMENTS = 300_000
const ROUNDS = 5

const client = {
  query: ({ callback }: { callback(error: null, results: object[][]): void }) =>
    callback(null, [[]]),
} as unknown as pg.ClientBase

const statement = {
  name: 'bench',
  text: 'select id, state, amount from payments where organization_id = $1 and id = $2',
  values: ['0198c0de-0000-7000-8000-000000000001', '0198c0de-0000-7000-8000-000000000002'],
}

const parserOf = () => (text: string) => text

/** In nanoseconds. */
const cpuTime = (): number => {
  const { user, system } = process.cpuUsage()
  return (user + system) * 1_000
}

async function runStatements(): Promise<number> {
  const began = cpuTime()
  for (let n = 0; n < STATEMENTS; n += 1) await runTogether(client, [statement], parserOf)
  return (cpuTime() - began) / STATEMENTS
}

function compare(): number {
  let found = 0
  const began = cpuTime()
  for (let n = 0; n < COMPARISONS; n += 1) if (currentTracer()) found += 1
  const took = cpuTime() - began
  if (found > 0) throw new Error('Traces are on')
  return took / COMPARISONS
}

/** Everything but the request to the collector. */
const createTracer = (): Tracer =>
  createOtlpTracer({ exporter: { add: () => {}, reportTo: () => {} }, sampleRatio: 1 })

async function runTraced(): Promise<number> {
  const tracer = createTracer()
  useTracer(tracer)
  const span = { name: 'job bench', kind: 'consumer' } as const
  const took = await tracer.runJob(null, span, runStatements)
  useTracer(undefined)
  return took
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

const figures = { comparison: [] as number[], off: [] as number[], on: [] as number[] }
for (let round = 0; round < ROUNDS; round += 1) {
  figures.comparison.push(compare())
  figures.off.push(await runStatements())
  figures.on.push(await runTraced())
}
for (const [name, values] of Object.entries(figures)) {
  process.stdout.write(`${name.padEnd(12)}${median(values).toFixed(1).padStart(10)} ns\n`)
}
