import { Money } from '@countersign/ui/money.tsx'
import { Plural, Trans } from '@lingui/react/macro'
import { Duration } from './policy-limit-words.tsx'
import type { Loss, WorstCase } from './worst-case.ts'

/** What a thief could take with which key. */
export function WorstCaseView({ worst }: { worst: WorstCase }) {
  const { recipientCount: count, periodSeconds, executorAndApprovers: several } = worst
  const sentence = (loss: Loss | null) =>
    loss ? (
      <Trans>
        up to <Money baseUnits={loss.perPayment} isStrong /> a payment,{' '}
        <Speed perPeriod={loss.perPeriod} periodSeconds={periodSeconds} />, in all{' '}
        <Money baseUnits={loss.today} isStrong /> at today's balance and at most{' '}
        <Money baseUnits={loss.ever} /> ever, only to{' '}
        <Plural value={count} one="the one listed recipient" other="the # listed recipients" />
      </Trans>
    ) : (
      <Trans>nothing</Trans>
    )
  return (
    <div className="rounded-md bg-sunken px-4 py-3">
      <h3 className="font-medium text-sm">
        <Trans>What this could cost if a key is stolen</Trans>
      </h3>
      <ul className="mt-1 flex list-disc flex-col gap-1 ps-5 text-sm">
        <li>
          <Trans>The executor's key: {sentence(worst.executorKey)}.</Trans>
        </li>
        <li>
          <Trans>
            The executor's key and that of one approver: {sentence(worst.executorAndApprover)}.
          </Trans>
        </li>
        {several && (
          <li>
            <Trans>
              The executor's key and those of{' '}
              <Plural value={several.approvers} one="# approver" other="# approvers" />:{' '}
              {sentence(several.loss)}.
            </Trans>
          </li>
        )}
        <li>
          <Trans>The key of the vault's owner: everything. Keep it on a hardware wallet.</Trans>
        </li>
      </ul>
    </div>
  )
}

/** How fast it could go. Periods are fixed windows, so two caps can go around a boundary. */
function Speed({
  perPeriod,
  periodSeconds,
}: Pick<Loss, 'perPeriod'> & Pick<WorstCase, 'periodSeconds'>) {
  if (perPeriod === null || periodSeconds === null) {
    return <Trans>as fast as blocks follow each other</Trans>
  }
  return (
    <Trans>
      <Money baseUnits={perPeriod} isStrong /> in a period of <Duration seconds={periodSeconds} />{' '}
      and up to twice that around the change of two periods
    </Trans>
  )
}
