import { useRead } from '@countersign/app-kit/data/queries.ts'
import { ReadView } from '@countersign/app-kit/shell/read-view.tsx'
import type { DataOf } from '@countersign/client/operation-types.ts'
import { Address, Hash } from '@countersign/ui/address.tsx'
import { buttonStyle } from '@countersign/ui/button.tsx'
import { Moment } from '@countersign/ui/moment.tsx'
import { Money } from '@countersign/ui/money.tsx'
import { Notice } from '@countersign/ui/notice.tsx'
import { Card, Empty, Fact, Facts, Page } from '@countersign/ui/page.tsx'
import { Trans, useLingui } from '@lingui/react/macro'
import { Link } from '@tanstack/react-router'
import { CircleCheckBig } from 'lucide-react'
import { ReadAgain } from '../../shell/read-again.tsx'

type Failures = DataOf<'listFailures'>

/** Payments that vaults made and nobody asked for here: perhaps somebody has an executor's key. */
export function UnrecordedPage() {
  const { t } = useLingui()
  const failures = useRead('listFailures', {})
  return (
    <Page
      title={<Trans>Unrecorded payments</Trans>}
      lead={
        <Trans>
          Vaults made these payments, and the service has no record of having sent them.
        </Trans>
      }
      actions={<ReadAgain of={failures} />}
    >
      <ReadView of={failures} lines={6}>
        {({ unrecordedPayments, organizations }) =>
          unrecordedPayments.length === 0 ? (
            <Empty
              icon={<CircleCheckBig aria-hidden="true" />}
              title={<Trans>Every payment of every vault is recorded</Trans>}
            >
              <Trans>Those that an owner has acknowledged are not listed any more.</Trans>
            </Empty>
          ) : (
            <>
              <Notice tone="bad" title={<Trans>Someone else may have an executor's key</Trans>}>
                <Trans>
                  Find out who sent each of them. If it was a stranger, an owner pauses the policy
                  at once. When the cause is known, an owner acknowledges it. You cannot do either
                  from here.
                </Trans>
              </Notice>
              <ul aria-label={t`Unrecorded payments`} className="mt-4 flex flex-col gap-4">
                {unrecordedPayments.map((payment) => (
                  <Unrecorded
                    key={payment.id}
                    payment={payment}
                    name={organizations.find(({ id }) => id === payment.organizationId)?.name}
                  />
                ))}
              </ul>
            </>
          )
        }
      </ReadView>
    </Page>
  )
}

type Props = { payment: Failures['unrecordedPayments'][number]; name: string | undefined }

const Unrecorded = ({ payment, name }: Props) => (
  <li>
    <Card>
      <div className="mb-4 flex flex-wrap items-center justify-between gap-3">
        <span className="text-xl">
          <Money baseUnits={payment.amountBaseUnits} isStrong />
        </span>
        <Link
          to="/organizations/$organizationId"
          params={{ organizationId: payment.organizationId }}
          className={buttonStyle({ size: 'small' })}
        >
          <bdi className="max-w-56 truncate">{name ?? <Trans>Open the organization</Trans>}</bdi>
        </Link>
      </div>
      <Facts>
        <Fact term={<Trans>To</Trans>}>
          <Address address={payment.recipientAddress} name={payment.recipientLabel} />
        </Fact>
        <Fact term={<Trans>From the vault</Trans>}>
          <Address address={payment.vaultAddress} />
        </Fact>
        <Fact term={<Trans>Transaction</Trans>}>
          <Hash hash={payment.transactionHash} />
        </Fact>
        <Fact term={<Trans>Executed</Trans>}>
          <Trans>
            <Moment at={payment.executedAt} style="full" />, in block {payment.blockNumber}
          </Trans>
        </Fact>
        <Fact term={<Trans>Signed by</Trans>}>
          {payment.approverAddress ? (
            <Address address={payment.approverAddress} />
          ) : (
            <Trans>Nobody: it was an automatic payment</Trans>
          )}
        </Fact>
      </Facts>
    </Card>
  </li>
)
