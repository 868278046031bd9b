import { BLOCK_CODES, blockWords } from '@countersign/app-kit/words/block-codes.ts'
import { Moment } from '@countersign/ui/moment.tsx'
import { Money } from '@countersign/ui/money.tsx'
import { Trans, useLingui } from '@lingui/react/macro'
import { Link } from '@tanstack/react-router'
import { OPERATOR_REMEDIES } from '../../words/operator-remedies.ts'

type Props = {
  failure: {
    organizationId: string
    /** Or the expense's, where there is no payment yet. */
    paymentId: string
    code: string | null
    note?: string | null
    baseUnits?: string
    updatedAt: string
  }
  name: string
}

/** Why, and what frees it. */
export function FailureRow({ failure, name }: Props) {
  const { i18n } = useLingui()
  const { organizationId, paymentId, code, note, baseUnits, updatedAt } = failure
  const { why, remedy } = blockWords(code)
  // Attempts may fail for reasons that do not block the payment.
  const isKnown = code !== null && Object.hasOwn(BLOCK_CODES, code)
  return (
    <li>
      <Link
        to="/organizations/$organizationId/payments/$paymentId"
        params={{ organizationId, paymentId }}
        className="press flex flex-wrap items-start gap-x-4 gap-y-1 px-4 py-3 hover:bg-hover sm:px-5"
      >
        <span className="min-w-0 flex-1 basis-80">
          <span className="block font-medium">
            {isKnown ? i18n._(why) : <Trans>An attempt failed</Trans>}
          </span>
          {isKnown && (
            <span className="block text-muted text-sm">
              <Trans>Remedy: {i18n._(OPERATOR_REMEDIES[code] ?? remedy)}</Trans>
            </span>
          )}
          <span className="mt-0.5 flex flex-wrap gap-x-3 text-sm">
            <bdi>{name}</bdi>
            <span className="break-all font-mono text-muted">{note ?? code}</span>
          </span>
        </span>
        {baseUnits && (
          <span className="sm:w-32 sm:text-end">
            <Money baseUnits={baseUnits} />
          </span>
        )}
        <span className="text-muted text-sm sm:w-28 sm:text-end">
          <Moment at={updatedAt} />
        </span>
      </Link>
    </li>
  )
}
