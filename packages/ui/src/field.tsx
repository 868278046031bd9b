import { type ComponentProps, type ReactNode, useId } from 'react'
import { classes } from './classes.ts'

export const controlStyle =
  'press w-full rounded-md border border-control/70 bg-surface px-3 text-base text-text placeholder:text-muted hover:border-control disabled:bg-sunken disabled:text-muted aria-invalid:border-bad'

type Described = {
  id: string
  'aria-describedby': string | undefined
  'aria-invalid': boolean | undefined
}

type FieldProps = {
  label: ReactNode
  hint?: ReactNode
  /** What is wrong and what to do. */
  problem?: ReactNode
  /** Beside the label, such as "was 80.00". */
  note?: ReactNode
  isLabelHidden?: boolean
  children: (props: Described) => ReactNode
}

/** A label, one control, a hint and what is wrong, connected for assistive technology. */
export function Field({ label, hint, problem, note, isLabelHidden, children }: FieldProps) {
  const id = useId()
  const described = [problem ? `${id}-problem` : '', hint ? `${id}-hint` : ''].filter(Boolean)
  return (
    <div className="flex flex-col gap-1.5">
      <div
        className={classes('flex items-baseline justify-between gap-3', isLabelHidden && 'sr-only')}
      >
        <label htmlFor={id} className="font-medium text-sm">
          {label}
        </label>
        {note && <span className="text-muted text-sm">{note}</span>}
      </div>
      {children({
        id,
        'aria-describedby': described.join(' ') || undefined,
        'aria-invalid': problem ? true : undefined,
      })}
      {problem && (
        <p id={`${id}-problem`} className="text-bad text-sm" role="alert">
          {problem}
        </p>
      )}
      {hint && (
        <p id={`${id}-hint`} className="text-muted text-sm">
          {hint}
        </p>
      )}
    </div>
  )
}

type Own = Omit<FieldProps, 'children'>
type InputProps = Own & Omit<ComponentProps<'input'>, 'className' | 'id'> & { suffix?: ReactNode }

export function TextField({
  label,
  hint,
  problem,
  note,
  isLabelHidden,
  suffix,
  ...input
}: InputProps) {
  return (
    <Field {...{ label, hint, problem, note, isLabelHidden }}>
      {(props) => (
        <div className="relative">
          <input
            {...input}
            {...props}
            className={classes(controlStyle, 'h-10', suffix && 'pe-16')}
          />
          {suffix && (
            <span
              translate="no"
              className="pointer-events-none absolute inset-y-0 end-3 flex items-center text-muted text-sm"
            >
              {suffix}
            </span>
          )}
        </div>
      )}
    </Field>
  )
}

type AreaProps = Own & Omit<ComponentProps<'textarea'>, 'className' | 'id'>

export function TextArea({ label, hint, problem, note, isLabelHidden, ...area }: AreaProps) {
  return (
    <Field {...{ label, hint, problem, note, isLabelHidden }}>
      {(props) => (
        <textarea rows={3} {...area} {...props} className={classes(controlStyle, 'py-2')} />
      )}
    </Field>
  )
}

/** `isName`: chosen by people, so it stands in no catalog of texts. */
export type SelectOption = { value: string; label: string; isDisabled?: boolean; isName?: boolean }

type NativeSelectProps = Own &
  Omit<ComponentProps<'select'>, 'className' | 'id' | 'children'> & {
    options: readonly SelectOption[]
    placeholder?: string
  }

/** The browser's own list: the best one on a phone. For long lists, use the combobox. */
export function SelectField({
  label,
  hint,
  problem,
  note,
  isLabelHidden,
  options,
  placeholder,
  ...select
}: NativeSelectProps) {
  return (
    <Field {...{ label, hint, problem, note, isLabelHidden }}>
      {(props) => (
        <select {...select} {...props} className={classes(controlStyle, 'h-10 pe-8')}>
          {placeholder !== undefined && <option value="">{placeholder}</option>}
          {options.map(({ value, label: text, isDisabled, isName }) => (
            <option
              key={value}
              value={value}
              disabled={isDisabled}
              translate={isName ? 'no' : undefined}
            >
              {text}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}

type ChoiceProps = Omit<ComponentProps<'input'>, 'className' | 'type'> & {
  label: ReactNode
  hint?: ReactNode
}

const choice = (type: 'checkbox' | 'radio') =>
  function Choice({ label, hint, ...input }: ChoiceProps) {
    const id = useId()
    return (
      <div className="flex min-h-11 items-start gap-3 py-2">
        <input
          {...input}
          type={type}
          id={id}
          aria-describedby={hint ? `${id}-hint` : undefined}
          className="mt-0.5 size-5 shrink-0"
        />
        <div>
          <label htmlFor={id} className={classes('block', input.disabled && 'text-muted')}>
            {label}
          </label>
          {hint && (
            <p id={`${id}-hint`} className="text-muted text-sm">
              {hint}
            </p>
          )}
        </div>
      </div>
    )
  }

export const Checkbox = choice('checkbox')
export const Radio = choice('radio')

/** A group of choices with a visible question. */
export function ChoiceGroup({ label, children }: { label: ReactNode; children: ReactNode }) {
  return (
    <fieldset>
      <legend className="font-medium text-sm">{label}</legend>
      {children}
    </fieldset>
  )
}
