import { nameOf } from '@countersign/app-kit/words/people.ts'
import { Postponed } from '@countersign/app-kit/words/postponed.tsx'
import { postponedUntilOf } from '@countersign/app-kit/words/postponed-until.ts'
import { SignatureCount } from '@countersign/app-kit/words/signature-count.tsx'
import { Hash } from '@countersign/ui/address.tsx'
import { Mark } from '@countersign/ui/mark.tsx'
import { Moment } from '@countersign/ui/moment.tsx'
import { Money } from '@countersign/ui/money.tsx'
import { Timeline } from '@countersign/ui/timeline.tsx'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import type { ReactNode } from 'react'
import { APPROVAL_STATES, ATTEMPT_STATES, RUN_STATES } from '../words/lifecycles.ts'
import { type PaymentStory, type StepId, stepsOf } from './story-steps.ts'

/** From the request to the chain. */
export function StoryTimeline({ story }: { story: PaymentStory }) {
  const { t } = useLingui()
  const titles: Record<StepId, string> = {
    asked: t`Asked for`,
    analysed: t`Analysed`,
    approved: story.payment?.mode === 'automatic' ? t`Allowed by the policy` : t`Signed`,
    reserved: t`Money set aside`,
    sent: t`Sent`,
    paid: t`On the chain`,
  }
  const parts: Record<StepId, ReactNode> = {
    asked: <Asked story={story} />,
    analysed: <Analysed story={story} />,
    approved: <Approved story={story} />,
    reserved: <Reserved story={story} />,
    sent: <Sent story={story} />,
    paid: <Paid story={story} />,
  }
  return (
    <Timeline
      label={t`The story of the payment`}
      steps={stepsOf(story).map(({ id, when, at }) => ({
        id,
        when,
        title: titles[id],
        at: at && <Moment at={at} style="full" />,
        children: parts[id],
      }))}
    />
  )
}

type Part = { story: PaymentStory }

const Asked = ({ story: { expense } }: Part) => (
  <>
    <Trans>
      Revision {expense.currentRevision}, <Money baseUnits={expense.revision.amountBaseUnits} />
    </Trans>
    {expense.revision.reason && (
      <bdi className="block whitespace-pre-wrap break-words">{expense.revision.reason}</bdi>
    )}
  </>
)

function Analysed({ story: { agentRuns, reports } }: Part) {
  const { i18n } = useLingui()
  const [report] = reports
  return (
    <ul className="flex flex-col gap-1">
      {agentRuns.map((run) => (
        <li key={run.id} className="flex flex-wrap items-center gap-x-3">
          <Mark kind={RUN_STATES[run.state].kind}>{i18n._(RUN_STATES[run.state].word)}</Mark>
          <Trans>revision {run.expenseRevision}</Trans>
          {run.failureCode && <span className="font-mono">{run.failureCode}</span>}
        </li>
      ))}
      {report && (
        <li>
          <Trans>
            Risk {report.output.riskScore}, recommends “{report.output.recommendation}”:
          </Trans>{' '}
          <bdi className="[overflow-wrap:anywhere]">{report.output.summary}</bdi>
        </li>
      )}
    </ul>
  )
}

function Approved({ story: { approvals, payment } }: Part) {
  const { i18n } = useLingui()
  if (approvals.length === 0 && payment?.mode === 'automatic') {
    return <Trans>Version {payment.policyVersion} of the policy. Nobody signed.</Trans>
  }
  return (
    <ul className="flex flex-col gap-1">
      {payment && payment.requiredApprovals > 1 && (
        <li>
          <SignatureCount signed={payment.signedApprovals} required={payment.requiredApprovals} />
        </li>
      )}
      {approvals.map((approval) => (
        <li key={approval.id} className="flex flex-wrap items-center gap-x-3">
          <Mark kind={APPROVAL_STATES[approval.state].kind}>
            {i18n._(APPROVAL_STATES[approval.state].word)}
          </Mark>
          <bdi>{nameOf(approval)}</bdi>
          <span>
            <Trans>
              until <Moment at={approval.deadline} style="full" />
            </Trans>
          </span>
          {approval.endCode && <span className="font-mono">{approval.endCode}</span>}
        </li>
      ))}
    </ul>
  )
}

const Reserved = ({ story: { payment } }: Part) =>
  payment && (
    <Trans>
      <Money baseUnits={payment.amountBaseUnits} /> under version {payment.policyVersion} of the
      policy, to be sent until <Moment at={payment.deadline} style="full" />
    </Trans>
  )

function Sent({ story: { attempts, payment } }: Part) {
  const { i18n } = useLingui()
  const until = postponedUntilOf(payment)
  if (attempts.length === 0 && until) return <Postponed until={until} />
  if (attempts.length === 0) {
    return payment && payment.state !== 'reserved' ? <Trans>No attempt was made.</Trans> : null
  }
  return (
    <ol className="flex flex-col gap-2">
      {attempts.map((attempt) => (
        <li key={attempt.id} className="flex flex-col gap-0.5">
          <span className="figures flex flex-wrap items-center gap-x-3">
            <Trans>Attempt {attempt.number}</Trans>
            <Mark kind={ATTEMPT_STATES[attempt.state].kind}>
              {i18n._(ATTEMPT_STATES[attempt.state].word)}
            </Mark>
            {attempt.nonce !== null && <Trans>nonce {attempt.nonce}</Trans>}
            {attempt.errorCode && <span className="font-mono text-bad">{attempt.errorCode}</span>}
          </span>
          {attempt.transactionHash && <Hash hash={attempt.transactionHash} />}
        </li>
      ))}
    </ol>
  )
}

const Paid = ({ story: { receipt } }: Part) =>
  receipt && (
    <>
      <span className="figures block">
        <Trans>
          Block {receipt.blockNumber},{' '}
          <Plural value={receipt.confirmations} one="# confirmation" other="# confirmations" />,{' '}
          {receipt.status}
        </Trans>
      </span>
      <Hash hash={receipt.transactionHash} />
    </>
  )
