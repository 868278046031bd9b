import { formatAmount } from '@countersign/ui/amounts.ts'
import { useRegion } from '@countersign/ui/use-region.ts'

const GWEI_DECIMALS = 9

/** A price of gas in the unit in which people compare it. */
export function Gwei({ wei }: { wei: string | null | undefined }) {
  const region = useRegion()
  if (wei == null) return '–'
  return (
    <span translate="no" className="figures">
      {formatAmount(wei, GWEI_DECIMALS, region)} gwei
    </span>
  )
}
