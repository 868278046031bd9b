import { Moment } from '@countersign/ui/moment.tsx'
import { Trans } from '@lingui/react/macro'
import type { Evidence } from './payment-view.tsx'
import { TransactionLink } from './transaction-link.tsx'

/** The vault's own log that allowed the recipient. */
export function RecipientText({ evidence: { recipient } }: { evidence: Evidence }) {
  if (!recipient) return <Trans>The log that allowed the recipient is not there.</Trans>
  return (
    <Trans>
      On the vault's list since change {recipient.recipientsVersion}, allowed from{' '}
      <Moment at={recipient.allowedFrom} style="full" /> on. Logged in transaction{' '}
      <TransactionLink hash={recipient.transactionHash} />
    </Trans>
  )
}
