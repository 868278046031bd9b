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

/** Waits for a person: by the deployment's rule, or because it stopped. */
export const canRelease = (
  { state }: Pick<PaymentDetail['payment'], 'state'>,
  release: 'automatic' | 'manual',
): boolean =>
  state === 'blocked' || state === 'failed' || (state === 'reserved' && release === 'manual')
