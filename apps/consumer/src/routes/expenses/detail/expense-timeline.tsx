import { Postponed } from '@countersign/app-kit/words/postponed.tsx'
import { Moment } from '@countersign/ui/moment.tsx'
import { Money } from '@countersign/ui/money.tsx'
import { Section } from '@countersign/ui/page.tsx'
import { type Step, Timeline } from '@countersign/ui/timeline.tsx'
import { Trans, useLingui } from '@lingui/react/macro'
import { signaturesOf } from '../../../approval/signatures.ts'
import { type People, usePeople } from '../../../data/people.ts'
import { reviewersOf, type Situation, signersOf } from './actions.ts'
import { DifferenceList } from './difference-list.tsx'
import type { Happened, History, Waiting } from './history.ts'
import { SigningDetail } from './signing-detail.tsx'
import { useWaitingText } from './waiting-text.ts'

type Props = { history: History; situation: Situation }

export function ExpenseTimeline({ history, situation }: Props) {
  const { t } = useLingui()
  const people = usePeople()
  const { nowText, nextText } = useWaitingText({
    reviewers: reviewersOf(situation),
    signers: signersOf(situation),
    submitter: situation.expense.submitterAccountId,
    required: signaturesOf(situation.expense).required,
  })
  const { past, now, next } = history
  const steps: Step[] = [
    ...past.map((event, index) => ({
      id: `${event.kind} ${event.at} ${index}`,
      when: 'past' as const,
      at: <Moment at={event.at} style="full" />,
      ...stepOf(event, people),
    })),
    ...(now
      ? [
          {
            id: 'now',
            when: now.kind === 'blocked' ? ('failed' as const) : ('now' as const),
            title: nowText(now),
            children: <NowDetail now={now} />,
          },
        ]
      : []),
    ...next.map((following) => ({
      id: following,
      when: 'next' as const,
      title: nextText(following),
    })),
  ]
  return (
    <Section title={<Trans>Timeline</Trans>}>
      <Timeline steps={steps} label={t`What happened and what follows`} />
    </Section>
  )
}

function NowDetail({ now }: { now: Waiting }) {
  if (now.kind === 'postponed') return <Postponed until={now.until} />
  return now.kind === 'for_signature' ? <SigningDetail signatures={now.signatures} /> : null
}

function stepOf(event: Happened, { mentionOf }: People): Pick<Step, 'title' | 'children'> {
  switch (event.kind) {
    case 'written':
      return {
        title: (
          <Trans>
            Created by <bdi>{mentionOf(event.revision.authorAccountId)}</bdi>,{' '}
            <Money baseUnits={event.revision.amountBaseUnits} />
          </Trans>
        ),
      }
    case 'revised':
      return {
        title: (
          <Trans>
            Revised by <bdi>{mentionOf(event.revision.authorAccountId)}</bdi>
          </Trans>
        ),
        children: (
          <>
            {event.revision.reason && <Quote text={event.revision.reason} />}
            <details>
              <summary className="cursor-pointer text-accent">
                <Trans>Differences</Trans>
              </summary>
              <DifferenceList differences={event.differences} />
            </details>
          </>
        ),
      }
    case 'analysed':
      return {
        title:
          event.warned + event.failed === 0 ? (
            <Trans>Analysed: every check passed</Trans>
          ) : (
            <Trans>
              Analysed: {event.failed} failed, {event.warned} with a warning
            </Trans>
          ),
      }
    case 'reviewed': {
      const { review } = event
      const name = <bdi>{mentionOf(review.accountId, review.displayName)}</bdi>
      const titles = {
        advance_to_approval: <Trans>Reviewed by {name}: accepted</Trans>,
        request_revision: <Trans>Changes asked for by {name}</Trans>,
        reject: <Trans>Rejected by {name}</Trans>,
      }
      return { title: titles[review.action], children: <Quote text={review.reason} /> }
    }
    case 'signed':
      return {
        title: (
          <Trans>
            Signed by <bdi>{mentionOf(event.approval.accountId, event.approval.displayName)}</bdi>
          </Trans>
        ),
        ...(event.isVoid && { children: <Trans>This signature no longer counts.</Trans> }),
      }
    case 'sent':
      return { title: <Trans>Sent to the chain, attempt {event.number}</Trans> }
    case 'paid':
      return { title: <Trans>Paid, in block {event.blockNumber}</Trans> }
    case 'cancelled':
      return { title: <Trans>Cancelled by the submitter</Trans> }
  }
}

const Quote = ({ text }: { text: string }) => (
  <q className="whitespace-pre-line text-text">
    <bdi>{text}</bdi>
  </q>
)
