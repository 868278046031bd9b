import { Address, Hash } from '@countersign/ui/address.tsx'
import { Disclosure } from '@countersign/ui/disclosure.tsx'
import { Moment } from '@countersign/ui/moment.tsx'
import { Card, Fact, Facts } from '@countersign/ui/page.tsx'
import { Trans, useLingui } from '@lingui/react/macro'
import { Gwei } from './gwei.tsx'
import type { PaymentDetail } from './payment-view.tsx'

/** For those who operate or audit: everything that was sent, and the raw bundle. */
export function PaymentDetails({ detail }: { detail: PaymentDetail }) {
  const { attempts, receipt, evidence } = detail
  return (
    <div className="print:hidden">
      <Card>
        <Disclosure title={<Trans>Attempts, gas and nonces</Trans>}>
          {attempts.length === 0 && (
            <p className="text-muted">
              <Trans>Nothing has been sent yet.</Trans>
            </p>
          )}
          <ol className="flex flex-col gap-5">
            {attempts.map((attempt) => (
              <li key={attempt.id}>
                <AttemptFacts attempt={attempt} />
              </li>
            ))}
          </ol>
          {receipt && (
            <div className="mt-5 border-line border-t pt-4">
              <Facts>
                <Fact term={<Trans>Gas used</Trans>}>{receipt.gasUsed ?? '–'}</Fact>
                <Fact term={<Trans>Gas price</Trans>}>
                  <Gwei wei={receipt.effectiveGasPrice} />
                </Fact>
                <Fact term={<Trans>Block</Trans>}>{receipt.blockNumber}</Fact>
              </Facts>
            </div>
          )}
        </Disclosure>
        {evidence && (
          <Disclosure title={<Trans>The raw bundle</Trans>}>
            <section
              // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it
              tabIndex={0}
              translate="no"
              aria-label="JSON"
              className="max-h-96 overflow-auto rounded-md bg-sunken p-3"
            >
              <pre className="font-mono text-xs">{JSON.stringify(evidence, null, 2)}</pre>
            </section>
          </Disclosure>
        )}
      </Card>
    </div>
  )
}

function AttemptFacts({ attempt }: { attempt: PaymentDetail['attempts'][number] }) {
  const { t } = useLingui()
  const states = {
    written: t`written, not sent yet`,
    sent: t`sent`,
    mined: t`mined`,
    cleared: t`given up`,
  }
  return (
    <Facts>
      <Fact term={<Trans>Attempt {attempt.number}</Trans>}>
        {states[attempt.state]}, <Moment at={attempt.createdAt} style="full" />
        {attempt.errorCode && <span className="ms-2 font-mono text-bad">{attempt.errorCode}</span>}
      </Fact>
      <Fact term={<Trans>Executor</Trans>}>
        <Address address={attempt.executorAddress} />
      </Fact>
      <Fact term={<Trans>Nonce</Trans>}>{attempt.nonce ?? '–'}</Fact>
      <Fact term={<Trans>Highest fee</Trans>}>
        <Gwei wei={attempt.maxFeePerGas} />
      </Fact>
      {attempt.transactionHash && (
        <Fact term={<Trans>Transaction</Trans>}>
          <Hash hash={attempt.transactionHash} label={t`Copy the transaction hash`} />
        </Fact>
      )}
    </Facts>
  )
}
