import type { ShownApproval } from '@countersign/client/approvals.ts'
import { useNow } from '@countersign/ui/moment.tsx'
import { useEffect } from 'react'
import { useWallet } from '../../wallet/use-wallet.ts'
import type { Asked } from './belonging.ts'
import { ExpiredView } from './expired-view.tsx'
import { FailedView } from './failed-view.tsx'
import { interruptionOf } from './interruption.ts'
import { unexplainedRefusal } from './overtaken.ts'
import { OvertakenView } from './overtaken-view.tsx'
import { ReadyStep } from './ready-step.tsx'
import { RefusedView } from './refused-view.tsx'
import { ReviewStep } from './review-step.tsx'
import { SendingView } from './sending-view.tsx'
import { SignedView } from './signed-view.tsx'
import { useChanges } from './use-changes.ts'
import { useSigning } from './use-signing.ts'
import { WrongSignatureView } from './wrong-signature-view.tsx'

type Props = { asked: Asked; shown: ShownApproval; onReadAgain(): void }

/** The step or the end that the person is at. */
export function SignFlow({ asked, shown, onReadAgain }: Props) {
  const used = useWallet()
  const signing = useSigning(asked, shown)
  const { live, changes } = useChanges(asked, shown)
  const now = useNow(5_000)
  const { phase, interrupt } = signing
  const { expense } = shown
  const interruption = interruptionOf(phase, { changes, now: now.getTime() })
  useEffect(() => {
    if (interruption) interrupt(interruption)
  }, [interruption, interrupt])
  switch (phase.at) {
    case 'signed':
      return <SignedView paymentId={expense.paymentId} expenseId={expense.id} isNews />
    case 'refused':
      return <RefusedView expenseId={expense.id} checks={phase.checks} onReadAgain={onReadAgain} />
    case 'wrong_signature':
      return <WrongSignatureView onReadAgain={onReadAgain} />
    case 'expired':
      return <ExpiredView onReadAgain={onReadAgain} />
    case 'failed':
      return <FailedView failure={phase.failure} {...{ signing, shown, onReadAgain }} />
    case 'overtaken': {
      const all = [...phase.changes, ...changes]
      const failure = unexplainedRefusal({ failure: phase.failure, changes: all })
      return failure ? (
        <FailedView {...{ failure, signing, shown, onReadAgain }} />
      ) : (
        <OvertakenView changes={all} {...{ expense, onReadAgain }} />
      )
    }
    case 'submitting':
      return <SendingView />
    default:
  }
  if (changes.length > 0) {
    return <OvertakenView {...{ changes, expense, onReadAgain }} />
  }
  if (phase.at === 'ready' || phase.at === 'in_wallet' || phase.at === 'rejected') {
    const { prepared } = phase
    if (prepared.deadlineSeconds * 1_000 <= now.getTime()) {
      return <ExpiredView onReadAgain={onReadAgain} />
    }
    const isSameAccount = used.connected?.accounts[0] === prepared.account
    if (isSameAccount) return <ReadyStep {...{ shown, live, phase, signing, used }} />
  }
  return <ReviewStep {...{ shown, live, signing, used }} />
}
