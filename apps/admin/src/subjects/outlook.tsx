import { blockWords } from '@countersign/app-kit/words/block-codes.ts'
import { EXPENSE_STATES } from '@countersign/app-kit/words/states.ts'
import { buttonStyle } from '@countersign/ui/button.tsx'
import { Notice } from '@countersign/ui/notice.tsx'
import { Card } from '@countersign/ui/page.tsx'
import { Trans, useLingui } from '@lingui/react/macro'
import { Link } from '@tanstack/react-router'
import { STEPS, WAYS } from '../words/members.ts'
import { blockCodeOf, type NextStep, nextStepOf } from './next-step.ts'
import type { PaymentStory } from './story-steps.ts'

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
  const step = nextStepOf(story)
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
      <Card>
        <h2 className={headingStyle}>
          <Trans>What you do next</Trans>
        </h2>
        <div className="mt-2 flex flex-col gap-3">
          <OwnStep {...{ step, story, isBeside }} remedy={i18n._(words.remedy)} />
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

type StepProps = { step: NextStep; story: PaymentStory; isBeside: boolean; remedy: string }

function OwnStep({ step, story, isBeside, remedy }: StepProps) {
  const openCase = story.supportCases.find(({ status }) => status !== 'resolved')
  const answer = openCase && !isBeside && (
    <Link
      to="/cases/$caseId"
      params={{ caseId: openCase.id }}
      className={buttonStyle({ look: 'primary', size: 'small' })}
    >
      <Trans>Answer the case</Trans>
    </Link>
  )
  if (step === 'executor') {
    return (
      <>
        <p>
          <Trans>Have the executor looked at again. Then the customer releases the payment.</Trans>
        </p>
        <div className="flex flex-wrap gap-2">
          <Link
            to="/organizations/$organizationId"
            params={{ organizationId: story.organization.id }}
            search={{ section: 'executor' }}
            className={buttonStyle({ size: 'small' })}
          >
            <Trans>Open the executor</Trans>
          </Link>
          {answer}
        </div>
      </>
    )
  }
  if (step === 'wait') {
    return (
      <p>
        <Trans>
          Wait. The service is finding out on the chain what became of it. If that takes longer than
          an hour, look at the health of the chain.
        </Trans>
      </p>
    )
  }
  if (step === 'nothing') {
    return (
      <p className="text-muted">
        <Trans>Nothing. It is paid, over, or waits for a member.</Trans>
      </p>
    )
  }
  return (
    <>
      <p>
        {step === 'investigate' ? (
          <Trans>
            Find out what happened: compare the attempts below with the chain, and read the trail.
            Then tell the customer.
          </Trans>
        ) : (
          <Trans>Members can free it themselves. Tell them how:</Trans>
        )}
      </p>
      <div className="border-accent border-s-2 ps-3">
        {step === 'investigate' && (
          <p className="text-muted text-sm">
            <Trans>Members read this:</Trans>
          </p>
        )}
        <p>{remedy}</p>
      </div>
      {answer && <div>{answer}</div>}
      {!openCase && (
        <p className="text-muted text-sm">
          <Trans>
            There is no open case about it. Members open one from the expense, and you answer there.
          </Trans>
        </p>
      )}
    </>
  )
}
