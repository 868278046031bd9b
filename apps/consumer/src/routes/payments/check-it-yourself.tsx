import { CopyButton } from '@countersign/ui/copy-button.tsx'
import { Disclosure } from '@countersign/ui/disclosure.tsx'
import { Card } from '@countersign/ui/page.tsx'
import { Trans, useLingui } from '@lingui/react/macro'
import type { PaymentDetail } from './payment-view.tsx'
import { proofName } from './proof-file.ts'

/** Trusting this page is not necessary either. */
export function CheckItYourself({ detail: { payment } }: { detail: PaymentDetail }) {
  const { t } = useLingui()
  const command = `npm run verify -- ${proofName(payment.id)} --rpc https://a-node-you-trust`
  return (
    <div className="print:hidden">
      <Card>
        <Disclosure title={<Trans>Check it yourself</Trans>}>
          <ol className="flex list-decimal flex-col gap-2 ps-5">
            <li>
              <Trans>Download the proof above.</Trans>
            </li>
            <li>
              <Trans>
                Get the source of Countersign and run this in its folder. It needs no account and no
                database. Name a node that you trust; two are better.
              </Trans>
              <div className="mt-2 flex items-start justify-between gap-2 rounded-md bg-sunken px-3 py-2">
                <code className="break-all font-mono text-sm">{command}</code>
                <CopyButton text={command} label={t`Copy the command`} />
              </div>
            </li>
            <li>
              <Trans>
                It prints every check and a verdict. VERIFIED means that the chain says the same as
                the proof.
              </Trans>
            </li>
          </ol>
        </Disclosure>
      </Card>
    </div>
  )
}
