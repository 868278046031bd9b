import type { ShownApproval } from '@countersign/client/approvals.ts'
import { Button, buttonStyle } from '@countersign/ui/button.tsx'
import { Notice } from '@countersign/ui/notice.tsx'
import { Trans, useLingui } from '@lingui/react/macro'
import { Link } from '@tanstack/react-router'
import { useOnline } from '../../data/online.ts'
import { useOrganization } from '../../data/organization.tsx'
import type { UsedWallet } from '../../wallet/use-wallet.ts'
import { useWalletProblemText } from '../../wallet/wallet-choice.tsx'
import { ActionBar } from './action-bar.tsx'
import { ownApprovers } from './own-approvers.ts'
import { ReportSummary } from './report-summary.tsx'
import { Steps } from './steps.tsx'
import { TermsCard } from './terms-card.tsx'
import type { Signing } from './use-signing.ts'
import { OtherAccount, WalletPanel } from './wallet-panel.tsx'

type Props = {
  shown: ShownApproval
  live: ShownApproval['expense']
  signing: Signing
  used: UsedWallet
}

/** The person reads; nothing is prepared before they go on. */
export function ReviewStep({ shown, live, signing, used }: Props) {
  const { t } = useLingui()
  const { me } = useOrganization()
  const isOnline = useOnline()
  const { phase } = signing
  const account = used.connected?.accounts[0]
  const approvers = ownApprovers(me, shown.vault)
  const isApprover = approvers.some((each) => each.toLowerCase() === account?.toLowerCase())
  const reason = !isOnline
    ? t`You are offline. Wait until the page is connected.`
    : approvers.length === 0
      ? t`None of your wallets is an approver of this vault.`
      : !account
        ? t`Connect your wallet first.`
        : !isApprover
          ? t`Switch your wallet to the account that approves.`
          : undefined
  return (
    <div className="flex flex-col gap-4">
      <Steps current={1} />
      <TermsCard shown={shown} live={live} deadlineSeconds={null} />
      <ReportSummary report={shown.report} />
      {phase.at === 'wrong_account' ? (
        <OtherAccount account={phase.account} approvers={[phase.approver]} />
      ) : (
        <WalletPanel shown={shown} used={used} />
      )}
      {phase.at === 'unreadable' && <Unreadable phase={phase} />}
      <ActionBar>
        <NotNow shown={shown} />
        <Button
          look="primary"
          size="large"
          reason={reason}
          isBusy={phase.at === 'preparing'}
          onClick={() => used.connected && void signing.prepare(used.connected)}
        >
          <Trans>Check and continue</Trans>
        </Button>
      </ActionBar>
    </div>
  )
}

export const NotNow = ({ shown: { expense } }: Pick<Props, 'shown'>) => (
  <Link
    to="/organizations/$organizationId/expenses/$expenseId"
    params={{ organizationId: expense.organizationId, expenseId: expense.id }}
    className={buttonStyle({ look: 'quiet' })}
  >
    <Trans>Not now</Trans>
  </Link>
)

function Unreadable({ phase }: { phase: Extract<Signing['phase'], { at: 'unreadable' }> }) {
  const text = useWalletProblemText()
  const { config } = useOrganization()
  return (
    <Notice
      tone="warn"
      isLive
      title={<Trans>The vault could not be read through your wallet</Trans>}
    >
      <p>
        {phase.problem === 'wrong_chain' ? (
          <Trans>Switch your wallet to {config.chain.name}, then continue.</Trans>
        ) : (
          text(phase.problem)
        )}
      </p>
      <p>
        <Trans>
          Without it, nothing can be checked against the chain, so nothing was prepared.
        </Trans>
      </p>
    </Notice>
  )
}
