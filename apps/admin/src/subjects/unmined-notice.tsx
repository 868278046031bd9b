import { Moment } from '@countersign/ui/moment.tsx'
import { Notice } from '@countersign/ui/notice.tsx'
import { Plural, Trans } from '@lingui/react/macro'
import { openAttemptsOf } from './next-step.ts'
import type { PaymentStory } from './story-steps.ts'

/** Why a payment that was sent does not arrive. */
export function UnminedNotice({ story }: { story: PaymentStory }) {
  const attempts = openAttemptsOf(story)
  const oldest = attempts.at(-1)
  const [first] = story.attemptsAhead
  if (!oldest) return null
  return (
    <Notice
      tone="bad"
      title={
        first ? (
          <Trans>Nonce {first.nonce} of the executor is not mined, so this one has to wait</Trans>
        ) : (
          <Trans>The chain does not mine its transaction</Trans>
        )
      }
    >
      <p>
        <Trans>
          Nonce {oldest.nonce}, sent <Moment at={oldest.createdAt} style="full" />
        </Trans>
        {', '}
        <Plural value={attempts.length} one="# attempt" other="# attempts" />
      </p>
    </Notice>
  )
}
