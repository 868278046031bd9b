import type { ShownApproval } from '@countersign/client/approvals.ts'
import { Address } from '@countersign/ui/address.tsx'
import { Moment, useNow } from '@countersign/ui/moment.tsx'
import { Money } from '@countersign/ui/money.tsx'
import { Notice } from '@countersign/ui/notice.tsx'
import { Card, Fact, Facts } from '@countersign/ui/page.tsx'
import { Trans } from '@lingui/react/macro'
import { isShared, sharedDeadline, signaturesOf } from '../../approval/signatures.ts'
import { useOrganization } from '../../data/organization.tsx'
import { isKnownAddress } from './known-addresses.ts'
import { PeriodNotice } from './period-notice.tsx'
import { SignaturesFact } from './signatures-fact.tsx'

type Props = {
  shown: ShownApproval
  /** As it is now: others may sign meanwhile, which changes nothing of what is signed here. */
  live: ShownApproval['expense']
  deadlineSeconds: number | null
}

/** What the signature will pay. Everything here is part of what is hashed and compared. */
export function TermsCard({ shown: { expense, vault }, live, deadlineSeconds }: Props) {
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
                  You have not signed a payment to this address here since you signed in. Compare
                  the address with the invoice, or ask the recipient.
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
                  You have not signed for this vault here since you signed in. Labels can repeat:
                  compare the address with one that you know, or ask an owner of the organization.
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
        <Fact term={<Trans>Signatures</Trans>}>
          <SignaturesFact expense={live} vault={vault} />
        </Fact>
        <Fact term={<Trans>Until</Trans>}>
          <Until live={live} deadlineSeconds={deadlineSeconds} />
        </Fact>
        <Fact term={<Trans>Policy</Trans>}>
          {vault.policy ? (
            <Trans>
              version {vault.policy.version}, up to <Money baseUnits={vault.policy.approvedCap} />{' '}
              with a signature
            </Trans>
          ) : (
            <Trans context="policy">none</Trans>
          )}
        </Fact>
      </Facts>
      <PeriodNotice vault={vault} expense={live} />
    </Card>
  )
}

/** All signatures of a payment share one deadline. */
function Until({ live, deadlineSeconds }: Pick<Props, 'live' | 'deadlineSeconds'>) {
  const { accountId } = useOrganization()
  const now = useNow().getTime()
  const { required } = signaturesOf(live)
  const shared = sharedDeadline(live, { accountId, now })
  const at = deadlineSeconds === null ? shared : new Date(deadlineSeconds * 1_000).toISOString()
  if (at === null) {
    return isShared({ required }) ? (
      <Trans>a day after you continue, for everybody who signs</Trans>
    ) : (
      <Trans>an hour after you continue</Trans>
    )
  }
  return (
    <>
      <Deadline at={at} />
      {isShared({ required }) && (
        <span className="block text-muted text-sm">
          <Trans>Every signature must be there by then.</Trans>
        </span>
      )}
    </>
  )
}

function Deadline({ at }: { at: string }) {
  return (
    <>
      <Moment at={at} style="full" /> (<Moment at={at} />)
    </>
  )
}
