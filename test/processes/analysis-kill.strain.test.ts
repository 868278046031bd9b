/** A worker dies by kill -9 at any point of a run: another worker completes it with one report. */
import pg from 'pg'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { enqueue } from '#platform/jobs/jobs.ts'
import { letTimePass } from '#test/processes/dead-workers.ts'
import { production } from '#test/processes/environment.ts'
import { cleanUp, onCleanUp, type Running, runScript } from '#test/processes/processes.ts'
import { startTestApp, type TestApp } from '#test/support/app.ts'
import {
  findRunRow,
  type Submitted,
  storedExpense,
  submitNew,
} from '#test/support/expense-model.ts'
import { type ExpenseHouse, openExpenseHouse } from '#test/support/expenses.ts'
import { auditTrail, liftOwnersRowSecurity } from '#test/support/steps.ts'
import { type PatientModel, startPatientModel } from './patient-model.ts'

vi.setConfig({ testTimeout: 90_000, hookTimeout: 90_000 })

/** Where the worker is when it is killed, and how many attempts its run needs in the end. */
const points = {
  'before it has the run': { tries: 1 },
  'while the model is asked': { tries: 2 },
  'before it locks the expense again': { tries: 2 },
  'before it locks the vault': { tries: 2 },
  'before it writes the report': { tries: 2 },
  'with the report written': { tries: 2 },
  // The answer is lost, and the database completes the commit by itself.
  'in the commit': { tries: 1 },
}
type Point = keyof typeof points
const allPoints = Object.keys(points) as Point[]
const [untaken = 'before it has the run', ...taken] = allPoints

/** Each of these waits in a trigger until its lock number is free. */
const gates: Partial<Record<Point, number>> = {
  'before it writes the report': 71,
  'with the report written': 72,
  'in the commit': 73,
}

type Case = Submitted & { house: ExpenseHouse }

let service: TestApp
let model: PatientModel
let holder: pg.Client
const cases = new Map<Point, Case>()

const caseAt = (point: Point): Case => {
  const found = cases.get(point)
  if (!found) throw new Error(`Nothing was submitted for ${point}`)
  return found
}

beforeAll(async () => {
  service = await startTestApp()
  onCleanUp(() => service.stop())
  const { database } = service
  await liftOwnersRowSecurity(database)
  model = await startPatientModel()
  onCleanUp(() => model.stop())
  const options = '-c search_path=countersign'
  holder = new pg.Client({ connectionString: database.url, options })
  await holder.connect()
  onCleanUp(() => holder.end())
  await database.asOwner(`
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

/** The purpose tells the model which case is asking. */
async function submit(point: Point): Promise<void> {
  const house = await openExpenseHouse(service)
  const purpose = `Translation of the chapter "${point}", as offered in May`
  const submitted = await submitNew(service, house, { purpose })
  cases.set(point, { ...submitted, house })
  const { database } = service
  const gate = gates[point]
  if (gate === undefined) return
  await database.asOwner('insert into public.gates values ($1, $2)', [submitted.expenseId, gate])
}

async function startWorker(): Promise<Running> {
  const worker = runScript('src/worker.ts', {
    ...production(service.database.url),
    NODE_ENV: 'development',
    ANALYST_URL: model.url,
    ANALYST_MODEL: 'emulated',
    ANALYST_TIMEOUT_MS: '60000',
  })
  await worker.says(/"msg":"worker running"/)
  return worker
}

/** The number of the service's connections that wait for a lock. */
async function waiting(): Promise<number> {
  const rows = await service.database.asOwner(`
    select from pg_stat_activity where datname = current_database()
      and application_name = 'countersign' and wait_event_type = 'Lock'`)
  return rows.length
}

async function shutTheWay(): Promise<void> {
  const lockExpense = 'select from expenses where id = $1 for update'
  await holder.query('begin')
  await holder.query(lockExpense, [caseAt(untaken).expenseId])
  await holder.query(lockExpense, [caseAt('before it locks the expense again').expenseId])
  const { vaultId } = caseAt('before it locks the vault').house
  await holder.query('select from vaults where id = $1 for update', [vaultId])
  for (const gate of Object.values(gates)) {
    await holder.query('select pg_advisory_xact_lock($1)', [gate])
  }
}

const enqueueAgain = ({ house, runId }: Case) => {
  const organizationId = house.organization.id
  return service.ctx.db.transaction({ organizationId }, (tx) =>
    enqueue(tx, 'analyze_expense', { organizationId, runId }),
  )
}

/** Everything that a finished run leaves behind. */
async function outcomeAt(point: Point) {
  const { house, runId, expenseId } = caseAt(point)
  const { database } = service
  const trail = await auditTrail(database, house.organization.id)
  const { state, attempts } = await findRunRow(database, runId)
  const expense = await storedExpense(database, house, { expenseId })
  return {
    point,
    expense: expense?.state,
    reports: expense?.reports,
    run: state,
    tries: attempts,
    said: trail.filter(({ action }) => /succeeded|flag|clear|fail/.test(action)).length,
  }
}

test('a worker killed at seven points at once leaves seven runs, each reported once', async () => {
  // Its job must come last: the queued one is removed for a while.
  await submit(untaken)
  await service.database.asOwner(
    'select graphile_worker.complete_jobs(array_agg(id)) from graphile_worker.jobs',
  )
  for (const point of taken) await submit(point)
  const doomed = await startWorker()
  await expect.poll(() => taken.filter((point) => model.isAskedOf(point))).toEqual(taken)
  await shutTheWay()
  for (const point of taken) if (point !== 'while the model is asked') model.answer(point)
  await enqueueAgain(caseAt(untaken))
  await expect.poll(waiting).toBe(allPoints.length - 1)

  doomed.kill('SIGKILL')
  await doomed.ended
  for (const point of taken) expect((await outcomeAt(point)).reports).toBe(0)
  await holder.query('rollback')
  model.answerAtOnce()
  await startWorker()
  await letTimePass(service.database)
  const expected = allPoints.map((point) => ({
    point,
    expense: 'needs_review',
    reports: 1,
    run: 'succeeded',
    tries: points[point].tries,
    said: 2,
  }))
  const outcomes = () => Promise.all(allPoints.map(outcomeAt))
  await expect.poll(outcomes, { timeout: 45_000, interval: 500 }).toEqual(expected)
})
