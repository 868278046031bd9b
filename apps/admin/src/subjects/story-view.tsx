import { PaymentMark } from '@countersign/app-kit/words/payment-mark.tsx'
import { nameOf } from '@countersign/app-kit/words/people.ts'
import { ExpenseMark } from '@countersign/app-kit/words/state-mark.tsx'
import { Address } from '@countersign/ui/address.tsx'
import { Disclosure } from '@countersign/ui/disclosure.tsx'
import { Money } from '@countersign/ui/money.tsx'
import { Card, Fact, Facts, Section } from '@countersign/ui/page.tsx'
import { Trans } from '@lingui/react/macro'
import { CasesSection } from './cases-section.tsx'
import { Outlook } from './outlook.tsx'
import type { PaymentStory } from './story-steps.ts'
import { StoryTimeline } from './story-timeline.tsx'
import { TrailSection } from './trail-section.tsx'

/** Also shown beside a case that is about the payment. */
export function StoryView({
  story,
  isBeside = false,
}: {
  story: PaymentStory
  isBeside?: boolean
}) {
  const { expense, payment, vault } = story
  const { revision } = expense
  return (
    <div className={isBeside ? 'flex flex-col gap-6' : 'grid gap-6 xl:grid-cols-[1fr_24rem]'}>
      <div className="flex min-w-0 flex-col gap-6">
        <Card>
          <div className="mb-4 flex flex-wrap items-center justify-between gap-3">
            <span className="text-2xl">
              <Money baseUnits={payment?.amountBaseUnits ?? revision.amountBaseUnits} isStrong />
            </span>
            {payment ? (
              <PaymentMark state={payment.state} />
            ) : (
              <ExpenseMark state={expense.state} />
            )}
          </div>
          <Facts>
            <Fact term={<Trans>To</Trans>}>
              <Address address={revision.recipientAddress} name={revision.recipientLabel} />
            </Fact>
            <Fact term={<Trans>Asked by</Trans>}>
              <bdi>
                {nameOf({
                  accountId: expense.submitterAccountId,
                  displayName: expense.submitterDisplayName,
                })}
              </bdi>
            </Fact>
            <Fact term={<Trans>From</Trans>}>
              {vault ? <bdi>{vault.label}</bdi> : <Trans>an unknown vault</Trans>}
            </Fact>
            <Fact term={<Trans>Payment</Trans>}>
              <span className="break-all font-mono text-sm">{expense.paymentId}</span>
            </Fact>
            {payment?.providerReference && (
              <Fact term={<Trans>At the provider</Trans>}>
                <span className="break-all font-mono text-sm">{payment.providerReference}</span>
              </Fact>
            )}
          </Facts>
        </Card>
        {isBeside && <Outlook story={story} isBeside />}
        <div>
          <Section title={<Trans>What happened</Trans>}>
            <Card>
              <StoryTimeline story={story} />
            </Card>
          </Section>
        </div>
        {!isBeside && (
          <Disclosure
            title={
              <Trans>
                What the organization's trail says about it ({story.auditEvents.length})
              </Trans>
            }
          >
            <TrailSection events={story.auditEvents} />
          </Disclosure>
        )}
      </div>
      {!isBeside && (
        <div className="flex min-w-0 flex-col gap-6 max-xl:-order-1">
          <Outlook story={story} />
          {story.supportCases.length > 0 && (
            <div>
              <Section title={<Trans>Cases about it</Trans>}>
                <CasesSection cases={story.supportCases} />
              </Section>
            </div>
          )}
        </div>
      )}
    </div>
  )
}
