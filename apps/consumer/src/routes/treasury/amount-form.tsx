import { parseAmount } from '@countersign/ui/amounts.ts'
import { Button } from '@countersign/ui/button.tsx'
import { TextField } from '@countersign/ui/field.tsx'
import { Money } from '@countersign/ui/money.tsx'
import { useRegion } from '@countersign/ui/use-region.ts'
import { Trans } from '@lingui/react/macro'
import { type FormEvent, type ReactNode, useState } from 'react'
import { useOrganization } from '../../data/organization.tsx'
import { useFieldProblemText } from './policy-field-words.ts'

type Props = {
  label: string
  /** The most that can be entered; null while it is not known. */
  most: bigint | null
  /** Beside the label, such as "you have". */
  note?: ReactNode
  button: ReactNode
  look?: 'primary' | 'danger'
  tooMuch: string
  onAmount(baseUnits: bigint): void
}

/** An amount that is checked against what is there. */
export function AmountForm({ label, most, note, button, look, tooMuch, onAmount }: Props) {
  const region = useRegion()
  const { token } = useOrganization().config
  const text = useFieldProblemText()
  const [typed, setTyped] = useState('')
  const [isAsked, setAsked] = useState(false)
  const parsed = parseAmount(typed, token.decimals, region)
  const isTooMuch = parsed.ok && most !== null && BigInt(parsed.baseUnits) > most
  const problem = isTooMuch
    ? tooMuch
    : !parsed.ok && isAsked
      ? parsed.problem === 'zero'
        ? text('empty')
        : text(parsed.problem)
      : undefined
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setAsked(true)
    if (parsed.ok && !isTooMuch && most !== null) onAmount(BigInt(parsed.baseUnits))
  }
  return (
    <form onSubmit={submit} noValidate className="flex flex-col gap-4">
      <TextField
        label={label}
        inputMode="decimal"
        autoComplete="off"
        suffix={token.symbol}
        value={typed}
        problem={problem}
        note={
          note ??
          (most !== null && (
            <Trans>
              at most <Money baseUnits={most} isBare />
            </Trans>
          ))
        }
        onChange={(event) => {
          setTyped(event.target.value)
          setAsked(false)
        }}
      />
      <div>
        <Button
          type="submit"
          look={look ?? 'primary'}
          isDisabled={typed.trim() === '' || isTooMuch || most === null}
        >
          {button}
        </Button>
      </div>
    </form>
  )
}
