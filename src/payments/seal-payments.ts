/** Renews the MACs of unsent automatic payments; part of `npm run keys -- seal`. */
import type { Tx } from '#platform/database/database.ts'
import type { MacKey } from '#platform/secrets.ts'
import type { requireMacKeys } from './accepted-keys.ts'
import { listPaymentsToSeal, updatePaymentSeal } from './seal-payments.store.ts'
import { isSealedAuthorization, sealAuthorization } from './worker-mac.ts'

export type SealTally = { sealed: number; refused: string[] }

type SealPayments = {
  organizationId: string
  keyId: string
  keys: ReturnType<typeof requireMacKeys>
  /** No worker has sealed anything yet: rows from before MACs are trusted. */
  isUpgrade: boolean
}

export async function sealPayments(
  tx: Tx,
  { organizationId, keyId, keys, isUpgrade }: SealPayments,
): Promise<SealTally> {
  const previous = keys.previous ? [keys.previous] : []
  const tally: SealTally = { sealed: 0, refused: [] }
  for (const payment of await listPaymentsToSeal(tx, { organizationId, keyId })) {
    const verifies = (trusted: MacKey[]) => isSealedAuthorization(trusted, payment, payment)
    if (payment.mac === null ? isUpgrade && payment.isOld : verifies(previous)) {
      updatePaymentSeal(tx, { ...payment, seal: sealAuthorization(keys, payment) })
      tally.sealed += 1
    } else tally.refused.push(`payment ${payment.id}`)
  }
  return tally
}
