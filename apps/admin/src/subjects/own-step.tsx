import { blockWords } from '@countersign/app-kit/words/block-codes.ts'
import { buttonStyle } from '@countersign/ui/button.tsx'
import { Trans, useLingui } from '@lingui/react/macro'
import { Link } from '@tanstack/react-router'
import { OPERATOR_REMEDIES } from '../words/operator-remedies.ts'
import { blockCodeOf, type NextStep } from './next-step.ts'
import type { PaymentStory } from './story-steps.ts'
import { UnsentStep } from './unsent-step.tsx'
import { ExecutorLink, HealthLink, WaitingStep } from './waiting-step.tsx'

type Props = {
  step: NextStep
  story: PaymentStory
  /** Beside the case that is being answered, which needs no link to itself. */
  isBeside: boolean
}

/** What the operator who reads this does. */
export function OwnStep({ step, story, isBeside }: Props) {
  switch (step) {
    case 'executor':
      return (
        <>
          <p>
            <Trans>
              Have the executor looked at again. Then the customer releases the payment.
            </Trans>
          </p>
          <div className="flex flex-wrap gap-2">
            <ExecutorLink organizationId={story.organization.id} />
            <AnswerLink story={story} isBeside={isBeside} />
          </div>
        </>
      )
    case 'investigate':
    case 'tell':
      return <BlockedStep step={step} story={story} isBeside={isBeside} />
    case 'nothing':
      return (
        <p className="text-muted">
          <Trans>Nothing. It is paid, over, or waits for a member.</Trans>
        </p>
      )
    case 'unsigned':
    case 'postponed':
      return (
        <>
          <UnsentStep step={step} story={story} />
          <div className="empty:hidden">
            <AnswerLink story={story} isBeside={isBeside} />
          </div>
        </>
      )
    default:
      return (
        <>
          <WaitingStep step={step} story={story} />
          <div className="flex flex-wrap gap-2">
            {step !== 'behind' && step !== 'sent' && (
              <>
                <HealthLink />
                <ExecutorLink organizationId={story.organization.id} />
              </>
            )}
            <AnswerLink story={story} isBeside={isBeside} />
          </div>
        </>
      )
  }
}

type AnswerProps = Pick<Props, 'story' | 'isBeside'>

const openCaseOf = ({ supportCases }: PaymentStory) =>
  supportCases.find(({ status }) => status !== 'resolved')

function AnswerLink({ story, isBeside }: AnswerProps) {
  const openCase = openCaseOf(story)
  if (!openCase || isBeside) return null
  return (
    <Link
      to="/cases/$caseId"
      params={{ caseId: openCase.id }}
      className={buttonStyle({ look: 'primary', size: 'small' })}
    >
      <Trans>Answer the case</Trans>
    </Link>
  )
}

function BlockedStep({ step, story, isBeside }: Props) {
  const { i18n } = useLingui()
  const code = blockCodeOf(story)
  const own = code === null ? undefined : OPERATOR_REMEDIES[code]
  return (
    <>
      <p>
        {step === 'tell' ? (
          <Trans>Members can free it themselves. Tell them how:</Trans>
        ) : own ? (
          i18n._(own)
        ) : (
          <Trans>
            Find out what happened: compare the attempts below with the chain, and read the trail.
            Then tell the customer.
          </Trans>
        )}
      </p>
      <div className="border-accent border-s-2 ps-3">
        {step === 'investigate' && (
          <p className="text-muted text-sm">
            <Trans>Members read this:</Trans>
          </p>
        )}
        <p>{i18n._(blockWords(code).remedy)}</p>
      </div>
      <div className="empty:hidden">
        <AnswerLink story={story} isBeside={isBeside} />
      </div>
      {!openCaseOf(story) && (
        <p className="text-muted text-sm">
          <Trans>
            There is no open case about it. Members open one from the expense, and you answer there.
          </Trans>
        </p>
      )}
    </>
  )
}
