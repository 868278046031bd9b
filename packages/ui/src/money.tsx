import { createContext, use } from 'react'
import { formatAmount, type TokenUnits } from './amounts.ts'
import { classes } from './classes.ts'
import { useRegion } from './use-region.ts'

/** Which token the amounts of the page are in. */
export const TokenContext = createContext<TokenUnits>({ symbol: 'USDC', decimals: 6 })

export function useAmountFormat(): (baseUnits: string | bigint) => string {
  const { decimals } = use(TokenContext)
  const region = useRegion()
  return (baseUnits) => formatAmount(baseUnits, decimals, region)
}

type Props = { baseUnits: string | bigint; isBare?: boolean; isStrong?: boolean }

export function Money({ baseUnits, isBare = false, isStrong = false }: Props) {
  const { symbol } = use(TokenContext)
  const format = useAmountFormat()
  return (
    <span
      translate="no"
      className={classes('figures whitespace-nowrap', isStrong && 'font-semibold')}
    >
      {format(baseUnits)}
      {!isBare && <span className="ms-1 font-normal text-muted text-[0.85em]">{symbol}</span>}
    </span>
  )
}
