import { Combobox as Base } from '@base-ui/react/combobox'
import { useLingui } from '@lingui/react/macro'
import { ChevronsUpDown } from 'lucide-react'
import type { ReactNode } from 'react'
import { classes } from './classes.ts'
import { controlStyle, Field } from './field.tsx'

export type Option = { value: string; label: string; detail?: ReactNode }

type Props = {
  label: ReactNode
  options: readonly Option[]
  value: string | null
  onChange(value: string | null): void
  hint?: ReactNode
  problem?: ReactNode
  note?: ReactNode
  placeholder?: string
  /** Shown where nothing matches. */
  empty?: ReactNode
}

/** One of many, found by typing. */
export function ComboboxField({
  label,
  options,
  value,
  onChange,
  hint,
  problem,
  note,
  placeholder,
  empty,
}: Props) {
  const { t } = useLingui()
  const chosen = options.find((option) => option.value === value) ?? null
  return (
    <Field {...{ label, hint, problem, note }}>
      {(props) => (
        <Base.Root
          items={options}
          value={chosen}
          onValueChange={(option: Option | null) => onChange(option?.value ?? null)}
          itemToStringLabel={(option: Option) => option.label}
          isItemEqualToValue={(a: Option, b: Option) => a.value === b.value}
          autoHighlight
        >
          <div className="relative">
            <Base.Input
              {...props}
              placeholder={placeholder}
              className={classes(controlStyle, 'h-10 pe-10')}
            />
            <Base.Trigger
              aria-label={t`Show the list`}
              className="absolute inset-y-0 end-0 flex w-10 items-center justify-center text-muted"
            >
              <ChevronsUpDown className="size-4" aria-hidden="true" />
            </Base.Trigger>
          </div>
          <Base.Portal>
            <Base.Positioner sideOffset={4} className="z-50">
              <Base.Popup className="max-h-80 w-[var(--anchor-width)] overflow-y-auto rounded-md border border-line bg-raised p-1 shadow-raised">
                <Base.Empty className="text-muted text-sm not-empty:px-3 not-empty:py-3">
                  {empty ?? t`No matches.`}
                </Base.Empty>
                <Base.List>
                  {(option: Option) => (
                    <Base.Item
                      key={option.value}
                      value={option}
                      className="flex min-h-10 cursor-default flex-col justify-center rounded-sm px-3 py-1.5 data-[highlighted]:bg-hover data-[selected]:font-medium"
                    >
                      <bdi>{option.label}</bdi>
                      {option.detail && <span className="text-muted text-sm">{option.detail}</span>}
                    </Base.Item>
                  )}
                </Base.List>
              </Base.Popup>
            </Base.Positioner>
          </Base.Portal>
        </Base.Root>
      )}
    </Field>
  )
}
