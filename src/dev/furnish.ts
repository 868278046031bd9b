/**
 * Furnishes an organization to look around in: fifteen people, their vaults, and four months of
 * expenses in every state that lasts. Everything is done over the API, as people would, so every
 * payment verifies.
 */
import { addSeconds, systemClock } from '#platform/clock.ts'
import { must, openOperatorSession } from './demo-client.ts'
import { type Round, roundsOf, vaultsOpen } from './furnish-calendar.ts'
import { gather, type House, residentOf } from './furnish-house.ts'
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
import { placesOf, type Surroundings } from './furnish-surroundings.ts'
import { changeTreasury, furnishTreasury } from './furnish-treasury.ts'

export type Progress = (chapter: string) => void

const REVIEWERS: readonly ColleagueName[] = ['Elena Petrova', 'Grace Lin', 'Samir Haddad']
const APPROVERS: readonly ColleagueName[] = ['Grace Lin', 'Samir Haddad', 'Tom Becker']

const MINUTE = 60

/** More at once would only wait for each other's locks. */
const FILED_AT_ONCE = 4

const IN_ANALYSIS = ['analysis_queued', 'analyzing'] as const
const IN_PAYMENT = [
  'approved_ready_for_payment',
  'automatic_ready_for_payment',
  'executing',
  'reconciling',
] as const

type Numbered = { plan: PlannedExpense; number: number }

/** A few employees at a time, and each files theirs one after the other. */
async function fileAll(house: House, numbered: readonly Numbered[]): Promise<FiledExpense[]> {
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
  if (end.state === 'awaiting_approval') {
    await decide('advance_to_approval', end.reason)
    return undefined
  }
  if (end.state === 'partly_signed' || end.state === 'blocked') {
    await decide('advance_to_approval', end.reason)
    return filed
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

/** A colleague signs too, where the amount needs two. */
const signAll = (house: House, toSign: readonly FiledExpense[]): Promise<void> =>
  share(APPROVERS, toSign, async (one, name) => {
    const missing = await sign(house, one, residentOf(house, name))
    const colleague = APPROVERS.find((other) => other !== name)
    if (missing === 0 || one.plan.end.state === 'partly_signed' || !colleague) return
    await sign(house, one, residentOf(house, colleague))
  })

const isBlocked = ({ end }: PlannedExpense): boolean => end.state === 'blocked'

/** Two cases: one that is being looked into, and one that is answered. */
async function askSupport(house: House, filed: readonly FiledExpense[], now: Date): Promise<void> {
  const { path, operator, calendar } = house
  await calendar?.moveTo(addSeconds(now, -50 * MINUTE))
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
  await calendar?.moveTo(addSeconds(now, -20 * MINUTE))
  const support = await openOperatorSession(placesOf(house), operator)
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

const planned: readonly Numbered[] = [...paidExpenses, ...openExpenses].map((plan, at) => ({
  plan,
  number: 11 + at,
}))

const isSmall = ({ plan: { end } }: Numbered): boolean =>
  end.state === 'paid' && end.mode === 'automatic'

/** Filed in the morning, reviewed at noon, signed in the afternoon; small ones are filed then. */
async function work(
  house: House,
  { filed, reviewed, signed, plans }: Round<Numbered>,
): Promise<FiledExpense[]> {
  const { calendar } = house
  await calendar?.moveTo(filed)
  const large = await fileAll(
    house,
    plans.filter((one) => !isSmall(one)),
  )
  await untilNone(house, IN_ANALYSIS, 'the analyses')
  await calendar?.moveTo(reviewed)
  const toSign = await reviewAll(house, large)
  await calendar?.moveTo(signed)
  const [small] = await Promise.all([fileAll(house, plans.filter(isSmall)), signAll(house, toSign)])
  // Time must not move on while something is being paid.
  await untilNone(house, [...IN_ANALYSIS, ...IN_PAYMENT], 'the payments')
  await signAll(house, await reviewAll(house, small))
  await untilNone(house, IN_PAYMENT, 'the payments')
  return [...large, ...small]
}

/** One day after the other. Without a calendar, all of it is done at once. */
async function workAll(house: House, now: Date, report: Progress): Promise<FiledExpense[]> {
  const days = roundsOf(now, planned)
  const once = { filed: now, reviewed: now, signed: now, plans: planned }
  const done: FiledExpense[] = []
  let day = ''
  for (const round of house.calendar ? days : [once]) {
    const filed = round.filed.toISOString().slice(0, 10)
    if (filed !== day) report(`The expenses of ${filed}`)
    day = filed
    done.push(...(await work(house, round)))
  }
  return done
}

export async function furnish(surroundings: Surroundings, report: Progress): Promise<House> {
  const now = systemClock.now()
  const { calendar } = surroundings
  report('Fifteen people join the organization')
  const gathered = await gather(surroundings)
  await calendar?.moveTo(vaultsOpen(now))
  report('Two vaults with policies, fourteen recipients')
  const house = await furnishTreasury(gathered)
  await house.blacklist(house.addresses[BLACKLISTED])
  report('Employees file expenses, managers review them, approvers sign, vaults pay')
  const filed = await workAll(house, now, report)
  report('A new policy waits, and a recipient is blocked')
  await calendar?.moveTo(addSeconds(now, -55 * MINUTE))
  await changeTreasury(house)
  report('Support answers a question')
  await askSupport(house, filed, now)
  await calendar?.moveTo(now)
  return house
}
