import { Postponed } from '@countersign/app-kit/words/postponed.tsx'
import { postponedUntilOf } from '@countersign/app-kit/words/postponed-until.ts'
import { SignatureCount } from '@countersign/app-kit/words/signature-count.tsx'

type Props = {
  payment: {
    state: string
    requiredApprovals: number
    signedApprovals: number
    postponedUntil?: string | null
  }
}

/** What a payment waits for besides the executor: signatures, or its spending period. */
export function PaymentWaits({ payment }: Props) {
  const { state, requiredApprovals: required, signedApprovals: signed } = payment
  const until = postponedUntilOf(payment)
  if (until) {
    return (
      <span className="block text-muted text-sm">
        <Postponed until={until} />
      </span>
    )
  }
  return state === 'reserved' && signed < required ? (
    <span className="block text-muted text-sm">
      <SignatureCount signed={signed} required={required} />
    </span>
  ) : null
}
