import type { DataOf } from '@countersign/client/operation-types.ts'
import { Card, Section } from '@countersign/ui/page.tsx'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import type { ReactNode } from 'react'
import { LinkRow } from './link-row.tsx'
import type { CheckedLinks, LinkId } from './links.ts'
import type { Evidence, PaymentDetail } from './payment-view.tsx'
import { PolicyText } from './policy-text.tsx'
import { RecipientText } from './recipient-text.tsx'
import { SignedText } from './signed-text.tsx'
import { TransactionLink } from './transaction-link.tsx'

type Props = {
  detail: PaymentDetail
  checked: CheckedLinks
  expense: DataOf<'getExpense'> | undefined
}

/** From the request to the vault's own log, each link with the hash that leads to the next. */
export function EvidenceLinks({ detail, checked, expense }: Props) {
  const { t } = useLingui()
  const { evidence } = detail
  if (!evidence) return null
  const isLogWrong = checked.links.some(({ id, status }) => id === 'on_chain' && status === 'fails')
  const titles: Record<LinkId, string> = {
    asked: t`Asked`,
    analysed: t`Analysed`,
    reviewed: t`Reviewed`,
    policy: t`Policy`,
    recipient: t`Recipient`,
    signed: t`Signed`,
    executed: t`Executed`,
    on_chain: t`On chain`,
  }
  const texts: Record<LinkId, ReactNode> = {
    asked: <Asked {...{ evidence, expense }} />,
    analysed: <Analysed evidence={evidence} />,
    reviewed: <Reviewed expense={expense} revision={evidence.revision.revision} />,
    policy: <PolicyText evidence={evidence} />,
    recipient: <RecipientText evidence={evidence} />,
    signed: <SignedText {...{ evidence, checked }} />,
    executed: <Executed detail={detail} />,
    on_chain: isLogWrong ? (
      <Trans>The vault's own log differs from what was asked for.</Trans>
    ) : evidence.event ? (
      <Trans>The vault's own log has every field as it was asked for.</Trans>
    ) : (
      <Trans>The vault has logged nothing final yet.</Trans>
    ),
  }
  const hashes: Partial<Record<LinkId, string>> = {
    asked: evidence.revision.versionHash,
    analysed: evidence.report.reportHash,
    executed: evidence.payment.chainPaymentId,
    ...(evidence.event && { on_chain: evidence.event.blockHash }),
  }
  return (
    <Section title={<Trans>From the request to the chain</Trans>}>
      <Card isFlush>
        <ol className="divide-y divide-line">
          {checked.links.map((link, index) => (
            <LinkRow
              key={link.id}
              link={link}
              number={index + 1}
              title={titles[link.id]}
              hash={hashes[link.id]}
            >
              {texts[link.id]}
            </LinkRow>
          ))}
        </ol>
      </Card>
    </Section>
  )
}

const Asked = ({ evidence, expense }: { evidence: Evidence; expense: Props['expense'] }) => (
  <>
    <Trans>
      <bdi>{expense?.submitterDisplayName ?? '–'}</bdi>, revision {evidence.revision.revision}:
    </Trans>{' '}
    <bdi>{evidence.revision.purpose}</bdi>
  </>
)

const Analysed = ({ evidence: { report } }: { evidence: Evidence }) => (
  <Trans>
    {report.output.checks.length} checks, risk {report.output.riskScore} of 100
  </Trans>
)

function Reviewed({ expense, revision }: { expense: Props['expense']; revision: number }) {
  const reviews = expense?.reviews?.filter((review) => review.revision === revision) ?? []
  if (reviews.length === 0)
    return <Trans>No review was needed, or you are not allowed to see it.</Trans>
  return (
    <ul>
      {reviews.map(({ displayName, reason, createdAt }) => (
        <li key={createdAt}>
          <bdi>{displayName ?? '–'}</bdi>: <bdi>{reason}</bdi>
        </li>
      ))}
    </ul>
  )
}

function Executed({ detail: { payment, receipt, attempts } }: { detail: PaymentDetail }) {
  const { transactionHash } = payment
  if (!transactionHash) return <Trans>Nothing has been sent yet.</Trans>
  return (
    <>
      <Trans>Attempt {attempts.length}, transaction</Trans>{' '}
      <TransactionLink hash={transactionHash} />
      {receipt && (
        <>
          <br />
          <Trans>Paid, in block {receipt.blockNumber}</Trans> (
          <Plural value={receipt.confirmations} one="# confirmation" other="# confirmations" />)
        </>
      )}
    </>
  )
}
