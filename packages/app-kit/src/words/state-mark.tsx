import { Mark } from '@countersign/ui/mark.tsx'
import { useLingui } from '@lingui/react'
import { EXPENSE_STATES, type ExpenseState } from './states.ts'

export function ExpenseMark({ state }: { state: ExpenseState }) {
  const { i18n } = useLingui()
  const { kind, word } = EXPENSE_STATES[state]
  return <Mark kind={kind}>{i18n._(word)}</Mark>
}
