/** What ends the wait for a wallet, other than the wallet and the person. Pure. */
import type { Change } from './overtaken.ts'
import type { Prepared } from './signing.ts'

/** Where the page goes on from. */
export type Interruption = 'reviewing' | 'expired'

/**
 * Once the page shows that the approval was overtaken or has expired, a signature that the wallet
 * gives later must not be sent. Null where nothing interrupts.
 */
export function interruptionOf(
  phase: { at: string; prepared?: Pick<Prepared, 'deadlineSeconds'> },
  { changes, now }: { changes: readonly Change[]; now: number },
): Interruption | null {
  const { at, prepared } = phase
  if (at !== 'in_wallet' || !prepared) return null
  if (changes.length > 0) return 'reviewing'
  return prepared.deadlineSeconds * 1_000 <= now ? 'expired' : null
}
