import { FailureNotice } from '@countersign/app-kit/shell/failure-notice.tsx'
import type { ShownApproval } from '@countersign/client/approvals.ts'
import type { Failure } from '@countersign/client/errors.ts'
import { Button, buttonStyle } from '@countersign/ui/button.tsx'
import { Trans } from '@lingui/react/macro'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useFocusHere } from './use-focus-here.ts'
import type { Signing } from './use-signing.ts'
import { WrongSignatureView } from './wrong-signature-view.tsx'

type Props = {
  failure: Failure
  signing: Signing
  shown: ShownApproval
  onReadAgain(): void
}

/** The service said no. Each code has the screen that mends it. */
export function FailedView({ failure, signing, shown, onReadAgain }: Props) {
  const here = useFocusHere()
  const { sendAgain } = signing
  if (failure.code === 'invalid_signature') return <WrongSignatureView onReadAgain={onReadAgain} />
  return (
    <div ref={here} tabIndex={-1} className="flex flex-col gap-4 outline-none">
      <FailureNotice failure={failure} action={<Mending code={failure.code} shown={shown} />} />
      {sendAgain ? (
        <div className="flex flex-col items-start gap-2">
          <p>
            <Trans>
              You have signed, and the answer was lost. Sending the same signature again pays only
              once.
            </Trans>
          </p>
          <Button look="primary" onClick={() => void sendAgain()}>
            <Trans>Send the signature again</Trans>
          </Button>
        </div>
      ) : (
        <div>
          <Button onClick={onReadAgain}>
            <Trans>Start over</Trans>
          </Button>
        </div>
      )}
    </div>
  )
}

function Mending({ code, shown }: { code: string; shown: ShownApproval }): ReactNode {
  const { organizationId, id: expenseId } = shown.expense
  const style = buttonStyle({ size: 'small' })
  switch (code) {
    case 'self_approval':
    case 'approver_wallet_required':
      return (
        <Link
          to="/organizations/$organizationId/people"
          params={{ organizationId }}
          className={style}
        >
          <Trans>See who can approve</Trans>
        </Link>
      )
    case 'policy_violation':
    case 'policy_missing':
      return (
        <Link
          to="/organizations/$organizationId/treasury/$vaultId/policy"
          params={{ organizationId, vaultId: shown.vault.id }}
          className={style}
        >
          <Trans>Open the policy</Trans>
        </Link>
      )
    case 'insufficient_funds':
    case 'vault_unverified':
    case 'vault_archived':
    case 'executor_not_ready':
      return (
        <Link
          to="/organizations/$organizationId/treasury"
          params={{ organizationId }}
          className={style}
        >
          <Trans>Open the treasury</Trans>
        </Link>
      )
    case 'report_missing':
    case 'state_conflict':
    case 'version_conflict':
      return (
        <Link
          to="/organizations/$organizationId/expenses/$expenseId"
          params={{ organizationId, expenseId }}
          className={style}
        >
          <Trans>Open the expense</Trans>
        </Link>
      )
    default:
      return null
  }
}
