/** Applies the same acts to the service and to the reference model. */
import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import { AppError, errorStatus } from '#platform/errors.ts'
import type { Answer, TestApp } from '#test/support/app.ts'
import {
  brokenAnalyst,
  leave,
  moveByEngine,
  openWorld,
  tryRunWith,
  type World,
} from '#test/support/expense-model.ts'
import { auditTrail, freshKey, outcome } from '#test/support/steps.ts'
import { type Act, nameOf, paymentEventFor, pick, termsFor } from './expense-acts.ts'
import * as reference from './expense-reference.ts'

/** The service beside the model. */
export type Bench = {
  service: TestApp
  world: World
  model: reference.Model
  /** By the model's numbers. */
  expenseIds: string[]
  runIds: string[]
  seqs: Record<reference.Home, number>
}

export const homes = ['main', 'sole'] as const

export async function openBench(service: TestApp): Promise<Bench> {
  const world = await openWorld(service)
  const seqs = { main: 0, sole: 0 }
  for (const home of homes) {
    seqs[home] = (await auditTrail(service.database, world[home].organization.id)).length
  }
  const model = reference.emptyModel()
  return { service, world, model, expenseIds: [], runIds: [], seqs }
}

const other = (home: reference.Home): reference.Home => (home === 'main' ? 'sole' : 'main')

const ask = (
  { service, world }: Bench,
  method: string,
  {
    home,
    actor,
    path,
    body,
  }: { home: reference.Home; actor: reference.Name; path: string; body?: unknown },
): Promise<Answer> =>
  service.call(method, `${world[home].organization.path}/${path}`, {
    token: world.people[actor].token,
    ...(body !== undefined && { body }),
    ...(path === 'expenses' && method === 'POST' && { headers: freshKey() }),
  })

async function createOne(bench: Bench, doing: Extract<Act, { do: 'create' }>): Promise<string[]> {
  const { home, who: actor, mode, amount } = doing
  const { model, world } = bench
  const terms = { mode, amount, number: model.expenses.length }
  const body = termsFor(world[home], terms)
  const answer = await ask(bench, 'POST', { home, actor, path: 'expenses', body })
  const expected = reference.create(model, { home, actor, mode })
  if (answer.status === 201) bench.expenseIds.push(answer.body.id)
  return [outcome(answer), expected]
}

type OnOne = Extract<Act, { isAtHome: boolean }>

/**
 * Asks the service, then the model; returns both outcomes and an answer that must show the expense.
 */
async function doToOne(bench: Bench, doing: OnOne): Promise<string[]> {
  const { model, world, expenseIds } = bench
  const expense = pick(model.expenses, doing.which)
  const ownHome = expense?.home ?? 'main'
  const home = doing.isAtHome ? ownHome : other(ownHome)
  const actor = nameOf(doing.who, expense)
  const target = { home, actor, expense }
  const id = expense === undefined ? randomUUID() : (expenseIds[expense.number] ?? '')
  const to = (step: string, body: unknown) =>
    ask(bench, 'POST', { home, actor, path: `expenses/${id}/${step}`, body })
  if (doing.do === 'comment') {
    const answer = await to('comments', { body: 'Which chapter is it?' })
    return [outcome(answer), reference.comment(model, target), ...shown(bench, expense, answer)]
  }
  if (doing.do === 'read') {
    const answer = await ask(bench, 'GET', { home, actor, path: `expenses/${id}` })
    return [outcome(answer), reference.read(model, target), ...shown(bench, expense, answer)]
  }
  if (doing.do === 'read report') return readReport(bench, target)

  const seen = expense?.revision ?? 1
  const expectedVersion = seen + doing.versionOff < 1 ? seen + 1 : seen + doing.versionOff
  const versioned = { ...target, expectedVersion }
  if (doing.do === 'cancel') {
    const answer = await to('cancel', { expectedVersion })
    return [outcome(answer), reference.cancel(model, versioned), ...shown(bench, expense, answer)]
  }
  if (doing.do === 'submit') {
    const answer = await to('submit', { expectedVersion })
    const expected = reference.submit(model, versioned)
    const run = expense && reference.openRun(expense)
    if (answer.status !== 202 || run === undefined) return [outcome(answer), expected]
    bench.runIds[run.number] ??= answer.body.taskId
    return [`202 ${answer.body.taskId}`, `${expected} ${bench.runIds[run.number]}`]
  }
  if (doing.do === 'review') {
    const { action } = doing
    const answer = await to('review', { expectedVersion, action, reason: 'As we agreed.' })
    const expected = reference.review(model, { ...versioned, action })
    return [outcome(answer), expected, ...shown(bench, expense, answer)]
  }
  const { mode, amount, which: number } = doing
  const terms = termsFor(world[ownHome], { mode, amount, number })
  const answer = await to('revisions', { ...terms, expectedVersion, reason: 'Another amount.' })
  const expected = reference.revise(model, { ...versioned, mode })
  return [outcome(answer), expected, ...shown(bench, expense, answer)]
}

