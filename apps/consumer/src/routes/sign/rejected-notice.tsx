import { useAction } from '@countersign/app-kit/data/actions.ts'
import { FailureNotice } from '@countersign/app-kit/shell/failure-notice.tsx'
import type { ShownApproval } from '@countersign/client/approvals.ts'
import { Button } from '@countersign/ui/button.tsx'
import { Notice } from '@countersign/ui/notice.tsx'
import { say } from '@countersign/ui/say.ts'
import { Trans, useLingui } from '@lingui/react/macro'
import { useNavigate } from '@tanstack/react-router'
import { useWalletProblemText } from '../../wallet/wallet-choice.tsx'
import type { WalletProblem } from '../../wallet/wallets.ts'
import type { Prepared } from './signing.ts'

type Props = { shown: ShownApproval; prepared: Prepared; problem: WalletProblem }

/** Nothing happened. The approval can be signed again, or taken back at the service. */
export function RejectedNotice({ shown: { expense }, prepared, problem }: Props) {
  const { t } = useLingui()
  const text = useWalletProblemText()
  const navigate = useNavigate()
  const cancelling = useAction('cancelSigning', ['getExpense'])
  const { organizationId, id: expenseId, currentRevision } = expense
  const cancel = async () => {
    const { approvalId } = prepared.approval
    const done = await cancelling.run({
      path: { organizationId, expenseId },
      body: { expectedVersion: currentRevision, approvalId },
    })
    if (!done.ok) return
    say(t`The prepared approval is cancelled`)
    await navigate({
      to: '/organizations/$organizationId/expenses/$expenseId',
      params: { organizationId, expenseId },
    })
  }
  return (
    <>
      <Notice
        tone="warn"
        isLive
        title={text(problem)}
        actions={
          <Button size="small" isBusy={cancelling.isBusy} onClick={() => void cancel()}>
            <Trans>Cancel this approval</Trans>
          </Button>
        }
      >
        <Trans>
          You can sign again below until the deadline. If you do not want to approve it, cancel it:
          then a signature of it is not accepted any more.
        </Trans>
      </Notice>
      {cancelling.failure && <FailureNotice failure={cancelling.failure} />}
    </>
  )
}
