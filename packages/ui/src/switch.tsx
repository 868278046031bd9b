import { Switch as Base } from '@base-ui/react/switch'
import { type ReactNode, useId } from 'react'

type Props = {
  label: ReactNode
  hint?: ReactNode
  isOn: boolean
  onChange(isOn: boolean): void
  isDisabled?: boolean
}

export function Switch({ label, hint, isOn, onChange, isDisabled = false }: Props) {
  const id = useId()
  const hintId = useId()
  return (
    <div className="flex min-h-11 items-center justify-between gap-4">
      <div>
        <span id={id}>{label}</span>
        {hint && (
          <p id={hintId} className="text-muted text-sm">
            {hint}
          </p>
        )}
      </div>
      <Base.Root
        aria-labelledby={id}
        aria-describedby={hint ? hintId : undefined}
        checked={isOn}
        disabled={isDisabled}
        onCheckedChange={onChange}
        className="press relative h-6 w-11 shrink-0 rounded-full border border-control bg-sunken data-[checked]:border-accent data-[checked]:bg-accent data-[disabled]:opacity-50"
      >
        <Base.Thumb className="absolute start-0.5 top-0.5 size-[18px] rounded-full bg-control transition-transform data-[checked]:translate-x-5 data-[checked]:bg-on-accent" />
      </Base.Root>
    </div>
  )
}
