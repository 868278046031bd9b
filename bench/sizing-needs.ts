/** What a number of organizations needs, computed from the figures and from assumptions. */
import type { Figure } from './figures.ts'
import type { KeptResult } from './report.ts'

/** What an average organization does. Change these to match your own. */
export const USUAL = {
  members: 20,
  /** Members who use the application at the busiest time, of all members. */
  activeShare: 0.1,
  /** An active member reads one list and one detail in this many seconds. */
  readSeconds: 15,
  expensesAMonth: 200,
  /** From the draft to the payment; after each, every active member reads a snapshot. */
  changesOfAnExpense: 8,
  workingHoursAMonth: 176,
  /** The busiest hour beside an average working hour. */
  peakFactor: 5,
}
/** Processors are planned to be this busy at the busiest time. */
export const BUSY = 0.5
export const SIZES = [10, 1_000, 100_000]
export type Results = readonly Pick<KeptResult, 'id' | 'figures' | 'machine' | 'isFresh'>[]

export function figureOf(results: Results, id: string, what: string): Figure {
  const { figures = [] } = results.find((result) => result.id === id) ?? {}
  const figure = figures.find((candidate) => candidate.what.startsWith(what))
  if (figure) return figure
  throw new Error(`docs/SIZING.md needs “${what}” of ${id}. Measure it: npm run bench -- ${id}`)
}

export const moreOf = (figure: Figure, name: string): string => {
  const value = figure.more?.[name]
  if (value === undefined) throw new Error(`“${figure.what}” has no “${name}”`)
  return String(value)
}

/** Of one request, in seconds of CPU time. */
export type CpuCost = { api: number; database: number }
type RequestCost = CpuCost & { roundTrips: string }

/** The figure has `1577 + 843`: microseconds of the server and of the database. */
function cpuCostOf(figure: Figure): CpuCost {
  const text = moreOf(figure, 'CPU µs, server + database')
  const [api = Number.NaN, database = Number.NaN] = text.split(' + ').map(Number)
  return { api: api / 1e6, database: database / 1e6 }
}

function requestCostOf(results: Results, id: string, what: string): RequestCost {
  const figure = figureOf(results, id, what)
  return { ...cpuCostOf(figure), roundTrips: moreOf(figure, 'round trips') }
}

export type Costs = {
  list: RequestCost
  detail: RequestCost
  creation: RequestCost
  /** Read anew, because something has changed. */
  snapshot: CpuCost
  /**
   * Seconds of CPU time for a payment. API, worker and local chain share the measured process, so
   * this is more than the worker alone needs.
   */
  payment: number
  /** The same calls from the bare loop, with the same chain in its process. */
  barePayment: number
  deliveriesASecond: number
  restMib: number
  loadedMib: number
  streamKib: number
  expenseKib: number
}

export const costsOf = (results: Results): Costs => {
  const payments = figureOf(results, 'payments', '')
  const streams = figureOf(results, 'streams', 'fan-out')
  return {
    list: requestCostOf(results, 'reads', 'list of 50'),
    detail: requestCostOf(results, 'reads', 'detail'),
    creation: requestCostOf(results, 'creation', 'creation, every commit on the disk'),
    snapshot: cpuCostOf(figureOf(results, 'reads', 'live snapshot after a change')),
    payment: Number(moreOf(payments, 'CPU ms a payment, with the chain’s')) / 1e3,
    barePayment: Number(moreOf(payments, 'bare, CPU ms')) / 1e3,
    deliveriesASecond: Number(moreOf(streams, 'deliveries a second')),
    restMib: figureOf(results, 'memory', 'API, at rest').value,
    loadedMib: figureOf(results, 'memory', 'API, 64 connections').value,
    streamKib: figureOf(results, 'streams', 'memory of a stream').value,
    expenseKib: figureOf(results, 'scale', 'disk space of an expense').value,
  }
}

export type Need = {
  organizations: number
  readsASecond: number
  creationsAnHour: number
  snapshotsASecond: number
  streams: number
  apiProcesses: number
  apiMib: number
  workers: number
  databaseCores: number
  diskGibAYear: number
  expensesAYear: number
}

/** An API process uses one core. There is always a second process, in case one fails. */
export function needOf(organizations: number, costs: Costs): Need {
  const active = organizations * USUAL.members * USUAL.activeShare
  const pairs = active / USUAL.readSeconds
  const creations =
    (organizations * USUAL.expensesAMonth * USUAL.peakFactor) / USUAL.workingHoursAMonth / 3_600
  const snapshots = creations * USUAL.changesOfAnExpense * USUAL.members * USUAL.activeShare
  const cpu = (of: 'api' | 'database') =>
    pairs * (costs.list[of] + costs.detail[of]) +
    creations * costs.creation[of] +
    snapshots * costs.snapshot[of]
  const apiProcesses = Math.max(2, Math.ceil(cpu('api') / BUSY) + 1)
  const streamsMib = (active * costs.streamKib) / 1_024
  const expensesAYear = organizations * USUAL.expensesAMonth * 12
  return {
    organizations,
    readsASecond: pairs * 2,
    creationsAnHour: creations * 3_600,
    snapshotsASecond: snapshots,
    streams: active,
    apiProcesses,
    apiMib: costs.loadedMib + streamsMib / apiProcesses,
    workers: Math.max(2, Math.ceil((creations * costs.payment) / BUSY) + 1),
    databaseCores: Math.max(1, Math.ceil(cpu('database') / BUSY)),
    diskGibAYear: (expensesAYear * costs.expenseKib) / 2 ** 20,
    expensesAYear,
  }
}
