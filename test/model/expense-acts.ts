/** Random acts on expenses, and how each is applied to the service and to the model. */
import { fc } from '@fast-check/vitest'
import type { ExpenseHouse } from '#test/support/expenses.ts'
import { moveOf } from './expense-moves.ts'
import {
  type Home,
  type ModelExpense,
  type Name,
  type PaymentEvent,
  paymentEvents,
  type ReviewAction,
} from './expense-reference.ts'

/** A person by name, or whoever fits the chosen expense. */
type Who = Name | 'the submitter' | 'a reviewer'

type OnOne = {
  who: Who
  /** An index into the expenses so far; one past the last is an unknown one. */
  which: number
  /** Whether the path names the expense's own organization. */
  isAtHome: boolean
}
type AtVersion = OnOne & { versionOff: number }

export type Act =
  | { do: 'create'; who: Name; home: Home; mode: ModelExpense['mode']; amount: number }
  | (AtVersion & { do: 'revise'; mode: ModelExpense['mode']; amount: number })
  | (AtVersion & { do: 'submit' })
  | (AtVersion & { do: 'cancel' })
  | (AtVersion & { do: 'review'; action: ReviewAction })
  | (OnOne & { do: 'comment' })
  | (OnOne & { do: 'read' })
  | (OnOne & { do: 'read report' })
  | { do: 'list'; who: Name; home: Home }
  | { do: 'analyse' | 'fail once' | 'fail for good'; which: number }
  /** One that the state allows, where there is any. */
  | { do: 'pay'; which: number; event: PaymentEvent; isFitting: boolean }
  | { do: 'leave'; who: 'leaver' | 'manager' }

const names = ['owner', 'manager', 'employee', 'colleague', 'leaver', 'stranger', 'sole'] as const
const name = fc.constantFrom(...names)
const home = fc.constantFrom<Home>('main', 'main', 'sole')
const mode = fc.constantFrom<ModelExpense['mode'][]>('approved', 'automatic')
/** Below and above the automatic cap of the house. */
const amount = fc.constantFrom(25_000_000, 31_000_000, 150_000_000)
const which = fc.nat(1_000)
const who = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom<Who[]>('the submitter', 'a reviewer') },
  { weight: 2, arbitrary: name },
)
const isAtHome = fc.constantFrom(true, true, true, true, true, true, true, true, false)
const versionOff = fc.constantFrom(0, 0, 0, 0, 0, 0, -1, 1)
const onOne = { who, which, isAtHome }
const atVersion = { ...onOne, versionOff }

const is = <T extends string>(value: T) => fc.constant(value)

/** Weighted so that a few dozen acts lead some expenses to every end. */
export const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 20, arbitrary: fc.record({ do: is('create'), who: name, home, mode, amount }) },
  { weight: 14, arbitrary: fc.record({ ...atVersion, do: is('revise'), mode, amount }) },
  { weight: 48, arbitrary: fc.record({ ...atVersion, do: is('submit') }) },
  { weight: 10, arbitrary: fc.record({ ...atVersion, do: is('cancel') }) },
  {
    weight: 80,
    arbitrary: fc.record({
      ...atVersion,
      do: is('review'),
      action: fc.constantFrom<ReviewAction[]>(
        'request_revision',
        'reject',
        'advance_to_approval',
        'advance_to_approval',
      ),
    }),
  },
  { weight: 8, arbitrary: fc.record({ ...onOne, do: is('comment') }) },
  { weight: 8, arbitrary: fc.record({ ...onOne, do: is('read') }) },
  { weight: 10, arbitrary: fc.record({ ...onOne, do: is('read report') }) },
  { weight: 6, arbitrary: fc.record({ do: is('list'), who: name, home }) },
  { weight: 44, arbitrary: fc.record({ do: is('analyse'), which }) },
  { weight: 12, arbitrary: fc.record({ do: is('fail once'), which }) },
  { weight: 20, arbitrary: fc.record({ do: is('fail for good'), which }) },
  {
    weight: 80,
    arbitrary: fc.record({
      do: is('pay'),
      which,
      event: fc.constantFrom(...paymentEvents),
      isFitting: fc.constantFrom(true, true, true, false),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: is('leave'),
      who: fc.constantFrom('leaver' as const, 'manager' as const),
    }),
  },
)

export function nameOf(whoever: Who, expense: ModelExpense | undefined): Name {
  if (whoever === 'the submitter') return expense?.submitter ?? 'employee'
  if (whoever !== 'a reviewer') return whoever
  if (expense?.home === 'sole') return 'sole'
  return expense?.submitter === 'owner' ? 'manager' : 'owner'
}

/** The newest are chosen most often, so that some get far; every twelfth time none is. */
export function pick(expenses: readonly ModelExpense[], number: number): ModelExpense | undefined {
  if (number % 12 === 11) return undefined
  const recent = expenses.slice(number % 3 === 0 ? 0 : -4)
  return recent[number % Math.max(1, recent.length)]
}

export const termsFor = (
  { vaultId, recipientId }: ExpenseHouse,
  { mode, amount, number }: { mode: ModelExpense['mode']; amount: number; number: number },
) => ({
  vaultId,
  recipientId,
  requestedMode: mode,
  amountBaseUnits: String(amount + number),
  purpose: `Invoice 2026-${number} for the translation of chapter ${number} of the user manual`,
})

export function paymentEventFor(
  { event, isFitting }: Extract<Act, { do: 'pay' }>,
  { state }: ModelExpense,
): PaymentEvent {
  if (!isFitting) return event
  const from = paymentEvents.indexOf(event)
  const turned = [...paymentEvents.slice(from), ...paymentEvents.slice(0, from)]
  return turned.find((one) => moveOf(state, one) !== undefined) ?? event
}
