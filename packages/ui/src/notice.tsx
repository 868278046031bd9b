import { CircleAlert, CircleCheck, Info, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { classes } from './classes.ts'

export type Tone = 'info' | 'ok' | 'warn' | 'bad'

const LOOKS = {
  info: { icon: Info, box: 'bg-info-soft', mark: 'text-info' },
  ok: { icon: CircleCheck, box: 'bg-ok-soft', mark: 'text-ok' },
  warn: { icon: TriangleAlert, box: 'bg-warn-soft', mark: 'text-warn' },
  bad: { icon: CircleAlert, box: 'bg-bad-soft', mark: 'text-bad' },
} as const

type Props = {
  tone: Tone
  title?: ReactNode
  children?: ReactNode
  actions?: ReactNode
  /** Read out at once, for what happens while the page is open. */
  isLive?: boolean
}

export function Notice({ tone, title, children, actions, isLive = false }: Props) {
  const { icon: Icon, box, mark } = LOOKS[tone]
  return (
    <div
      className={classes('flex gap-3 rounded-md px-4 py-3', box)}
      role={isLive ? (tone === 'bad' ? 'alert' : 'status') : undefined}
    >
      <Icon className={classes('mt-0.5 size-5 shrink-0', mark)} aria-hidden="true" />
      <div className="min-w-0 flex-1">
        {title && <p className="font-medium">{title}</p>}
        {children && <div className="text-pretty text-sm">{children}</div>}
        {actions && <div className="mt-2 flex flex-wrap gap-2">{actions}</div>}
      </div>
    </div>
  )
}
