import { cva, type VariantProps } from 'class-variance-authority'
import { type ComponentProps, lazy, type ReactNode, Suspense } from 'react'
import { Spinner } from './spinner.tsx'

/** Fetched only where a button is off: most screens have none. */
const Tooltip = lazy(async () => ({ default: (await import('./tooltip.tsx')).Tooltip }))

export const buttonStyle = cva(
  'press inline-flex select-none items-center justify-center gap-2 whitespace-nowrap rounded-md font-medium disabled:cursor-not-allowed aria-disabled:cursor-not-allowed',
  {
    variants: {
      look: {
        primary:
          'bg-accent text-on-accent hover:bg-accent-strong disabled:bg-line disabled:text-muted aria-disabled:bg-line aria-disabled:text-muted',
        secondary:
          'border border-control/50 bg-surface text-text hover:bg-hover disabled:text-muted aria-disabled:border-line aria-disabled:text-muted aria-disabled:hover:bg-surface',
        quiet:
          'text-text hover:bg-hover disabled:text-muted aria-disabled:text-muted aria-disabled:hover:bg-transparent',
        danger:
          'bg-bad-strong text-on-bad hover:opacity-90 disabled:bg-line disabled:text-muted aria-disabled:bg-line aria-disabled:text-muted',
        link: 'text-accent underline-offset-4 hover:underline',
      },
      size: {
        small: 'h-8 px-3 text-sm',
        normal: 'h-10 px-4 text-base',
        large: 'h-12 px-6 text-lg',
        icon: 'size-10 text-base',
        inline: 'h-auto p-0',
      },
      wide: { true: 'w-full', false: '' },
    },
    defaultVariants: { look: 'secondary', size: 'normal', wide: false },
  },
)

type Look = VariantProps<typeof buttonStyle>

export type ButtonProps = Omit<ComponentProps<'button'>, 'className' | 'disabled'> &
  Look & {
    isBusy?: boolean
    isDisabled?: boolean
    /**
     * Why the person cannot do this, and who could. The button stays visible and in the tab order,
     * does nothing, and says so.
     */
    reason?: ReactNode
  }

export function Button({
  look,
  size,
  wide,
  isBusy = false,
  isDisabled = false,
  reason,
  children,
  onClick,
  type = 'button',
  ...rest
}: ButtonProps) {
  const isOff = isDisabled || isBusy || Boolean(reason)
  const button = (
    <button
      {...rest}
      type={isOff ? 'button' : type}
      className={buttonStyle({ look, size, wide })}
      aria-disabled={isOff || undefined}
      aria-busy={isBusy || undefined}
      onClick={isOff ? (event) => event.preventDefault() : onClick}
    >
      {isBusy && <Spinner />}
      {children}
    </button>
  )
  if (!reason) return button
  return (
    <Suspense fallback={button}>
      <Tooltip text={reason}>{button}</Tooltip>
    </Suspense>
  )
}
