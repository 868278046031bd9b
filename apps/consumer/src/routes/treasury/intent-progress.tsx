import { FailureNotice } from '@countersign/app-kit/shell/failure-notice.tsx'
import type { Failure } from '@countersign/client/errors.ts'
import type { ItemOf } from '@countersign/client/operation-types.ts'
import { Button } from '@countersign/ui/button.tsx'
import { Moment } from '@countersign/ui/moment.tsx'
import { Notice } from '@countersign/ui/notice.tsx'
import { Timeline } from '@countersign/ui/timeline.tsx'
import { Trans, useLingui } from '@lingui/react/macro'
import type { ReactNode } from 'react'
import type { Hex } from 'viem'
import { TransactionHash } from '../../wallet/transaction-hash.tsx'
import { AnotherHashForm } from './another-hash-form.tsx'
import { useIntentFailureText } from './intent-failures.ts'
import { nextOf, stepsOf } from './intent-steps.ts'

type Intent = Pick<
  ItemOf<'listPolicyIntents'>,
  'state' | 'failureCode' | 'transactionHash' | 'createdAt'
> & { submittedAt?: string | null; activatesAt?: string | null }

type Props = {
  intent: Intent
  /** A hash that this browser sent and the service may not know yet. */
  keptHash: Hex | null
  onSubmit(hash: Hex): void
  isBusy: boolean
  failure: Failure | null
  onAgain(): void
  /** Shown while the wallet has to send it. */
  signing?: ReactNode
  done: ReactNode
  /** Shown while a policy waits for its time. */
  proposed?: ReactNode
}

/** Prepared, sent, confirmed: live, and the same after a reload. */
export function IntentProgress({
  intent,
  keptHash,
  onSubmit,
  isBusy,
  failure,
  onAgain,
  signing,
  done,
  proposed,
}: Props) {
  const { t } = useLingui()
  const failureText = useIntentFailureText()
  const steps = stepsOf(intent)
  const next = nextOf(intent, keptHash)
  const hash = intent.transactionHash ?? keptHash
  return (
    <div className="flex flex-col gap-5">
      <div aria-live="polite">
        <Timeline
          label={t`Progress of the transaction`}
          steps={[
            {
              id: 'prepared',
              when: steps.prepared,
              title: t`Prepared`,
              at: <Moment at={intent.createdAt} />,
            },
            {
              id: 'submitted',
              when: next === 'resume' ? 'past' : steps.submitted,
              title: steps.submitted === 'past' || next === 'resume' ? t`Sent` : t`Sign and send`,
              at: intent.submittedAt ? <Moment at={intent.submittedAt} /> : undefined,
              children: hash ? <TransactionHash hash={hash} /> : undefined,
            },
            {
              id: 'confirmed',
              when: next === 'resume' ? 'now' : steps.confirmed,
              title:
                steps.confirmed === 'past'
                  ? t`Confirmed on chain`
                  : next === 'proposed'
                    ? t`On chain, and waiting`
                    : steps.confirmed === 'failed'
                      ? t`Not confirmed`
                      : t`Confirmation on chain`,
              children:
                next === 'wait' || next === 'resume' ? (
                  <Trans>Usually within a minute. You can leave this page.</Trans>
                ) : next === 'proposed' && intent.activatesAt ? (
                  <Trans>
                    It comes into force <Moment at={intent.activatesAt} style="full" />.
                  </Trans>
                ) : undefined,
            },
          ]}
        />
      </div>
      {failure && (
        <FailureNotice
          failure={failure}
          onRetry={keptHash ? () => onSubmit(keptHash) : undefined}
        />
      )}
      {next === 'sign' && signing}
      {next === 'lost' && (
        <Notice tone="warn" isLive title={<Trans>No node has seen this transaction yet</Trans>}>
          <Trans>
            Look in your wallet: it may still wait there with a low fee. It is looked for during a
            day; nothing else is needed if it appears.
          </Trans>
        </Notice>
      )}
      {next === 'another_hash' && (
        <>
          <Notice tone="warn" isLive title={failureText(intent.failureCode)} />
          <AnotherHashForm isBusy={isBusy} onSubmit={onSubmit} />
        </>
      )}
      {(next === 'prepare_again' || next === 'another_hash') && (
        <>
          {next === 'prepare_again' && (
            <Notice tone="bad" isLive title={failureText(intent.failureCode)} />
          )}
          <div>
            <Button onClick={onAgain}>
              <Trans>Prepare it again</Trans>
            </Button>
          </div>
        </>
      )}
      {next === 'proposed' && proposed}
      {next === 'done' && done}
    </div>
  )
}
