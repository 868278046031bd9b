import { parseAmount } from '@countersign/ui/amounts.ts'
import { TextField } from '@countersign/ui/field.tsx'
import { useNow } from '@countersign/ui/moment.tsx'
import { useAmountFormat } from '@countersign/ui/money.tsx'
import { useRegion } from '@countersign/ui/use-region.ts'
import { utcText } from '@countersign/ui/utc-moment.tsx'
import { useLingui } from '@lingui/react/macro'
import type { ReactNode } from 'react'
import { useOrganization } from '../../../data/organization.tsx'
import type { Vault } from '../expense-types.ts'
import { type AmountNote, amountNotes } from './limits.ts'

type Props = {
  value: string
  onChange(amount: string): void
  vault: Vault | undefined
  problem: string | undefined
  note?: ReactNode
}

/** Limits are said while typing; none of them stops anyone, because they can change meanwhile. */
export function AmountField({ value, onChange, vault, problem, note }: Props) {
  const { t } = useLingui()
  const region = useRegion()
  const { config } = useOrganization()
  const format = useAmountFormat()
  const now = useNow()
  const { decimals, symbol } = config.token
  const parsed = parseAmount(value, decimals, region)
  const notes = amountNotes(parsed.ok ? parsed.baseUnits : null, vault)
  const text = (about: AmountNote): string => {
    switch (about.kind) {
      case 'over_cap':
        return t`Above ${format(about.cap)}, the most that the policy allows for one payment.`
      case 'over_available':
        return t`The vault has ${format(about.available)} to spend now. It cannot be paid before more is deposited.`
      case 'over_allowance':
        return t`The policy leaves ${format(about.left)} in total.`
      case 'over_period':
        return about.note.kind === 'never'
          ? t`Above ${format(about.note.cap)}, the most that the policy allows in one period.`
          : t`The policy leaves ${format(about.note.left)} in this period. More is possible ${utcText(new Date(about.note.from), now, region)}.`
    }
  }
  return (
    <div className="flex flex-col gap-1.5">
      <TextField
        label={t`How much?`}
        inputMode="decimal"
        autoComplete="off"
        suffix={symbol}
        value={value}
        problem={problem}
        note={note}
        onChange={({ target }) => onChange(target.value)}
      />
      <div role="status" className="text-sm text-warn">
        {notes.map((about) => (
          <p key={about.kind}>{text(about)}</p>
        ))}
      </div>
    </div>
  )
}
