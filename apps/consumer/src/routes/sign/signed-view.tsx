import { useRead } from '@countersign/app-kit/data/queries.ts'
import { ReadView } from '@countersign/app-kit/shell/read-view.tsx'
import { Address, Hash } from '@countersign/ui/address.tsx'
import { buttonStyle } from '@countersign/ui/button.tsx'
import { Money } from '@countersign/ui/money.tsx'
import { Notice } from '@countersign/ui/notice.tsx'
import { Card } from '@countersign/ui/page.tsx'
import { Timeline } from '@countersign/ui/timeline.tsx'
import { Trans, useLingui } from '@lingui/react/macro'
import { Link } from '@tanstack/react-router'
import { transactionUrl } from '../../data/explorer.ts'
import { useOrganization } from '../../data/organization.tsx'
import { progressOf } from './progress.ts'
import { useFocusHere } from './use-focus-here.ts'

type Props = { paymentId: string; expenseId: string; isNews: boolean }

/** Signed: set aside, sent, on the chain. It follows the live stream, and survives a reload. */
export function SignedView({ paymentId, expenseId, isNews }: Props) {
  const { t } = useLingui()
  const here = useFocusHere()
  const { id: organizationId, config } = useOrganization()
  const payment = useRead('getPayment', { path: { organizationId, paymentId } })
  const titles = {
    signed: t`Signed`,
    set_aside: t`The amount is set aside`,
    sent: t`Sent to the chain`,
    on_chain: t`Final on the chain`,
  }
  return (
    <div ref={here} tabIndex={-1} className="flex flex-col gap-4 outline-none">
      {isNews && (
        <Notice tone="ok" isLive title={<Trans>You have approved this payment</Trans>}>
          <Trans>You can leave this page. What follows happens by itself.</Trans>
        </Notice>
      )}
      <ReadView of={payment}>
        {({ payment: { state, amountBaseUnits, recipientAddress, transactionHash } }) => {
          const explorer = transactionHash && transactionUrl(config, transactionHash)
          const isWaiting = state === 'reserved' && config.features.paymentRelease === 'manual'
          return (
            <Card>
              <p className="mb-1 text-2xl">
                <Money baseUnits={amountBaseUnits} isStrong />
              </p>
              <Address address={recipientAddress} />
              <div className="mt-5">
                <Timeline
                  label={t`What happens to the payment`}
                  steps={progressOf(state).map(({ id, when }) => ({
                    id,
                    when,
                    title: titles[id],
                    children:
                      id === 'sent' && transactionHash ? (
                        <>
                          <Hash hash={transactionHash} label={t`Copy the transaction hash`} />
                          {explorer && (
                            <a
                              href={explorer}
                              target="_blank"
                              rel="noreferrer"
                              className="text-accent"
                            >
                              <Trans>explorer</Trans>
                            </a>
                          )}
                        </>
                      ) : id === 'set_aside' && isWaiting ? (
                        <Trans>An owner or a manager releases it next.</Trans>
                      ) : undefined,
                  }))}
                />
              </div>
            </Card>
          )
        }}
      </ReadView>
      <div className="flex flex-wrap gap-2">
        <Link
          to="/organizations/$organizationId/payments/$paymentId"
          params={{ organizationId, paymentId }}
          className={buttonStyle({})}
        >
          <Trans>Open the payment</Trans>
        </Link>
        <Link
          to="/organizations/$organizationId/expenses/$expenseId"
          params={{ organizationId, expenseId }}
          className={buttonStyle({})}
        >
          <Trans>Open the expense</Trans>
        </Link>
        <Link
          to="/organizations/$organizationId"
          params={{ organizationId }}
          className={buttonStyle({ look: 'quiet' })}
        >
          <Trans>Inbox</Trans>
        </Link>
      </div>
    </div>
  )
}
