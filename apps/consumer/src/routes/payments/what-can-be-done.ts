import { blockWords } from '@countersign/app-kit/words/block-codes.ts'
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

type Releasable = Pick<
  PaymentDetail['payment'],
  'state' | 'blockCode' | 'requiredApprovals' | 'signedApprovals'
>

/** Waits for a person: by the deployment's rule, or because it stopped and a release helps. */
export function canRelease(
  { state, blockCode, requiredApprovals, signedApprovals }: Releasable,
  release: 'automatic' | 'manual',
): boolean {
  if (state === 'failed' && blockCode === null) return true
  if (state === 'blocked' || state === 'failed') {
    return blockWords(blockCode).ways.includes('release')
  }
  return state === 'reserved' && release === 'manual' && signedApprovals >= requiredApprovals
}