/** Expects an expense in the answer to equal the model's. */
function shown(
  bench: Bench,
  expense: reference.ModelExpense | undefined,
  { status, body }: Answer,
): string[] {
  if (status >= 400 || expense === undefined) return []
  const { state, blockCode, revision, hasReport, comments, mode, submitter } = expense
  expect(body).toMatchObject({
    id: bench.expenseIds[expense.number],
    state,
    blockCode,
    currentRevision: revision,
    currentReportId: hasReport ? expect.any(String) : null,
    submitterAccountId: bench.world.people[submitter].accountId,
    revision: { revision, requestedMode: mode },
  })
  expect(body.revisions.length).toBe(revision)
  expect(body.comments.length).toBe(comments)
  return []
}

async function readReport(bench: Bench, target: reference.Target): Promise<string[]> {
  const { expense, home, actor } = target
  const reportId = expense?.hasReport ? await reportIdOf(bench, expense) : randomUUID()
  const answer = await ask(bench, 'GET', { home, actor, path: `reports/${reportId}` })
  const aim = expense?.hasReport ? target : { ...target, expense: undefined }
  return [outcome(answer), reference.read(bench.model, aim)]
}

/** As somebody who may see everything there. */
async function reportIdOf(bench: Bench, expense: reference.ModelExpense): Promise<string> {
  const { home, number } = expense
  const actor = home === 'main' ? 'owner' : 'sole'
  const path = `expenses/${bench.expenseIds[number]}`
  return (await ask(bench, 'GET', { home, actor, path })).body.currentReportId
}

type Analysis = Extract<Act, { do: 'analyse' | 'fail once' | 'fail for good' }>

async function analyse(bench: Bench, { do: how, which }: Analysis): Promise<void> {
  const { model, world, runIds } = bench
  const expense = pick(model.expenses, which)
  const run = expense?.runs.at(-1)
  if (expense === undefined || run === undefined) return
  const organizationId = world[expense.home].organization.id
  const job = { organizationId, runId: runIds[run.number] ?? '' }
  if (how === 'analyse') {
    const isOpen = reference.openRun(expense) !== undefined
    await tryRunWith(bench.service.ctx, undefined, job)
    const reportId = await reportIdOf(bench, expense)
    reference.tryRun(model, expense, isOpen ? await isClean(bench, expense, reportId) : undefined)
    return
  }
  for (let tries = 0; tries < (how === 'fail once' ? 1 : reference.TRIES); tries += 1) {
    await tryRunWith(bench.service.ctx, brokenAnalyst, job)
    reference.tryRun(model, expense, undefined)
  }
}

type Check = { outcome: string }

/** As the decisions define it: the policy fits, and no check warns or fails. */
async function isClean(bench: Bench, expense: reference.ModelExpense, reportId: string) {
  const { home } = expense
  const actor = home === 'main' ? 'owner' : 'sole'
  const { body } = await ask(bench, 'GET', { home, actor, path: `reports/${reportId}` })
  expect(body).toMatchObject({
    expenseId: bench.expenseIds[expense.number],
    expenseRevision: expense.revision,
    version: expense.reports + 1,
    runId: bench.runIds[expense.runs.at(-1)?.number ?? -1],
  })
  return body.output.policy.fits && body.output.checks.every((one: Check) => one.outcome === 'pass')
}

async function pay(bench: Bench, doing: Extract<Act, { do: 'pay' }>): Promise<string[]> {
  const expense = pick(bench.model.expenses, doing.which)
  // Without an analysis there is no payment.
  if (expense === undefined || expense.blockCode === 'analysis_failed') return []
  const event = paymentEventFor(doing, expense)
  const organizationId = bench.world[expense.home].organization.id
  const expenseId = bench.expenseIds[expense.number] ?? ''
  const done = await moveByEngine(bench.service, { organizationId, expenseId, event }).then(
    () => '200',
    (error) => {
      if (!(error instanceof AppError)) throw error
      return `${errorStatus(error.code)} ${error.code}`
    },
  )
  return [done, reference.pay(bench.model, expense, event)]
}

async function list(bench: Bench, { home, who: actor }: Extract<Act, { do: 'list' }>) {
  const answer = await ask(bench, 'GET', { home, actor, path: 'expenses' })
  const expected = reference.list(bench.model, { home, actor })
  const ids = expected?.map(({ number }) => bench.expenseIds[number])
  const listed = answer.body.expenses?.map(({ id }: { id: string }) => id)
  expect(listed).toEqual(ids)
  return [outcome(answer), expected === undefined ? '403 forbidden' : '200']
}

/** The service's answer and the model's, where there is something to compare. */
export async function perform(bench: Bench, doing: Act): Promise<string[]> {
  if (doing.do === 'create') return createOne(bench, doing)
  if (doing.do === 'list') return list(bench, doing)
  if (doing.do === 'pay') return pay(bench, doing)
  if (doing.do === 'leave') {
    const { service, model, world } = bench
    if (!model.left.has(doing.who)) await leave(service, world.main, world.people[doing.who])
    model.left.add(doing.who)
    return []
  }
  if ('isAtHome' in doing) return doToOne(bench, doing)
  await analyse(bench, doing)
  return []
}
