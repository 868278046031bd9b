import { parseAmount } from '@countersign/ui/amounts.ts'
import { ChoiceGroup, Radio } from '@countersign/ui/field.tsx'
import { useAmountFormat } from '@countersign/ui/money.tsx'
import { useRegion } from '@countersign/ui/use-region.ts'
import { useLingui } from '@lingui/react/macro'
import type { ReactNode } from 'react'
import { useOrganization } from '../../../data/organization.tsx'
import type { Vault } from '../expense-types.ts'
import { type AutomaticOff, automaticOff } from './limits.ts'
import type { Values } from './values.ts'

type Props = {
  mode: Values['mode']
  amount: string
  vault: Vault | undefined
  onChange(mode: Values['mode']): void
  note?: ReactNode
}

export function ModeField({ mode, amount, vault, onChange, note }: Props) {
  const { t } = useLingui()
  const region = useRegion()
  const { config } = useOrganization()
  const format = useAmountFormat()
  const parsed = parseAmount(amount, config.token.decimals, region)
  const off = automaticOff(parsed.ok ? parsed.baseUnits : null, vault)
  const reason = (about: AutomaticOff): string => {
    switch (about.kind) {
      case 'no_policy':
        return t`Off: the vault has no policy yet.`
      case 'switched_off':
        return t`Off: the policy allows no automatic payments.`
      case 'over_cap':
        return t`Off: the amount is above ${format(about.cap)}, the most for an automatic payment.`
    }
  }
  const cap = vault?.policy ? format(vault.policy.automaticCap) : null
  return (
    <ChoiceGroup
      label={
        <>
          {t`How is it paid?`} {note}
        </>
      }
    >
      <Radio
        name="mode"
        label={t`A person signs`}
        hint={t`An approver checks it and signs in their wallet.`}
        checked={mode === 'approved' || off !== null}
        onChange={() => onChange('approved')}
      />
      <Radio
        name="mode"
        label={cap ? t`Automatic, up to ${cap}` : t`Automatic`}
        hint={
          off
            ? reason(off)
            : t`Paid without a signature if every check passes. Otherwise a person signs.`
        }
        checked={mode === 'automatic' && off === null}
        disabled={off !== null}
        onChange={() => onChange('automatic')}
      />
    </ChoiceGroup>
  )
}
