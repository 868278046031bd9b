/** An organization with an expense in every situation that tasks cover. */
import { expect } from 'vitest'
import type { ExpenseState } from '#expenses/expense.machine.ts'
import { SYSTEM } from '#journal/actor.ts'
import { blockUnsentPayment } from '#payments/block-payment.ts'
import type { Answer, Person, TestApp } from '#test/support/app.ts'
import { expenseIn, readExpense } from '#test/support/expense-states.ts'
import { type ExpenseHouse, openExpenseHouse, termsOf } from '#test/support/expenses.ts'
import { runPaymentRequests } from '#test/support/payment-requests.ts'
import {
  addressesOf,
  joinSigner,
  prepareAs,
  type Signer,
  signAs,
  signWith,
  writePolicyVersion,
} from '#test/support/signing.ts'
import { membershipOf, revokeMember } from '#test/support/steps.ts'
import type { DryRun } from './dry-run.ts'

export type TaskHouse = ExpenseHouse & {
  /** The readers of tasks, by name. */
  people: Record<string, Person>
  signers: Signer[]
}

/** Several members could review and sign, so nobody has to for their own expense. */
export async function openCrowd(service: TestApp): Promise<TaskHouse> {
  const house = await openExpenseHouse(service)
  const managing = await joinSigner(service, house, { role: 'manager' })
  const employed = await joinSigner(service, house)
  const signers = [managing, employed]
  await writePolicyVersion(service, house, { approverAddresses: addressesOf(...signers) })
  const people = {
    owner: house.organization.owner,
    manager: house.manager,
    'signing manager': managing.person,
    employee: house.employee,
  }
  return { ...house, people, signers }
}

/** One owner who could review, one employee who could sign. */
export async function openFew(service: TestApp): Promise<TaskHouse> {
  const house = await openExpenseHouse(service)
  const signer = await joinSigner(service, house)
  await writePolicyVersion(service, house, { approverAddresses: addressesOf(signer) })
  const { owner } = house.organization
  const { membershipId } = await membershipOf(service, house.organization, house.manager)
  const revoked = await revokeMember(service, house.organization, membershipId)
  expect(revoked.status).toBe(200)
  const people = { owner, employee: house.employee, 'signing employee': signer.person }
  return { ...house, manager: owner, people, signers: [signer] }
}

const withoutMoney: ExpenseState[] = [
  'draft',
  'analysis_queued',
  'analyzing',
  'needs_review',
  'revision_requested',
  'awaiting_approval',
  'rejected',
  'cancelled',
  'blocked',
]

/** Writes what the engine would, on top of a released payment. */
const engine: Record<string, { expense: string; payment: string; changes: string }> = {
  'being sent': { expense: 'executing', payment: 'submitting', changes: '' },
  sent: { expense: 'executing', payment: 'broadcast', changes: ', has_open_attempt = true' },
  reconciling: {
    expense: 'reconciling',
    payment: 'reconciling',
    changes: ', has_open_attempt = true',
  },
  'blocked, perhaps paid': {
    expense: 'blocked',
    payment: 'blocked',
    changes: `, has_open_attempt = true, block_code = 'nodes_disagree'`,
  },
  'blocked, nonce used elsewhere': {
    expense: 'blocked',
    payment: 'blocked',
    changes: `, has_open_attempt = true, block_code = 'nonce_used_elsewhere'`,
  },
  failed: { expense: 'blocked', payment: 'failed', changes: `, block_code = 'proven_failed'` },
  paid: { expense: 'paid', payment: 'confirmed', changes: '' },
}

export type Placed = { situation: string; submitter: string; expense: Answer['body'] }

