import { useLingui } from '@lingui/react/macro'
import { useOrganization } from '../../../data/organization.tsx'
import type { Problem } from './values.ts'

export function useProblemText(): (problem: Problem | undefined) => string | undefined {
  const { t } = useLingui()
  const { config } = useOrganization()
  const { decimals } = config.token
  const most = config.limits.lengths.expensePurpose
  const texts: Record<Problem, string> = {
    purpose_missing: t`Say what it is for.`,
    purpose_too_long: t`This is too long. At most ${most} characters.`,
    recipient_missing: t`Choose who is paid.`,
    vault_missing: t`Choose the vault that pays.`,
    amount_empty: t`Enter an amount.`,
    amount_not_a_number: t`This is not an amount. Write digits, and cents after the decimal sign.`,
    amount_too_precise: t`At most ${decimals} digits after the decimal sign.`,
    amount_zero: t`The amount must be more than zero.`,
    amount_too_large: t`This is more than a payment can be.`,
    reference_too_long: t`Up to 100 characters.`,
  }
  return (problem) => (problem ? texts[problem] : undefined)
}
