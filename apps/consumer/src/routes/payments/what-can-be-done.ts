import type { PaymentDetail } from './payment-view.tsx'

const IN_FLIGHT = ['submitting', 'broadcast', 'reconciling']
const OPEN_ATTEMPT = ['written', 'sent']

/** Something may have been sent, and its outcome is not known. */
export const canLookAgain = ({
  payment,
  attempts,
}: {
  payment: Pick<PaymentDetail['payment'], 'state'>
  attempts: readonly Pick<PaymentDetail['attempts'][number], 'state'>[]
}): boolean =>
  IN_FLIGHT.includes(payment.state) ||
  (payment.state === 'blocked' && attempts.some(({ state }) => OPEN_ATTEMPT.includes(state)))

type Releasable = Pick<PaymentDetail['payment'], 'state' | 'requiredApprovals' | 'signedApprovals'>

/** Waits for a person: by the deployment's rule, or because it stopped. */
export function canRelease(
  { state, requiredApprovals, signedApprovals }: Releasable,
  release: 'automatic' | 'manual',
): boolean {
  if (state === 'blocked' || state === 'failed') return true
  return state === 'reserved' && release === 'manual' && signedApprovals >= requiredApprovals
}
