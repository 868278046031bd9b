import { SignatureCount } from '@countersign/app-kit/words/signature-count.tsx'
import { Address } from '@countersign/ui/address.tsx'
import { Moment } from '@countersign/ui/moment.tsx'
import { Money } from '@countersign/ui/money.tsx'
import { Card, Fact, Facts } from '@countersign/ui/page.tsx'
import { useLingui } from '@lingui/react/macro'
import { RecipientNote } from '../../../approval/recipient-note.tsx'
import { isShared, signaturesOf } from '../../../approval/signatures.ts'
import { useExplorer } from '../../../data/explorer.ts'
import { usePeople } from '../../../data/people.ts'
import { CalendarDay } from '../calendar-day.tsx'
import type { Expense, Vault } from '../expense-types.ts'
import { Attachments } from './attachments.tsx'

/** The terms of the current revision. The address is never shortened here: people decide by it. */
export function ExpenseFacts({ expense, vault }: { expense: Expense; vault: Vault | null }) {
  const { t } = useLingui()
  const { nameOf } = usePeople()
  const { revision } = expense
  const signatures = signaturesOf(expense)
  const explorerUrl = useExplorer().address(revision.recipientAddress)
  const isOpen = !['paid', 'rejected', 'cancelled'].includes(expense.state)
  return (
    <Card>
      <Facts>
        <Fact term={t`Amount`}>
          <span className="text-xl">
            <Money baseUnits={revision.amountBaseUnits} isStrong />
          </span>
        </Fact>
        <Fact term={t`Recipient`}>
          <Address
            address={revision.recipientAddress}
            name={revision.recipientLabel}
            explorerUrl={explorerUrl}
          />
          {isOpen && <RecipientNote vault={vault} address={revision.recipientAddress} />}
        </Fact>
        <Fact term={t`From`}>
          <bdi>{vault?.label ?? '…'}</bdi>
        </Fact>
        <Fact term={t`How`}>
          {revision.requestedMode === 'approved'
            ? t`A person signs`
            : t`Automatic, if every check passes`}
        </Fact>
        {isShared(signatures) && signatures.signed.length + signatures.missing > 0 && (
          <Fact term={t`Signatures`}>
            <SignatureCount signed={signatures.signed.length} required={signatures.required} />
          </Fact>
        )}
        <Fact term={t`Submitter`}>
          <bdi>{nameOf(expense.submitterAccountId, expense.submitterDisplayName)}</bdi>,{' '}
          <Moment at={expense.createdAt} style="full" />
        </Fact>
        {revision.category && (
          <Fact term={t`Category`}>
            <bdi>{revision.categoryName ?? revision.category}</bdi>
          </Fact>
        )}
        {revision.reference && (
          <Fact term={t`Reference`}>
            <bdi>{revision.reference}</bdi>
          </Fact>
        )}
        {revision.dueDate && (
          <Fact term={t`Due`}>
            <CalendarDay day={revision.dueDate} />
          </Fact>
        )}
        {revision.attachments && revision.attachments.length > 0 && (
          <Fact term={t`Files`}>
            <Attachments files={revision.attachments} />
          </Fact>
        )}
      </Facts>
    </Card>
  )
}
