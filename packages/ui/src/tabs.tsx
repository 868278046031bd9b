import { type ReactNode, useEffect, useRef } from 'react'
import { classes } from './classes.ts'

/** The look of a row of views. Views are links, because they live in the address. */
export const viewStyle = (isCurrent: boolean): string =>
  classes(
    'press inline-flex h-9 shrink-0 items-center gap-2 rounded-md px-3 text-sm',
    isCurrent
      ? 'bg-selected font-medium text-accent-strong'
      : 'text-muted hover:bg-hover hover:text-text',
  )

/** On a phone the row scrolls, and the current view is in sight. */
export function ViewRow({ label, children }: { label: string; children: ReactNode }) {
  const row = useRef<HTMLElement>(null)
  useEffect(() => {
    const current = row.current?.querySelector('[aria-current=page]')
    current?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [])
  return (
    <nav
      ref={row}
      aria-label={label}
      className="-mx-1 flex gap-1 overflow-x-auto px-1 py-1 md:flex-wrap md:gap-x-0"
    >
      {children}
    </nav>
  )
}

/** Keeps its place while it is not known, so that nothing moves when it is. */
export const Count = ({ children }: { children: ReactNode }) => (
  <span
    className={classes(
      'figures rounded-full bg-sunken px-1.5 text-muted text-xs leading-5',
      children === undefined && 'invisible',
    )}
  >
    {children ?? '0'}
  </span>
)
