import { TextField } from '@countersign/ui/field.tsx'
import { Money, TokenContext } from '@countersign/ui/money.tsx'
import { Switch } from '@countersign/ui/switch.tsx'
import { Trans, useLingui } from '@lingui/react/macro'
import { use } from 'react'
import { useFieldNames, useFieldProblemText } from './policy-field-words.ts'
import { PeriodFields, TierFields } from './policy-limit-fields.tsx'
import type { Cap, FormProblems, PolicyForm, PolicyTerms } from './policy-terms.ts'
import { localDay } from './policy-terms.ts'

type Props = {
  form: PolicyForm
  problems: FormProblems
  inForce: PolicyTerms | null
  approverPeople: number
  onChange(part: Partial<PolicyForm>): void
}

/** The terms that an owner chooses. */
export function PolicyFields(props: Props) {
  const { form, problems, inForce, onChange } = props
  const { t } = useLingui()
  const names = useFieldNames()
  const text = useFieldProblemText()
  const { symbol } = use(TokenContext)
  const cap = (name: Cap, hint: string) => {
    const problem = problems[name]
    return (
      <TextField
        label={names[name]}
        inputMode="decimal"
        autoComplete="off"
        suffix={symbol}
        value={form[name]}
        hint={hint}
        problem={problem && text(problem)}
        note={
          inForce && (
            <Trans>
              now <Money baseUnits={inForce[name]} isBare />
            </Trans>
          )
        }
        onChange={(event) => onChange({ [name]: event.target.value })}
      />
    )
  }
  return (
    <div className="flex flex-col gap-5">
      {cap('approvedCap', t`The most that one payment may be after an approver has signed it.`)}
      <div className="rounded-md border border-line px-4 py-2">
        <Switch
          label={names.automaticEnabled}
          hint={t`Small payments with a clean report go out without a signature.`}
          isOn={form.automaticEnabled}
          onChange={(automaticEnabled) => onChange({ automaticEnabled })}
        />
        <div className="mt-2 mb-2">
          {cap(
            'automaticCap',
            form.automaticEnabled
              ? t`The most that one payment may be without a signature.`
              : t`Has no effect while automatic payments are off.`,
          )}
        </div>
      </div>
      <TierFields {...props} />
      <PeriodFields {...props} />
      {cap('lifetimeCap', t`All payments since the vault was deployed count, also earlier ones.`)}
      {cap('reserveFloor', t`The vault makes no payment that would leave less than this.`)}
      <TextField
        label={t`Last day`}
        type="date"
        min={localDay(new Date())}
        value={form.lastDay}
        problem={problems.lastDay && text(problems.lastDay)}
        hint={t`Afterwards the vault pays nothing until there is a new policy.`}
        onChange={(event) => onChange({ lastDay: event.target.value })}
      />
      <Switch
        label={t`Stop all payments`}
        hint={
          inForce?.paused && form.paused
            ? t`Payments are stopped now. Turn this off to start them again.`
            : t`The vault refuses every payment until its owner lifts the pause.`
        }
        isOn={form.paused}
        onChange={(paused) => onChange({ paused })}
      />
    </div>
  )
}