/** Needs a service with `PAYMENT_RELEASE=manual` whose rows its owner may change. */
export async function placeExpenses(
  service: TestApp,
  house: TaskHouse,
  submitter: string,
  { only }: { only?: readonly string[] } = {},
): Promise<Placed[]> {
  const person = house.people[submitter] as Person
  const placed: Placed[] = []
  const place = async (situation: string, make: () => Promise<{ id: string }>) => {
    if (only && !only.includes(situation)) return
    const { id } = await make()
    placed.push({ situation, submitter, expense: (await readExpense(service, house, id)).body })
  }
  const signed = () => signedExpense(service, house, person)
  for (const state of withoutMoney) {
    await place(state, () => expenseIn(service, house, state, { person }))
  }
  await place('signed', signed)
  await place('released', async () => release(service, house, await signed()))
  await place('blocked, to be released', async () => block(service, house, await signed()))
  for (const [situation, { expense: state, payment, changes }] of Object.entries(engine)) {
    await place(situation, async () => {
      const expense = await release(service, house, await signed())
      const code = state === 'blocked' ? `'of_a_payment'` : 'null'
      await service.database.asOwner(
        `update expenses set state = $2, block_code = ${code} where id = $1`,
        [expense.id, state],
      )
      await service.database.asOwner(`update payments set state = $2${changes} where id = $1`, [
        expense.paymentId,
        payment,
      ])
      return expense
    })
  }
  return placed
}

type Expense = Answer['body']

async function signedExpense(service: TestApp, house: TaskHouse, person: Person): Promise<Expense> {
  const expense = await expenseIn(service, house, 'awaiting_approval', { person })
  const others = house.signers.filter((signer) => signer.person !== person)
  const [signer = house.signers[0]] = others
  const { status } = await signAs(service, house, expense, signer as Signer)
  expect(status).toBe(202)
  return expense
}

async function release(service: TestApp, house: TaskHouse, expense: Expense): Promise<Expense> {
  const url = `${house.organization.path}/expenses/${expense.id}/payments`
  const { token } = house.organization.owner
  const { body } = await service.call('POST', url, { token, body: { expectedVersion: 1 } })
  expect(body.state).toBe('reserved')
  await runPaymentRequests(service, house.organization.id)
  const { body: after } = await service.call(
    'GET',
    `${house.organization.path}/payments/${body.id}`,
    { token },
  )
  expect(after.payment.state).toBe('queued')
  return expense
}

async function block({ ctx }: TestApp, house: TaskHouse, expense: Expense): Promise<Expense> {
  const { id: organizationId } = house.organization
  const { id: expenseId, paymentId } = expense
  const key = {
    organizationId,
    paymentId,
    expenseId,
    code: 'token_refused',
    actor: SYSTEM,
  } as const
  await ctx.db.transaction({ organizationId }, (tx) => blockUnsentPayment(ctx, tx, key))
  return expense
}

type Doing = { service: TestApp; dry: DryRun; house: TaskHouse; person: Person; expense: Expense }

const step = ({ dry, house, person }: Doing, path: string, body: object): Promise<Answer> => {
  const url = `${house.organization.path}/${path}`
  return dry.post(url, { token: person.token, body: { expectedVersion: 1, ...body } })
}

const review = (doing: Doing, action: string): Promise<Answer> =>
  step(doing, `expenses/${doing.expense.id}/review`, { action, reason: 'As agreed' })

/** Keeps a preparation, which changes only its author's task; everything else is rolled back. */
async function sign(doing: Doing): Promise<Answer> {
  const { service, house, person, expense } = doing
  const prepared = await prepareAs(service, house, expense, { person })
  const signer = house.signers.find((one) => one.person === person)
  if (prepared.status !== 200 || !signer) return prepared
  const signature = await signWith(signer.accounts[0], prepared.body)
  const { approvalId } = prepared.body
  return step(doing, `expenses/${expense.id}/approvals/submit-signature`, { approvalId, signature })
}

/** How each action is carried out. */
export const deeds: Record<string, (doing: Doing) => Promise<Answer>> = {
  review_report: (doing) => review(doing, 'advance_to_approval'),
  request_revision: (doing) => review(doing, 'request_revision'),
  revise_expense: (doing) =>
    step(doing, `expenses/${doing.expense.id}/revisions`, {
      ...termsOf(doing.house),
      reason: 'Corrected',
    }),
  prepare_approval: (doing) => step(doing, `expenses/${doing.expense.id}/approvals/prepare`, {}),
  sign_approval: sign,
  queue_payment: (doing) => step(doing, `expenses/${doing.expense.id}/payments`, {}),
  reconcile_payment: (doing) => step(doing, `payments/${doing.expense.paymentId}/reconcile`, {}),
}
