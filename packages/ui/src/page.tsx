import type { ReactNode } from 'react'
import { classes } from './classes.ts'
import { Heading } from './heading.tsx'

type PageProps = {
  title: ReactNode
  /** Above the title: where this page belongs. */
  back?: ReactNode
  lead?: ReactNode
  actions?: ReactNode
  /** `reading` for text and forms, `wide` for lists and tables. */
  width?: 'reading' | 'wide'
  children: ReactNode
}

export function Page({ title, back, lead, actions, width = 'wide', children }: PageProps) {
  return (
    <div
      className={classes(
        'mx-auto w-full px-4 pt-5 pb-28 sm:px-6 lg:pb-12 print:p-0',
        width === 'wide' ? 'max-w-6xl' : 'max-w-2xl',
      )}
    >
      {back && <div className="mb-1 text-sm">{back}</div>}
      <header className="mb-5 flex flex-wrap items-start justify-between gap-x-4 gap-y-3">
        <div className="min-w-0">
          <Heading>{title}</Heading>
          {lead && <p className="mt-1 max-w-prose text-pretty text-muted">{lead}</p>}
        </div>
        {actions && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
      </header>
      {children}
    </div>
  )
}

export const Card = ({ children, isFlush = false }: { children: ReactNode; isFlush?: boolean }) => (
  <div className={classes('rounded-lg border border-line bg-surface', !isFlush && 'p-4 sm:p-5')}>
    {children}
  </div>
)

type SectionProps = { title: ReactNode; note?: ReactNode; actions?: ReactNode; children: ReactNode }

export const Section = ({ title, note, actions, children }: SectionProps) => (
  <section className="mt-8 first:mt-0">
    <div className="mb-2 flex flex-wrap items-baseline justify-between gap-3">
      <h2 className="font-semibold text-base">
        {title}
        {note && <span className="ms-2 font-normal text-muted text-sm">{note}</span>}
      </h2>
      {actions}
    </div>
    {children}
  </section>
)

/** Terms and their values, one below the other on a phone. */
export const Facts = ({ children }: { children: ReactNode }) => (
  <dl className="grid gap-x-6 gap-y-3 sm:grid-cols-[minmax(7rem,max-content)_1fr]">{children}</dl>
)

export const Fact = ({ term, children }: { term: ReactNode; children: ReactNode }) => (
  <div className="contents">
    <dt className="text-muted text-sm sm:py-0.5">{term}</dt>
    <dd className="-mt-2 min-w-0 break-words sm:mt-0">{children}</dd>
  </div>
)

type EmptyProps = { title: ReactNode; children?: ReactNode; action?: ReactNode; icon?: ReactNode }

/** What is shown where nothing is: what it would be, and the next step. */
export const Empty = ({ title, children, action, icon }: EmptyProps) => (
  <div className="flex flex-col items-center rounded-lg border border-line border-dashed px-6 py-12 text-center">
    {icon && <div className="mb-3 text-muted [&>svg]:size-8">{icon}</div>}
    <p className="font-medium">{title}</p>
    {children && <div className="mt-1 max-w-prose text-pretty text-muted">{children}</div>}
    {action && <div className="mt-4">{action}</div>}
  </div>
)

/** Holds the place of lines that are being read. */
export const Skeleton = ({ lines = 3 }: { lines?: number }) => (
  <div className="flex flex-col gap-3" aria-hidden="true">
    {Array.from({ length: lines }, (_, index) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: lines without identity
      <div key={index} className="h-11 animate-pulse rounded-md bg-sunken" />
    ))}
  </div>
)
