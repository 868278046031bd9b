import { saveFile } from '../../save-file.ts'
import type { PaymentDetail } from './payment-view.tsx'

export const proofName = (paymentId: string): string => `payment-${paymentId}.json`

/** The answer as it is, which is what the command line reads. */
export const saveProof = (detail: PaymentDetail): void =>
  saveFile(
    proofName(detail.payment.id),
    new Blob([`${JSON.stringify(detail, null, 2)}\n`], { type: 'application/json' }),
  )
