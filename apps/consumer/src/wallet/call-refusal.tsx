import type { OwnerTransactionCheck } from '@countersign/client/owner-transactions.ts'
import { Notice } from '@countersign/ui/notice.tsx'
import { Trans } from '@lingui/react/macro'
import { Link } from '@tanstack/react-router'
import { useOrganization } from '../data/organization.tsx'

type Refused = Extract<OwnerTransactionCheck, { ok: false }>

/** A prepared transaction that does something else. There is no way on from here. */
export function CallRefusal({ check }: { check: Refused }) {
  const { id: organizationId } = useOrganization()
  return (
    <Notice
      tone="bad"
      isLive
      title={<Trans>Do not sign: this transaction does something else</Trans>}
      actions={
        <Link
          to="/organizations/$organizationId/support"
          params={{ organizationId }}
          className="text-accent underline underline-offset-4"
        >
          <Trans>Contact support</Trans>
        </Link>
      }
    >
      <p>
        {check.reason === 'undecodable' ? (
          <Trans>
            It could not be decoded as a call of a vault, so nobody can say what it would do. It was
            not given to your wallet.
          </Trans>
        ) : (
          <Trans>
            What was prepared is not what you asked for. It was not given to your wallet. The
            service may be compromised: do not sign this elsewhere either.
          </Trans>
        )}
      </p>
      {check.reason === 'undecodable' && <p className="mt-2 font-mono">{check.message}</p>}
      {check.differences.length > 0 && (
        <ul className="mt-2 flex flex-col gap-2">
          {check.differences.map(({ field, requested, actual }) => (
            <li key={`${field} ${requested} ${actual}`} className="break-all">
              <span className="font-medium">{field}</span>
              <span className="block">
                <Trans>
                  asked for: <span className="font-mono">{requested}</span>
                </Trans>
              </span>
              <span className="block text-bad">
                <Trans>
                  it does: <span className="font-mono">{actual}</span>
                </Trans>
              </span>
            </li>
          ))}
        </ul>
      )}
    </Notice>
  )
}
