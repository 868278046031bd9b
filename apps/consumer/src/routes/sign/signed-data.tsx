import { Hash } from '@countersign/ui/address.tsx'
import { Disclosure } from '@countersign/ui/disclosure.tsx'
import { Card, Fact, Facts } from '@countersign/ui/page.tsx'
import { QrCode } from '@countersign/ui/qr.tsx'
import { Trans, useLingui } from '@lingui/react/macro'
import { encodeApproval, MESSAGE_FIELDS } from '../../approval/approval-link.ts'
import type { Prepared } from './signing.ts'

/** For comparing with what the wallet, a hardware wallet or a second device shows. */
export function SignedData({ prepared: { linked, hashes, typedData } }: { prepared: Prepared }) {
  const { t } = useLingui()
  const link = `${location.origin}/verify#${encodeApproval(linked)}`
  const { domain } = typedData
  return (
    <Card>
      <Disclosure title={<Trans>All eleven fields, as your wallet shows them</Trans>}>
        <Facts>
          <Fact term="domain">
            {domain.name} {domain.version}, chainId {domain.chainId}
          </Fact>
          <Fact term="verifyingContract">
            <span className="break-all font-mono text-sm">{domain.verifyingContract}</span>
          </Fact>
          {MESSAGE_FIELDS.map((field) => (
            <Fact key={field} term={field}>
              <span className="break-all font-mono text-sm">{linked.message[field]}</span>
            </Fact>
          ))}
        </Facts>
      </Disclosure>
      <Disclosure title={<Trans>For a hardware wallet</Trans>}>
        <p className="mb-3 text-muted text-sm">
          <Trans>A device that cannot show the fields shows one or two of these hashes.</Trans>
        </p>
        <Facts>
          <Fact term={<Trans>Domain hash</Trans>}>
            <Hash hash={hashes.domain} label={t`Copy the domain hash`} />
          </Fact>
          <Fact term={<Trans>Message hash</Trans>}>
            <Hash hash={hashes.message} label={t`Copy the message hash`} />
          </Fact>
          <Fact term={<Trans>Digest</Trans>}>
            <Hash hash={hashes.digest} label={t`Copy the digest`} />
          </Fact>
        </Facts>
      </Disclosure>
      <Disclosure title={<Trans>Compare on a second device</Trans>}>
        <p className="mb-3 text-pretty text-muted text-sm">
          <Trans>
            Scan this with another device. The page that opens has no connection: it hashes what is
            in the code and shows it in words. It must show the same payment and the same digest.
          </Trans>
        </p>
        <QrCode text={link} label={t`Code with the approval for a second device`} />
        <p className="mt-3">
          <a
            href={link}
            target="_blank"
            rel="noreferrer"
            className="text-accent underline-offset-4 hover:underline"
          >
            <Trans>Open it on this device</Trans>
          </a>
        </p>
      </Disclosure>
    </Card>
  )
}
