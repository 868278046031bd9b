/**
 * Furnishes an organization to look around in: fifteen people, their vaults, and expenses in every
 * state that lasts. Everything is done over the API, as people would, so every payment verifies.
 */
import { must, openOperatorSession } from './demo-client.ts'
import {
  furnishTreasury,
  gather,
  type House,
  residentOf,
  type Surroundings,
} from './furnish-house.ts'
import { openExpenses } from './furnish-open.ts'
import type { PlannedExpense } from './furnish-paid.ts'
import { paidExpenses } from './furnish-paid.ts'
import { BLACKLISTED, type ColleagueName } from './furnish-people.ts'
import {
  comment,
  type FiledExpense,
  file,
  review,
  revise,
  sign,
  stateOf,
  untilNone,
} from './furnish-steps.ts'

export type Progress = (chapter: string) => void

const REVIEWERS: readonly ColleagueName[] = ['Elena Petrova', 'Grace Lin', 'Samir Haddad']
const APPROVERS: readonly ColleagueName[] = ['Grace Lin', 'Samir Haddad', 'Tom Becker']

/** More at once would only wait for each other's locks. */
const FILED_AT_ONCE = 4

/** A few employees at a time, and each files theirs one after the other. */
async function fileAll(house: House): Promise<FiledExpense[]> {
  const numbered = [...paidExpenses, ...openExpenses].map((plan, at) => ({ plan, number: 11 + at }))
  const authors = [...new Set(numbered.map(({ plan }) => plan.by))]
  const filed: FiledExpense[] = []
  const work = async () => {
    for (let author = authors.shift(); author; author = authors.shift()) {
      for (const { plan, number } of numbered) {
        if (plan.by === author) filed.push(await file(house, plan, number))
      }
    }
  }
  await Promise.all(Array.from({ length: FILED_AT_ONCE }, work))
  await untilNone(house, ['analysis_queued', 'analyzing'], 'the analyses')
  return filed
}

/** Deals the work out, and everybody does theirs in turn. */
async function share(
  names: readonly ColleagueName[],
  work: readonly FiledExpense[],
  step: (filed: FiledExpense, name: ColleagueName, at: number) => Promise<void>,
): Promise<void> {
  await Promise.all(
    names.map(async (name, turn) => {
      for (const [at, filed] of work.entries()) {
        if (at % names.length === turn) await step(filed, name, at)
      }
    }),
  )
}

const verdicts = { revision_requested: 'request_revision', rejected: 'reject' } as const

/** Returns the expense as it then is; undefined if it needs no signature. */
async function judge(
  house: House,
  filed: FiledExpense,
  options: { name: ColleagueName; number: number },
): Promise<FiledExpense | undefined> {
  const { end } = filed.plan
  const by = residentOf(house, options.name)
  await comment(house, filed)
  const decide = (action: Parameters<typeof review>[2]['action'], reason: string, of = filed) =>
    review(house, of, { by, action, reason })
  if (end.state === 'revision_requested' || end.state === 'rejected') {
    await decide(verdicts[end.state], end.reason)
    return undefined
  }
  if (end.state === 'awaiting_approval' || end.state === 'blocked') {
    await decide('advance_to_approval', end.reason)
    return end.state === 'blocked' ? filed : undefined
  }
  if (end.state !== 'paid') return undefined
  if (end.mode === 'automatic') {
    // The service may be configured to pay less without a signature.
    if ((await stateOf(house, filed)) !== 'needs_review') return undefined
    await decide('advance_to_approval', 'Small and documented')
    return filed
  }
  if (end.mode === 'approved') {
    await decide('advance_to_approval', end.reason)
    return filed
  }
  await decide('request_revision', end.asked)
  const revised = await revise(house, filed, { answer: end.answer, number: options.number })
  await decide('advance_to_approval', end.reason, revised)
  return revised
}

async function reviewAll(house: House, filed: readonly FiledExpense[]): Promise<FiledExpense[]> {
  const toSign: FiledExpense[] = []
  await share(REVIEWERS, filed, async (one, name, at) => {
    const next = await judge(house, one, { name, number: 200 + at })
    if (next) toSign.push(next)
  })
  return toSign
}

const IN_PAYMENT = [
  'approved_ready_for_payment',
  'automatic_ready_for_payment',
  'executing',
  'reconciling',
] as const

async function payAll(house: House, toSign: readonly FiledExpense[]): Promise<void> {
  await house.blacklist(house.addresses[BLACKLISTED])
  await share(APPROVERS, toSign, (one, name) => sign(house, one, residentOf(house, name)))
  await untilNone(house, IN_PAYMENT, 'the payments')
}

const isBlocked = ({ end }: PlannedExpense): boolean => end.state === 'blocked'

/** Two cases: one that is being looked into, and one that is answered. */
async function askSupport(house: House, filed: readonly FiledExpense[]): Promise<void> {
  const { path, about, helper, operator } = house
  const { client } = residentOf(house, 'Samir Haddad').person
  const expense = filed.find(({ plan }) => isBlocked(plan))
  const first = must(
    await client.call('openSupportCase', {
      path,
      body: {
        subject: 'A payment was refused by the token contract',
        body: 'The vault has enough funds and the supplier is in our policy. What can we do?',
        priority: 2,
        ...(expense && { expenseId: expense.id }),
      },
    }),
  )
  const second = must(
    await residentOf(house, 'Ana Ruiz').person.client.call('openSupportCase', {
      path,
      body: {
        subject: 'Export for our accountant',
        body: 'Which format should our accountant use to import the payments?',
        priority: 3,
      },
    }),
  )
  const support = await openOperatorSession({ helper, api: about.api }, operator)
  const answer = async (caseId: string, status: 'investigating' | 'resolved', body: string) =>
    must(
      await support.call('addSupportNote', {
        path: { caseId },
        body: { status, visibleToCustomer: true, body },
      }),
    )
  await answer(
    first.id,
    'investigating',
    "The issuer of the token has put the supplier's address on its blacklist, so nothing was " +
      'paid. Ask the supplier for another address; we are checking whether others are affected.',
  )
  const thanks = 'Thank you. We have asked them, and will send the answer here.'
  const own = { ...path, caseId: first.id }
  must(await client.call('addSupportMessage', { path: own, body: { body: thanks } }))
  await answer(
    second.id,
    'resolved',
    'Payments can be exported for common accounting programs from the page Activity.',
  )
}

export async function furnish(surroundings: Surroundings, report: Progress): Promise<House> {
  report('Fifteen people join the organization')
  const gathered = await gather(surroundings)
  report('Two vaults with policies, fourteen recipients')
  const house = await furnishTreasury(gathered)
  report('Employees file expenses with receipts')
  const filed = await fileAll(house)
  report('Managers review and comment')
  const toSign = await reviewAll(house, filed)
  report('Approvers sign, and the vaults pay')
  await payAll(house, toSign)
  report('Support answers a question')
  await askSupport(house, filed)
  return house
}
