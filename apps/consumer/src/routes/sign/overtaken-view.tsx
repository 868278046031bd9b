import { ExpenseMark } from '@countersign/app-kit/words/state-mark.tsx'
import type { ShownApproval } from '@countersign/client/approvals.ts'
import { Address } from '@countersign/ui/address.tsx'
import { Button, buttonStyle } from '@countersign/ui/button.tsx'
import { Money } from '@countersign/ui/money.tsx'
import { Notice } from '@countersign/ui/notice.tsx'
import { Trans } from '@lingui/react/macro'
import { Link } from '@tanstack/react-router'
import type { Change } from './overtaken.ts'
import { useFocusHere } from './use-focus-here.ts'

type Props = {
  expense: ShownApproval['expense']
  changes: readonly Change[]
  onReadAgain(): void
}

/** Someone was faster: what changed, and on from there. */
export function OvertakenView({ expense, changes, onReadAgain }: Props) {
  const here = useFocusHere()
  const { organizationId, id: expenseId } = expense
  return (
    <div ref={here} tabIndex={-1} className="outline-none">
      <Notice
        tone="info"
        isLive
        title={<Trans>This has changed since you opened it</Trans>}
        actions={
          <>
            <Button look="primary" onClick={onReadAgain}>
              <Trans>Reload it</Trans>
            </Button>
            <Link
              to="/organizations/$organizationId/expenses/$expenseId"
              params={{ organizationId, expenseId }}
              className={buttonStyle({})}
            >
              <Trans>Open the expense</Trans>
            </Link>
          </>
        }
      >
        <p>
          <Trans>
            Nothing of yours was paid. If your wallet still shows the request, reject it there.
          </Trans>
        </p>
        <ul className="mt-2 flex list-disc flex-col gap-1 ps-5">
          {changes.map((change) => (
            <li key={change.kind === 'signed' ? change.approverAddress : change.kind}>
              <ChangeText change={change} />
            </li>
          ))}
        </ul>
      </Notice>
    </div>
  )
}

function ChangeText({ change }: { change: Change }) {
  switch (change.kind) {
    case 'revision':
      return (
        <Trans>
          It was revised: revision {change.from} became {change.to}.
        </Trans>
      )
    case 'amount':
      return (
        <Trans>
          Amount: <Money baseUnits={change.from} /> became <Money baseUnits={change.to} />.
        </Trans>
      )
    case 'recipient':
      return (
        <>
          <Trans>The recipient is another one:</Trans>
          <Address address={change.to} name={change.toLabel} />
        </>
      )
    case 'purpose':
      return (
        <Trans>
          The purpose is now: <bdi>{change.to}</bdi>
        </Trans>
      )
    case 'state':
      return (
        <>
          <Trans>Its state is now:</Trans> <ExpenseMark state={change.state} />
        </>
      )
    case 'signed':
      return (
        <>
          {change.by ? (
            <Trans>
              <bdi>{change.by}</bdi> has signed it.
            </Trans>
          ) : (
            <Trans>Another approver has signed it.</Trans>
          )}
          <Address address={change.approverAddress} />
        </>
      )
    case 'policy':
      return (
        <Trans>
          The vault has a new policy: version {change.from} became {change.to}.
        </Trans>
      )
    case 'paused':
      return (
        <Trans>
          The policy was paused. The vault pays nothing until its owner lifts the pause.
        </Trans>
      )
  }
}
