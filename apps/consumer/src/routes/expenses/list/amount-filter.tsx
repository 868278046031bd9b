import { asDecimal, editableAmount, parseAmount } from '@countersign/ui/amounts.ts'
import { TextField } from '@countersign/ui/field.tsx'
import { TokenContext } from '@countersign/ui/money.tsx'
import { useRegion } from '@countersign/ui/use-region.ts'
import { useLingui } from '@lingui/react/macro'
import { use, useState } from 'react'
import { amountOf } from './filters.ts'

type Props = {
  label: string
  value: string | undefined
  onChange(value: string | undefined): void
}

/** Typed in the person's own notation; in the address with a point. */
export function AmountFilter({ label, value, onChange }: Props) {
  const { t } = useLingui()
  const region = useRegion()
  const { decimals, symbol } = use(TokenContext)
  const baseUnits = amountOf(value, decimals)
  const [typed, setTyped] = useState(baseUnits ? editableAmount(baseUnits, decimals, region) : '')
  const parsed = parseAmount(typed, decimals, region)
  const isWrong = !parsed.ok && parsed.problem !== 'empty' && parsed.problem !== 'zero'
  return (
    <TextField
      label={label}
      inputMode="decimal"
      autoComplete="off"
      suffix={symbol}
      value={typed}
      problem={isWrong ? t`This is not an amount.` : undefined}
      onChange={({ target }) => setTyped(target.value)}
      onBlur={() =>
        onChange(
          parsed.ok ? asDecimal(parsed.baseUnits, decimals).replace(/\.?0+$/, '') : undefined,
        )
      }
      onKeyDown={(event) => event.key === 'Enter' && event.currentTarget.blur()}
    />
  )
}
