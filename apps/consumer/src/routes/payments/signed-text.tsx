import { SignatureCount } from '@countersign/app-kit/words/signature-count.tsx'
import { Address, inFours } from '@countersign/ui/address.tsx'
import { Trans } from '@lingui/react/macro'
import { tierOf } from '../../approval/tiers.ts'
import type { CheckedLinks } from './links.ts'
import type { Evidence } from './payment-view.tsx'

type Props = { evidence: Evidence; checked: CheckedLinks }

/** Every signature with its signer and its digest, in the order in which the vault takes them. */
export function SignedText({ evidence, checked }: Props) {
  const { approvals, policy, revision, payment } = evidence
  if (payment.mode === 'automatic') {
    return <Trans>No signature: the policy allows automatic payments.</Trans>
  }
  const required = tierOf(policy?.tiers ?? [], revision.amountBaseUnits)?.approvals ?? 1
  return (
    <>
      {required > 1 && (
        <p className="mb-1">
          <SignatureCount signed={approvals.length} required={required} />
        </p>
      )}
      <ul className="flex flex-col gap-3">
        {approvals.map(({ id, approverAddress, digest }) => (
          <li key={id}>
            {checked.contractApprovers.includes(approverAddress.toLowerCase()) ? (
              <Trans>By a contract wallet. Only the chain can check its signature:</Trans>
            ) : (
              <Trans>The signer was recovered from the digest here:</Trans>
            )}
            <Address address={approverAddress} />
            <p className="mt-1 break-words font-mono text-muted text-xs">
              <span className="sr-only">{digest}</span>
              <span aria-hidden="true">0x {inFours(digest).join(' ')}</span>
            </p>
          </li>
        ))}
      </ul>
    </>
  )
}
