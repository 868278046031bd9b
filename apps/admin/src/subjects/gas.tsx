import { formatAmount } from '@countersign/ui/amounts.ts'
import { useLingui } from '@lingui/react'

const WEI_DECIMALS = 18
/** Enough to compare with the price of a transaction. */
const SHOWN_DECIMALS = 6

/** Native tokens, cut off after six decimals. Money has a component of its own. */
export function Gas({ wei }: { wei: string }) {
  const { i18n } = useLingui()
  const micro = BigInt(wei) / 10n ** BigInt(WEI_DECIMALS - SHOWN_DECIMALS)
  return (
    <span className="figures whitespace-nowrap">
      {formatAmount(micro, SHOWN_DECIMALS, i18n.locale)}
    </span>
  )
}
