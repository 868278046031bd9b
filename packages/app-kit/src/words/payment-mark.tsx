import { Mark } from '@countersign/ui/mark.tsx'
import { useLingui } from '@lingui/react'
import { PAYMENT_STATES } from './payment-states.ts'
import type { PaymentState } from './states.ts'

export function PaymentMark({ state }: { state: PaymentState }) {
  const { i18n } = useLingui()
  const { kind, word } = PAYMENT_STATES[state]
  return <Mark kind={kind}>{i18n._(word)}</Mark>
}
