import { Moment } from '@countersign/ui/moment.tsx'
import { Trans } from '@lingui/react/macro'
import type { NextStep } from './next-step.ts'
import { PaymentWaits } from './payment-waits.tsx'
import type { PaymentStory } from './story-steps.ts'

type Props = { step: Extract<NextStep, 'unsigned' | 'postponed'>; story: PaymentStory }

/** Nothing is wrong: the policy makes the payment wait, for people or for time. */
export function UnsentStep({ step, story: { payment } }: Props) {
  if (!payment) return null
  return (
    <>
      <p>
        {step === 'unsigned' ? (
          <Trans>
            Nothing. More approvers of the organization have to sign it, until{' '}
            <Moment at={payment.deadline} style="full" />. After that it has to be signed again.
          </Trans>
        ) : (
          <Trans>
            Nothing. It is sent by itself when the next period begins, if its deadline is later.
          </Trans>
        )}
      </p>
      <PaymentWaits payment={payment} />
    </>
  )
}
