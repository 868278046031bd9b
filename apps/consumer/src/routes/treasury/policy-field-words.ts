import { useRegion } from '@countersign/ui/use-region.ts'
import { useLingui } from '@lingui/react/macro'
import { useOrganization } from '../../data/organization.tsx'
import { amountExample } from './amount-example.ts'
import type { ListRow, ValueRow } from './policy-difference.ts'
import type { FieldProblem } from './policy-terms.ts'

export function useFieldNames(): Record<ValueRow['field'] | ListRow['field'], string> {
  const { t } = useLingui()
  return {
    approvedCap: t`With a signature, up to`,
    automaticCap: t`Automatic, up to`,
    lifetimeCap: t`In total, up to`,
    reserveFloor: t`Reserve`,
    periodSeconds: t`Spending period`,
    periodCap: t`In one period, up to`,
    automaticPeriodCap: t`Automatic in one period, up to`,
    tiers: t`Signatures`,
    expiresAt: t`Ends`,
    automaticEnabled: t`Automatic payments`,
    paused: t`Payments stopped`,
    executorAddress: t`Executor`,
    approverAddresses: t`Approvers`,
    recipientAddresses: t`Recipients`,
  }
}

export function useFieldProblemText(): (problem: FieldProblem) => string {
  const { t } = useLingui()
  const region = useRegion()
  const { token } = useOrganization().config
  const example = amountExample(token.decimals, region)
  return (problem) =>
    ({
      empty: t`Enter an amount.`,
      not_a_number: t`This is not an amount. Write it like ${example}, without thousands signs.`,
      too_precise: t`The token has fewer decimal places than that.`,
      zero: t`It must be more than zero. To stop payments, use the switch below.`,
      too_large: t`The vault cannot hold a number this large.`,
      above_approved: t`It must not be above the cap with a signature.`,
      above_lifetime: t`It must not be above the total cap.`,
      below_spent: t`It must be at least what the vault has paid already.`,
      above_period: t`It must not be above the cap of the whole period.`,
      below_automatic: t`It must be at least the cap of automatic payments, which nobody signs.`,
      not_ascending: t`It must be more than in the line above.`,
      too_few_people: t`There are not that many people who may approve.`,
      no_date: t`Enter a day.`,
      past: t`It must be in the future.`,
    })[problem]
}
