import { SignatureCount } from '@countersign/app-kit/words/signature-count.tsx'
import { Moment } from '@countersign/ui/moment.tsx'
import { Money } from '@countersign/ui/money.tsx'
import { Trans, useLingui } from '@lingui/react/macro'
import type { ReactNode } from 'react'
import { sentenceOfTask, signatureCountOf, type Task } from '../../words/tasks.ts'

/** How much to whom, and what is due. */
export function TaskDetail({ task }: { task: Task }) {
  const { i18n } = useLingui()
  const sentence = sentenceOfTask(task)
  if (sentence === undefined) return <bdi>{task.detail}</bdi>
  const { amountBaseUnits: amount, recipientLabel, deadline } = task
  const count = signatureCountOf(task)
  return (
    <>
      {amount && recipientLabel && (
        <Trans>
          <Money baseUnits={amount} /> to <bdi>{recipientLabel}</bdi>
        </Trans>
      )}
      {amount && !recipientLabel && <Money baseUnits={amount} />}
      {amount && (sentence || count) && <span className="max-sm:hidden"> · </span>}
      {count && (
        <span className="max-sm:block">
          <SignatureCount {...count} />.{' '}
        </span>
      )}
      {sentence && <span className="max-sm:block">{i18n._(sentence)}</span>}
      {deadline && (
        <>
          {' '}
          <DeadlineWords of={task} at={<Moment at={deadline} style="full" />} />
        </>
      )}
    </>
  )
}

function DeadlineWords({ of: { aggregateType, state }, at }: { of: Task; at: ReactNode }) {
  if (aggregateType !== 'integration') return <Trans>Sign it by {at}.</Trans>
  return state === 'activation_due' ? (
    <Trans>Any wallet can until {at}.</Trans>
  ) : (
    <Trans>It comes into force {at}.</Trans>
  )
}
