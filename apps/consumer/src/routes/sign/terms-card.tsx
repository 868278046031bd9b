import type { ShownApproval } from '@countersign/client/approvals.ts'
import { Address } from '@countersign/ui/address.tsx'
import { Moment } from '@countersign/ui/moment.tsx'
import { Money } from '@countersign/ui/money.tsx'
import { Notice } from '@countersign/ui/notice.tsx'
import { Card, Fact, Facts } from '@countersign/ui/page.tsx'
import { Trans } from '@lingui/react/macro'
import { useOrganization } from '../../data/organization.tsx'
import { isKnownAddress } from './known-addresses.ts'

type Props = { shown: ShownApproval; deadlineSeconds: number | null }

/** What the signature will pay. Everything here is part of what is hashed and compared. */
export function TermsCard({ shown: { expense, vault }, deadlineSeconds }: Props) {
  const { revision } = expense
  const { id: organizationId } = useOrganization()
  const isNewVault = !isKnownAddress(organizationId, vault.address)
  const isNew = !isKnownAddress(organizationId, revision.recipientAddress)
  return (
    <Card>
      <Facts>
        <Fact term={<Trans>Pay</Trans>}>
          <span className="text-3xl">
            <Money baseUnits={revision.amountBaseUnits} isStrong />
          </span>
        </Fact>
        <Fact term={<Trans>To</Trans>}>
          <Address address={revision.recipientAddress} name={revision.recipientLabel} />
          {isNew && (
            <div className="mt-2">
              <Notice tone="warn">
                <Trans>
                  This browser has not signed a payment to this address before. Compare the address
                  with the invoice, or ask the recipient.
                </Trans>
              </Notice>
            </div>
          )}
        </Fact>
        <Fact term={<Trans>From</Trans>}>
          <Address address={vault.address} name={vault.label} />
          {isNewVault && (
            <div className="mt-2">
              <Notice tone="warn">
                <Trans>
                  This browser has not signed for this vault before. Labels can repeat: compare the
                  address with one that you know, or ask an owner of the organization.
                </Trans>
              </Notice>
            </div>
          )}
        </Fact>
        <Fact term={<Trans>For</Trans>}>
          <bdi className="whitespace-pre-wrap">{revision.purpose}</bdi>
        </Fact>
        {revision.reference && (
          <Fact term={<Trans>Reference</Trans>}>
            <bdi>{revision.reference}</bdi>
          </Fact>
        )}
        <Fact term={<Trans>Until</Trans>}>
          {deadlineSeconds === null ? (
            <Trans>an hour after you continue</Trans>
          ) : (
            <Deadline seconds={deadlineSeconds} />
          )}
        </Fact>
        <Fact term={<Trans>Policy</Trans>}>
          {vault.policy ? (
            <Trans>
              version {vault.policy.version}, up to <Money baseUnits={vault.policy.approvedCap} />{' '}
              with a signature
            </Trans>
          ) : (
            <Trans>none</Trans>
          )}
        </Fact>
      </Facts>
    </Card>
  )
}

function Deadline({ seconds }: { seconds: number }) {
  const at = new Date(seconds * 1_000).toISOString()
  return (
    <>
      <Moment at={at} style="full" /> (<Moment at={at} />)
    </>
  )
}
