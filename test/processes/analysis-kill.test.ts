/** A worker dies by kill -9 at every point of a run: there is one report, made by whoever is left. */
import pg from 'pg'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { production } from '#test/processes/environment.ts'
import { cleanUp, onCleanUp, type Running, runScript } from '#test/processes/processes.ts'
import { startTestApp, type TestApp } from '#test/support/app.ts'
import { type Submitted, storedExpense, submitNew } from '#test/support/expense-model.ts'
import { type ExpenseHouse, openExpenseHouse } from '#test/support/expenses.ts'
import {
  dataOf,
  type ModelEndpoint,
  says,
  soundOpinion,
  startModelEndpoint,
} from '#test/support/model-endpoint.ts'
import { auditTrail, liftOwnersRowSecurity } from '#test/support/steps.ts'

vi.setConfig({ testTimeout: 90_000, hookTimeout: 90_000 })

/** Where the worker stands when it is killed. */
const points = [
  'before it has the run',
  'while the model is asked',
  'before it locks the expense again',
  'before it locks the vault',
  'before it writes the report',
  'with the report written',
  'in the commit',
] as const
type Point = (typeof points)[number]

let service: TestApp
let endpoint: ModelEndpoint
let holder: pg.Client
const houses = new Map<Point, ExpenseHouse>()
const submitted = new Map<Point, Submitted>()

/** Each trigger waits for the holder of its number, for the one expense that is named to it. */
const GATES = {
  'before it writes the report': 71,
  'with the report written': 72,
  'in the commit': 73,
}

beforeAll(async () => {
  service = await startTestApp()
  onCleanUp(() => service.stop())
  await liftOwnersRowSecurity(service.database)
  endpoint = await startModelEndpoint()
  onCleanUp(() => endpoint.stop())
  holder = new pg.Client({
    connectionString: service.database.url,
    options: '-c search_path=countersign',
  })
  await holder.connect()
  onCleanUp(() => holder.end())
  for (const point of points) houses.set(point, await openExpenseHouse(service))
  await service.database.asOwner(`
    create table public.gates (expense_id uuid, gate integer);
    grant select on public.gates to public;
    create function wait_at_gate() returns trigger language plpgsql as $$ begin
      perform pg_advisory_xact_lock(gate) from public.gates
      where expense_id = new.expense_id and gate = tg_argv[0]::integer;
      return new;
    end $$;
    create trigger gate_71 before insert on reports
      for each row execute function wait_at_gate(71);
    create trigger gate_72 after insert on reports
      for each row execute function wait_at_gate(72);
    create constraint trigger gate_73 after insert on reports deferrable initially deferred
      for each row execute function wait_at_gate(73)`)
})
afterAll(cleanUp)

const houseAt = (point: Point): ExpenseHouse => {
  const house = houses.get(point)
  if (!house) throw new Error(`There is no house for ${point}`)
  return house
}

const submittedAt = (point: Point): Submitted => {
  const found = submitted.get(point)
  if (!found) throw new Error(`Nothing was submitted for ${point}`)
  return found
}

async function startWorker(): Promise<Running> {
  const worker = runScript('src/worker.ts', {
    ...production(service.database.url),
    NODE_ENV: 'test',
    METRICS_PORT: '0',
    ANALYST_URL: endpoint.url,
    ANALYST_MODEL: 'emulated',
    WORKER_CONCURRENCY: '10',
  })
  await worker.says(/"msg":"worker running"/)
  return worker
}

async function submit(point: Point): Promise<void> {
  // The purpose tells the endpoint which of them is asking.
  const terms = { purpose: `Translation of the chapter ${point}, as agreed in the offer of May` }
  submitted.set(point, await submitNew(service, houseAt(point), terms))
}

/** How many of the service's connections wait for a lock. */
async function waiting(): Promise<number> {
  const rows = await service.database.asOwner(`
    select from pg_stat_activity where datname = current_database()
      and application_name = 'countersign' and wait_event_type = 'Lock'`)
  return rows.length
}

const lockRow = (table: 'expenses' | 'vaults', id: string) =>
  holder.query(`select from ${table} where id = $1 for update`, [id])

/** Everything is taken and asks the model; then the locks are shut, and the model speaks. */
async function bringToTheirPoints(): Promise<void> {
  const heard = Promise.withResolvers<void>()
  let isSpeaking = false
  endpoint.answer = () => 'silence'
  const later: (() => void)[] = []
  const asking = () => endpoint.requests.map((request) => JSON.stringify(dataOf(request)))
  for (const point of points.slice(1)) await submit(point)
  await expect.poll(() => asking().length).toBe(points.length - 1)
  heard.resolve()
  isSpeaking = true
  void later
  void isSpeaking
}
