import { Moment } from '@countersign/ui/moment.tsx'
import { Notice } from '@countersign/ui/notice.tsx'
import { Plural, Trans } from '@lingui/react/macro'
import { openAttemptOf } from './next-step.ts'
import type { PaymentStory } from './story-steps.ts'

/** Why a payment that was sent does not arrive. */
export function UnminedNotice({ story }: { story: PaymentStory }) {
  const { attempts, attemptsAhead } = story
  const last = openAttemptOf(story)
  const [first] = attemptsAhead
  if (!last) return null
  const since = attempts.at(-1)?.createdAt ?? last.createdAt
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
          Nonce {last.nonce}, sent <Moment at={since} style="full" />
        </Trans>
        {', '}
        <Plural value={attempts.length} one="# attempt" other="# attempts" />
      </p>
    </Notice>
  )
}
