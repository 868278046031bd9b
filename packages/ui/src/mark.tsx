import {
  Check,
  CircleDashed,
  CircleDot,
  LoaderCircle,
  Octagon,
  PenLine,
  TriangleAlert,
  X,
} from 'lucide-react'
import { classes } from './classes.ts'

/** A state is a shape and a word in a colour: never a colour alone. */
export type MarkKind =
  | 'draft'
  | 'working'
  | 'waiting'
  | 'sign'
  | 'warning'
  | 'blocked'
  | 'done'
  | 'ended'

const LOOKS = {
  draft: { icon: CircleDashed, look: 'bg-sunken text-muted' },
  working: { icon: LoaderCircle, look: 'bg-info-soft text-info' },
  waiting: { icon: CircleDot, look: 'bg-info-soft text-info' },
  sign: { icon: PenLine, look: 'bg-accent-soft text-accent-strong' },
  warning: { icon: TriangleAlert, look: 'bg-warn-soft text-warn' },
  blocked: { icon: Octagon, look: 'bg-bad-soft text-bad' },
  done: { icon: Check, look: 'bg-ok-soft text-ok' },
  ended: { icon: X, look: 'bg-sunken text-muted' },
} as const

export function Mark({ kind, children }: { kind: MarkKind; children: string }) {
  const { icon: Icon, look } = LOOKS[kind]
  return (
    <span
      className={classes(
        'inline-flex shrink-0 items-center gap-1.5 whitespace-nowrap rounded-full px-2 py-0.5 font-medium text-xs',
        look,
      )}
    >
      <Icon className="size-3.5" aria-hidden="true" />
      {children}
    </span>
  )
}
