import { useLingui } from '@lingui/react/macro'
import type { ReactNode } from 'react'
import { classes } from './classes.ts'

export type Step = {
  id: string
  /** `past` happened, `now` is what everybody waits for, `next` will follow. */
  when: 'past' | 'now' | 'next' | 'failed'
  title: ReactNode
  at?: ReactNode
  children?: ReactNode
}

const DOTS = {
  past: 'border-accent bg-accent',
  now: 'border-accent bg-surface ring-4 ring-accent-soft',
  next: 'border-control bg-surface',
  failed: 'border-bad bg-bad',
} as const

/** What happened, who is next, what follows. */
export const Timeline = ({ steps, label }: { steps: readonly Step[]; label: string }) => (
  <ol aria-label={label} className="relative">
    {steps.map(({ id, when, title, at, children }, index) => (
      <li
        key={id}
        className="relative flex gap-4 pb-5 last:pb-0"
        aria-current={when === 'now' ? 'step' : undefined}
      >
        {index < steps.length - 1 && (
          <span
            aria-hidden="true"
            className="absolute start-[5.5px] top-4 bottom-[-6px] w-px bg-line"
          />
        )}
        <span
          aria-hidden="true"
          className={classes('relative mt-1.5 size-3 shrink-0 rounded-full border-2', DOTS[when])}
        />
        <div className="min-w-0 flex-1">
          <div className="flex flex-wrap items-baseline justify-between gap-x-3">
            <span
              className={classes(when === 'next' && 'text-muted', when === 'now' && 'font-medium')}
            >
              {title}
              <When when={when} />
            </span>
            {at && <span className="text-muted text-sm">{at}</span>}
          </div>
          {children && <div className="mt-0.5 text-muted text-sm">{children}</div>}
        </div>
      </li>
    ))}
  </ol>
)

/** The colour of the dot, in words. The step that is waited for is the current one. */
function When({ when }: Pick<Step, 'when'>) {
  const { t } = useLingui()
  const word = { past: t`done`, now: null, next: t`not yet`, failed: t`Failed` }[when]
  return word && <span className="sr-only">: {word}</span>
}
