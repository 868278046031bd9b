import { Mark, type MarkKind } from '@countersign/ui/mark.tsx'
import { Moment } from '@countersign/ui/moment.tsx'
import { Money } from '@countersign/ui/money.tsx'
import { Card, Empty, Section } from '@countersign/ui/page.tsx'
import { Trans, useLingui } from '@lingui/react/macro'
import { PiggyBank } from 'lucide-react'
import { TransactionHash } from '../../wallet/transaction-hash.tsx'
import { type ActionOutcome, type FundingAction, outcomeOf } from './funding-state.ts'

const KINDS: Record<ActionOutcome, MarkKind> = {
  working: 'working',
  good: 'done',
  bad: 'blocked',
  unknown: 'warning',
}

export function FundingActions({ actions }: { actions: readonly FundingAction[] }) {
  const { t } = useLingui()
  const word = (action: FundingAction): string => {
    const outcome = outcomeOf(action)
    if (outcome === 'working') return action.state === 'broadcast' ? t`Sent` : t`Requested`
    if (outcome === 'unknown') return t`Outcome unknown`
    if (action.action === 'withdraw_probe') {
      return outcome === 'good' ? t`Denied, as it must be` : t`Not denied`
    }
    return outcome === 'good' ? t`Deposited` : t`Failed`
  }
  return (
    <Section title={<Trans>Deposits and tests</Trans>}>
      {actions.length === 0 ? (
        <Empty icon={<PiggyBank aria-hidden="true" />} title={<Trans>None yet</Trans>}>
          <Trans>
            Deposits by the signer will be listed here, and the tests that prove that it can do
            nothing else.
          </Trans>
        </Empty>
      ) : (
        <Card isFlush>
          <ul className="divide-y divide-line">
            {actions.map((action) => (
              <li key={action.id} className="flex flex-col gap-1 px-4 py-3 sm:px-5">
                <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
                  <span className="font-medium">
                    {action.action === 'deposit' ? (
                      <Trans>
                        Deposit of <Money baseUnits={action.amountBaseUnits} />
                      </Trans>
                    ) : (
                      <Trans>Test: a withdrawal that must be denied</Trans>
                    )}
                  </span>
                  <Mark kind={KINDS[outcomeOf(action)]}>{word(action)}</Mark>
                  <span className="text-muted text-sm">
                    <Moment at={action.createdAt} />
                  </span>
                </span>
                {action.failureCode && outcomeOf(action) === 'bad' && (
                  <span className="font-mono text-bad text-sm">{action.failureCode}</span>
                )}
                {action.transactionHash && action.action === 'deposit' && (
                  <TransactionHash hash={action.transactionHash} />
                )}
              </li>
            ))}
          </ul>
        </Card>
      )}
    </Section>
  )
}
