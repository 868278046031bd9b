import type { DataOf } from '@countersign/client/operation-types.ts'
import { Address } from '@countersign/ui/address.tsx'
import { Moment } from '@countersign/ui/moment.tsx'
import { Money } from '@countersign/ui/money.tsx'
import { Card, Section } from '@countersign/ui/page.tsx'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import type { ReactNode } from 'react'
import { transactionUrl } from '../../data/explorer.ts'
import { useOrganization } from '../../data/organization.tsx'
import { LinkRow } from './link-row.tsx'
import type { CheckedLinks, LinkId } from './links.ts'
import type { PaymentDetail } from './payment-view.tsx'

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
    signed: t`Signed`,
    executed: t`Executed`,
    on_chain: t`On chain`,
  }
  const texts: Record<LinkId, ReactNode> = {
    asked: <Asked {...{ evidence, expense }} />,
    analysed: <Analysed evidence={evidence} />,
    reviewed: <Reviewed expense={expense} revision={evidence.revision.revision} />,
    policy: <Policy evidence={evidence} />,
    signed: <Signed {...{ evidence, checked }} />,
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
    ...(evidence.approval && { signed: evidence.approval.digest }),
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

type Evidence = NonNullable<PaymentDetail['evidence']>

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
  if (reviews.length === 0) return <Trans>No review was needed, or you may not see it.</Trans>
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

function Policy({ evidence: { policy, payment } }: { evidence: Evidence }) {
  if (!policy) return <Trans>The policy of that version is not there.</Trans>
  const cap = payment.mode === 'automatic' ? policy.automaticCap : policy.approvedCap
  return (
    <>
      <Trans>
        Version {policy.version}, up to <Money baseUnits={cap} />, recipient listed, until{' '}
        <Moment at={policy.expiresAt} style="date" />. Set in transaction
      </Trans>{' '}
      <TransactionLink hash={policy.chainTransactionHash} />
    </>
  )
}

function Signed({
  evidence: { approval },
  checked,
}: {
  evidence: Evidence
  checked: CheckedLinks
}) {
  if (!approval) return <Trans>No signature: the policy allows automatic payments.</Trans>
  return (
    <>
      {checked.isByContract ? (
        <Trans>By a contract wallet. Only the chain can check its signature:</Trans>
      ) : (
        <Trans>The signer was recovered from the digest here:</Trans>
      )}
      <Address address={approval.approverAddress} />
    </>
  )
}

function Executed({ detail: { payment, receipt, attempts } }: { detail: PaymentDetail }) {
  const { transactionHash } = payment
  if (!transactionHash) return <Trans>Nothing was sent yet.</Trans>
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

function TransactionLink({ hash }: { hash: string }) {
  const { config } = useOrganization()
  const url = transactionUrl(config, hash)
  const text = <span className="break-all font-mono text-xs">{hash}</span>
  return url ? (
    <a href={url} target="_blank" rel="noreferrer" className="text-accent hover:underline">
      {text}
    </a>
  ) : (
    text
  )
}
