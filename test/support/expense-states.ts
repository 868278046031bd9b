/** Brings an expense into any state, and recomputes its hashes. */
import sql from 'sql-template-tag'
import { type Hex, keccak256, toBytes } from 'viem'
import { expect } from 'vitest'
import { type AgentRun, findOpenRun } from '#analysis/analysis.store.ts'
import { moveRun } from '#analysis/move-run.ts'
import { TRIES_MAX } from '#analysis/run-analysis.ts'
import type { ExpenseEvent, ExpenseState } from '#expenses/expense.machine.ts'
import { lockExpense } from '#expenses/expenses.store.ts'
import { moveExpense } from '#expenses/move-expense.ts'
import { SYSTEM } from '#journal/actor.ts'
import type { Answer, Person, TestApp } from './app.ts'
import { analyse, createExpense, type ExpenseHouse, takeStep, termsOf } from './expenses.ts'

/** RFC 8785 for strings, integers, booleans and null. */
function jcs(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(jcs).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${entries.map(([key, part]) => `${JSON.stringify(key)}:${jcs(part)}`).join(',')}}`
}

export const hashOf = (value: unknown): Hex => keccak256(toBytes(jcs(value)))

/** From what the caller is shown, and the vault that the caller knows. */
export function versionHashOf(
  { ctx }: Pick<TestApp, 'ctx'>,
  { vaultAddress }: Pick<ExpenseHouse, 'vaultAddress'>,
  { id, organizationId, revision }: Answer['body'],
): Hex {
  const { attachments, category, reference, dueDate } = revision
  const hashes = attachments.map(({ sha256 }: { sha256: string }) => sha256)
  const isPlain = hashes.length === 0 && (category ?? reference ?? dueDate) === null
  const details = { attachments: hashes.length === 0 ? null : hashes, category, reference, dueDate }
  return hashOf({
    v: isPlain ? 1 : 2,
    organizationId,
    expenseId: id,
    revision: revision.revision,
    vaultId: revision.vaultId,
    vaultAddress: vaultAddress.toLowerCase(),
    chainId: ctx.chain.chainId,
    token: ctx.chain.tokenAddress.toLowerCase(),
    recipientAddress: revision.recipientAddress.toLowerCase(),
    amountBaseUnits: revision.amountBaseUnits,
    requestedMode: revision.requestedMode,
    purposeHash: keccak256(toBytes(revision.purpose)),
    ...(isPlain ? {} : details),
  })
}

type Service = Pick<TestApp, 'call' | 'ctx'>

export const readExpense = (
  { call }: Pick<TestApp, 'call'>,
  { organization }: ExpenseHouse,
  id: string,
  token = organization.owner.token,
): Promise<Answer> => call('GET', `${organization.path}/expenses/${id}`, { token })

export const readReport = (
  { call }: Pick<TestApp, 'call'>,
  { organization }: ExpenseHouse,
  id: string,
  token = organization.owner.token,
): Promise<Answer> => call('GET', `${organization.path}/reports/${id}`, { token })

type Step = { id: string; person?: Person; expectedVersion?: number }

export const submit = (
  service: Service,
  house: ExpenseHouse,
  { id, person = house.employee, expectedVersion = 1 }: Step,
): Promise<Answer> =>
  takeStep(service, house, { id, step: 'submit', person, body: { expectedVersion } })

export const review = (
  service: Service,
  house: ExpenseHouse,
  {
    id,
    person = house.manager,
    expectedVersion = 1,
    action = 'advance_to_approval',
    reason = 'As agreed',
  }: Step & { action?: string; reason?: string },
): Promise<Answer> =>
  takeStep(service, house, {
    id,
    step: 'review',
    person,
    body: { expectedVersion, action, reason },
  })

export const revise = (
  service: Service,
  house: ExpenseHouse,
  {
    id,
    person = house.employee,
    expectedVersion = 1,
    terms = {},
  }: Step & { terms?: Record<string, unknown> },
): Promise<Answer> =>
  takeStep(service, house, {
    id,
    step: 'revisions',
    person,
    body: { ...termsOf(house), expectedVersion, reason: 'Corrected', ...terms },
  })

export const cancel = (
  service: Service,
  house: ExpenseHouse,
  { id, person = house.employee, expectedVersion = 1 }: Step,
): Promise<Answer> =>
  takeStep(service, house, { id, step: 'cancel', person, body: { expectedVersion } })

export const comment = (
  service: Service,
  house: ExpenseHouse,
  { id, person = house.employee, body = 'Where is the invoice?' }: Step & { body?: string },
): Promise<Answer> => takeStep(service, house, { id, step: 'comments', person, body: { body } })

/** What the payment engine or a worker does to an expense. */
export async function moveBySystem(
  { ctx }: Service,
  { organization: { id: organizationId } }: ExpenseHouse,
  { id: expenseId, event }: { id: string; event: ExpenseEvent },
): Promise<void> {
  await ctx.db.transaction({ organizationId }, async (tx) => {
    const expense = await lockExpense(tx, { organizationId, expenseId })
    if (!expense) throw new Error(`There is no expense ${expenseId}`)
    await moveExpense(ctx, tx, { expense, event, actor: SYSTEM, blockCode: 'token_refused' })
  })
}

/** The state before each state, and the step between. */
const ways: Record<Exclude<ExpenseState, 'draft'>, [from: ExpenseState, by: string]> = {
  analysis_queued: ['draft', 'submit'],
  analyzing: ['analysis_queued', 'run:start'],
  needs_review: ['analysis_queued', 'analyse'],
  blocked: ['analysis_queued', 'fail'],
  revision_requested: ['needs_review', 'review:request_revision'],
  awaiting_approval: ['needs_review', 'review:advance_to_approval'],
  rejected: ['needs_review', 'review:reject'],
  cancelled: ['draft', 'cancel'],
  approved_ready_for_payment: ['awaiting_approval', 'approve'],
  automatic_ready_for_payment: ['analyzing', 'run:succeed'],
  executing: ['approved_ready_for_payment', 'payment_submitting'],
  reconciling: ['executing', 'payment_lost'],
  paid: ['executing', 'payment_confirmed'],
}

export const expenseStates: ExpenseState[] = ['draft', ...(Object.keys(ways) as ExpenseState[])]

/** A new expense of the employee, or of the given person, in that state. */
export async function expenseIn(
  service: TestApp,
  house: ExpenseHouse,
  state: ExpenseState,
  { person = house.employee, terms = {} }: { person?: Person; terms?: object } = {},
): Promise<Answer['body']> {
  const made = await createExpense(service, house, { person, terms: { ...terms } })
  expect(made.status).toBe(201)
  await leadTo(service, house, { id: made.body.id, state, person })
  const { body } = await readExpense(service, house, made.body.id)
  expect(body.state).toBe(state)
  return body
}

async function leadTo(
  service: TestApp,
  house: ExpenseHouse,
  { id, state, person }: { id: string; state: ExpenseState; person: Person },
): Promise<void> {
  if (state === 'draft') return
  const [from, by] = ways[state]
  await leadTo(service, house, { id, state: from, person })
  if (by === 'submit') expect((await submit(service, house, { id, person })).status).toBe(202)
  else if (by === 'cancel') expect((await cancel(service, house, { id, person })).status).toBe(200)
  else if (by === 'analyse') await analyseOpenRun(service, house, id)
  else if (by === 'fail') await failAnalysis(service, house, id)
  else if (by.startsWith('review:')) {
    const action = by.slice('review:'.length)
    expect((await review(service, house, { id, action })).status).toBe(200)
  } else if (by === 'run:start' || by === 'run:succeed') {
    const isStart = by === 'run:start'
    await moveOpenRun(service, house, { id, event: isStart ? 'start' : 'succeed' })
    await moveBySystem(service, house, { id, event: isStart ? 'start_analysis' : 'clear' })
  } else await moveBySystem(service, house, { id, event: by as ExpenseEvent })
}

async function openRunOf(
  { ctx }: Service,
  { organization: { id: organizationId } }: ExpenseHouse,
  expenseId: string,
): Promise<AgentRun> {
  const run = await ctx.db.transaction({ organizationId }, (tx) =>
    findOpenRun(tx, { organizationId, expenseId }),
  )
  if (!run) throw new Error(`Expense ${expenseId} is not being analysed`)
  return run
}

/** Without a report, where only the state matters. */
async function moveOpenRun(
  service: Service,
  house: ExpenseHouse,
  { id, event }: { id: string; event: 'start' | 'succeed' },
): Promise<void> {
  const run = await openRunOf(service, house, id)
  const { organizationId } = run
  await service.ctx.db.transaction({ organizationId }, (tx) =>
    moveRun(service.ctx, tx, { run, event }),
  )
}

export async function analyseOpenRun(
  service: Service,
  house: ExpenseHouse,
  expenseId: string,
): Promise<void> {
  const { id } = await openRunOf(service, house, expenseId)
  await analyse(service, house, id)
}

/** Spends all attempts, so that the next worker fails the run. */
export async function failAnalysis(
  service: Service,
  house: ExpenseHouse,
  expenseId: string,
): Promise<void> {
  const { id: runId, state } = await openRunOf(service, house, expenseId)
  const { id: organizationId } = house.organization
  if (state === 'queued') {
    await moveOpenRun(service, house, { id: expenseId, event: 'start' })
    await moveBySystem(service, house, { id: expenseId, event: 'start_analysis' })
  }
  await service.ctx.db.transaction({ organizationId }, (tx) =>
    tx.query(sql`update agent_runs set attempts = ${TRIES_MAX} where id = ${runId}`),
  )
  await analyse(service, house, runId)
}
