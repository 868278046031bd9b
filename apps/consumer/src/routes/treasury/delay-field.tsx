import { durationWords } from '@countersign/ui/duration.ts'
import { ChoiceGroup, Radio } from '@countersign/ui/field.tsx'
import { useRegion } from '@countersign/ui/use-region.ts'
import { Trans, useLingui } from '@lingui/react/macro'
import { Duration } from './policy-limit-words.tsx'

const DELAYS = [0, 3_600, 86_400, 259_200, 604_800]

/** How long new policies and recipients of a vault wait. It can never be changed. */
export function DelayField({
  delay,
  onChange,
}: {
  delay: number
  onChange(seconds: number): void
}) {
  const { t } = useLingui()
  const region = useRegion()
  return (
    <ChoiceGroup label={<Trans>How long do new policies and recipients wait?</Trans>}>
      <p className="mt-1 text-muted text-sm">
        <Trans>
          While a change waits, the owner and every approver see it and can stop it. Pausing,
          removing and blocking always take effect at once. This cannot be changed later.
        </Trans>
      </p>
      {DELAYS.map((seconds) => (
        <Radio
          key={seconds}
          name="changeDelay"
          value={seconds}
          checked={delay === seconds}
          onChange={() => onChange(seconds)}
          label={seconds === 0 ? t`Not at all` : durationWords(seconds, region)}
          {...(seconds === 0 && {
            hint: t`Whatever the owner's wallet signs counts in the next block, a mistake too.`,
          })}
        />
      ))}
    </ChoiceGroup>
  )
}

export const ChangeDelay = ({ seconds }: { seconds: number }) =>
  seconds === 0 ? <Trans>not at all</Trans> : <Duration seconds={seconds} />
