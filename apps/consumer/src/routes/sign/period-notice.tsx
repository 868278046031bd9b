import type { ShownApproval } from '@countersign/client/approvals.ts'
import { Money } from '@countersign/ui/money.tsx'
import { Notice } from '@countersign/ui/notice.tsx'
import { UtcMoment } from '@countersign/ui/utc-moment.tsx'
import { Trans } from '@lingui/react/macro'
import { periodNote } from '../../approval/period-note.ts'
import { signaturesOf } from '../../approval/signatures.ts'

type Props = Pick<ShownApproval, 'vault' | 'expense'>

/** The service refuses to prepare what the period has no room for; this says so before. */
export function PeriodNotice({ vault, expense }: Props) {
  const { amountBaseUnits } = expense.revision
  const isReserved = signaturesOf(expense).signed.length > 0
  const note = periodNote(vault, { amountBaseUnits, isAutomatic: false, isReserved })
  if (!note) return null
  return (
    <div className="mt-4">
      <Notice tone="warn" title={<Trans>The vault cannot pay this in the current period</Trans>}>
        {note.kind === 'later' ? (
          <Trans>
            <Money baseUnits={note.left} /> is left until the period ends. Possible again{' '}
            <UtcMoment at={note.from} />.
          </Trans>
        ) : (
          <Trans>
            The policy allows at most <Money baseUnits={note.cap} /> in a period. An owner has to
            change the policy.
          </Trans>
        )}
      </Notice>
    </div>
  )
}
