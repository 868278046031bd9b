import { classes } from '@countersign/ui/classes.ts'
import { useLingui } from '@lingui/react/macro'
import { ArrowDown, ArrowUp, Equal, type LucideIcon, Plus, Shuffle } from 'lucide-react'
import type { Effect } from './policy-difference.ts'

const LOOKS: Record<Effect, { icon: LucideIcon; look: string }> = {
  wider: { icon: ArrowUp, look: 'text-bad' },
  narrower: { icon: ArrowDown, look: 'text-ok' },
  same: { icon: Equal, look: 'text-muted' },
  new: { icon: Plus, look: 'text-info' },
  other: { icon: Shuffle, look: 'text-bad' },
}

/** A shape, a word and a colour: whether the policy allows more or less. */
export function EffectMark({ effect }: { effect: Effect }) {
  const { t } = useLingui()
  const { icon: Icon, look } = LOOKS[effect]
  const words: Record<Effect, string> = {
    wider: t`allows more`,
    narrower: t`allows less`,
    same: t`no change`,
    new: t`new`,
    other: t`another key`,
  }
  return (
    <span className={classes('inline-flex shrink-0 items-center gap-1 text-sm', look)}>
      <Icon className="size-4" aria-hidden="true" />
      {words[effect]}
    </span>
  )
}
