/** A payment of any screen; only a queued one can wait for its period. */
type Waiting = { state: string; postponedUntil?: string | null }

/** When the vault can make the payment again. Null unless it waits for the end of a period. */
export const postponedUntilOf = (payment: Waiting | null | undefined): string | null =>
  payment?.state === 'queued' ? (payment.postponedUntil ?? null) : null
