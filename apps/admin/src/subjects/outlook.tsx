import { blockWords } from '@countersign/app-kit/words/block-codes.ts'
import { EXPENSE_STATES } from '@countersign/app-kit/words/states.ts'
import { Notice } from '@countersign/ui/notice.tsx'
import { Card } from '@countersign/ui/page.tsx'
import { Trans, useLingui } from '@lingui/react/macro'
import { useMemo } from 'react'
import { STEPS, WAYS } from '../words/members.ts'
import { blockCodeOf, nextStepOf } from './next-step.ts'
import { OwnStep } from './own-step.tsx'
import type { PaymentStory } from './story-steps.ts'
import { UnminedNotice } from './unmined-notice.tsx'

const headingStyle = 'font-semibold text-base'

type Props = {
  story: PaymentStory
  /** Beside the case that is being answered, which needs no link to itself. */
  isBeside?: boolean
}

/** Why it is stuck, what you do next, and what the customer sees meanwhile. */
export function Outlook({ story, isBeside = false }: Props) {
  const { i18n } = useLingui()
  const { expense } = story
  const step = useMemo(() => nextStepOf(story, Date.now()), [story])
  const code = blockCodeOf(story)
  const words = blockWords(code)
  const isBlocked = code !== null
  return (
    <div className="flex flex-col gap-4">
      {isBlocked && (
        <Notice tone="bad" title={i18n._(words.why)}>
          <span className="font-mono text-sm">{code}</span>
        </Notice>
      )}
      {(step === 'unmined' || step === 'behind') && <UnminedNotice story={story} />}
      <Card>
        <h2 className={headingStyle}>
          <Trans>What you do next</Trans>
        </h2>
        <div className="mt-2 flex flex-col gap-3">
          <OwnStep step={step} story={story} isBeside={isBeside} />
        </div>
      </Card>
      <Card>
        <h2 className={headingStyle}>
          <Trans>What members see and can do</Trans>
        </h2>
        <p className="mt-2 text-muted">
          {isBlocked ? (
            <Trans>
              Their page says “{i18n._(EXPENSE_STATES[expense.state].word)}”, with the same reason
              and remedy as here.
            </Trans>
          ) : (
            <Trans>Their page says “{i18n._(EXPENSE_STATES[expense.state].word)}”.</Trans>
          )}
        </p>
        <ul className="mt-3 flex list-disc flex-col gap-1 ps-5">
          {expense.state === 'blocked' ? (
            words.ways.map((way) => <li key={way}>{i18n._(WAYS[way])}</li>)
          ) : (
            <li>{i18n._(STEPS[expense.state])}</li>
          )}
        </ul>
      </Card>
    </div>
  )
}
