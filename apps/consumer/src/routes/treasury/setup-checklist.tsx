import { classes } from '@countersign/ui/classes.ts'
import { Card, Section } from '@countersign/ui/page.tsx'
import { useRegion } from '@countersign/ui/use-region.ts'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Check } from 'lucide-react'
import { SETUP_STEPS, type SetupStep } from './setup-steps.ts'
import { SetupStepLink, useSetupWords } from './setup-words.tsx'

type Props = { steps: readonly SetupStep[]; vaultId: string | undefined }

/** What is still missing before the organization can pay. */
export function SetupChecklist({ steps, vaultId }: Props) {
  const { t } = useLingui()
  const done = steps.filter(({ state }) => state === 'done').length
  const total = steps.length
  return (
    <Section
      title={<Trans>Set up the treasury</Trans>}
      note={
        <Trans>
          {done} of {total} done
        </Trans>
      }
    >
      <Card isFlush>
        <ol aria-label={t`Steps`} className="divide-y divide-line overflow-hidden rounded-lg">
          {steps.map((step, index) => (
            <StepRow key={step.id} step={step} number={index + 1} vaultId={vaultId} />
          ))}
        </ol>
      </Card>
    </Section>
  )
}

type RowProps = { step: SetupStep; number: number; vaultId: string | undefined }

function StepRow({ step, number, vaultId }: RowProps) {
  const region = useRegion()
  const words = useSetupWords()
  const { title, why, who, action } = words[step.id]
  const isDone = step.state === 'done'
  const isNext = step.state === 'next'
  const numbers = step.needs.map((id) => SETUP_STEPS.indexOf(id) + 1)
  const needs = new Intl.ListFormat(region).format(numbers.map(String))
  return (
    <li
      aria-current={isNext ? 'step' : undefined}
      className={classes(
        'flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3 sm:flex-nowrap sm:px-5',
        isNext && 'bg-selected',
      )}
    >
      <span
        aria-hidden="true"
        className={classes(
          'figures flex size-7 shrink-0 items-center justify-center rounded-full border font-medium text-sm',
          isDone && 'border-transparent bg-ok-soft text-ok',
          isNext && 'border-accent bg-surface text-accent',
          !isDone && !isNext && 'border-line text-muted',
        )}
      >
        {isDone ? <Check className="size-4" /> : number}
      </span>
      <div className="min-w-0 flex-1 basis-48">
        <p className={classes(isNext && 'font-medium', isDone && 'text-muted')}>
          {title}
          {isDone && (
            <span className="sr-only">
              : <Trans>done</Trans>
            </span>
          )}
        </p>
        {!isDone && (
          <p className="text-pretty text-muted text-sm">
            {why}{' '}
            {step.state === 'later' ? (
              <Plural
                value={numbers.length}
                one={`After step ${needs}.`}
                other={`After steps ${needs}.`}
              />
            ) : (
              !step.isYours && <Trans>This is for {who}.</Trans>
            )}
          </p>
        )}
      </div>
      {!isDone && step.state !== 'later' && step.isYours && (
        <span className="ms-11 sm:ms-0">
          <SetupStepLink step={step} vaultId={vaultId}>
            {action}
          </SetupStepLink>
        </span>
      )}
    </li>
  )
}
